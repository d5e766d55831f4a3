/* The memory of a GPU, which tests limit. */
#ifndef ABBE_TESTS_ROOM_H
#define ABBE_TESTS_ROOM_H

#include <abbe/abbe.h>

#include <stdbool.h>
#include <stddef.h>

struct room {
    const char *device;                   /* the name by which it is opened */
    void (*prepare)(abbe_device *device); /* once, after it was opened */
    void (*limit)(size_t bytes);          /* larger allocations fail; SIZE_MAX: none does */
    void (*fail_at)(long n);              /* call n from now on finds the memory full; −1: none does */
    bool (*failed)(void);                 /* whether call n has been reached */
};

/* Defined by tests/vulkan/room.c and by tests/cuda/room.c; a program links one of them. */
extern const struct room room;

#endif
