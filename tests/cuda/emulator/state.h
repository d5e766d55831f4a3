/* What the parts of the emulated driver share. */
#ifndef ABBE_TESTS_CUDA_STATE_H
#define ABBE_TESTS_CUDA_STATE_H

#include "cuda/driver.h"
#include "emulator.h"
#include "grid.h"
#include "interface.h"

#include <stdbool.h>
#include <stdint.h>

/* Every function is declared by the list that the device uses. */
#define DECLARE(field, symbol, parameters) int symbol parameters;
CUDA_DRIVER_FUNCTIONS(DECLARE)
CUDA_NVRTC_FUNCTIONS(DECLARE)
#undef DECLARE

/* ---- Entering: driver.c -------------------------------------------------------------------------------- */

/* COMPILES: functions of NVRTC, whose results have other numbers and which know no context. ASKS: those that
 * need no memory. */
enum { NEEDS_NOTHING = 0, NEEDS_CONTEXT = 1, RELEASES = 2, COMPILES = 4, ASKS = 8 };

/* Locks the emulator; returns what the call must return if it is not CUDA_OK. */
int emulator_enter(int needs);
void emulator_leave(const int *entered);

/* The first line of every function. */
#define ENTER(needs)                                                              \
    __attribute__((cleanup(emulator_leave))) int entered = emulator_enter(needs); \
    if (entered)                                                                  \
    return entered

/* Prints what the application did wrong, and aborts: real drivers may crash, or do nothing at all. */
void emulator_refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

extern struct emulator_counts counts; /* what emulator.counts() returns */

struct cuda_context_object {
    int device, retained;
    int lost;           /* the result of every call from now on */
    cuda_stream legacy; /* the stream NULL */
};
cuda_context emulator_context(void); /* of the calling thread */

/* A setting of the environment, "MEMORY", unless emulator.set() replaced it. */
long long emulator_setting(const char *name);

/* ---- Memory: memory.c ---------------------------------------------------------------------------------- */

/* Aborts unless the bytes lie in memory of the GPU. */
void memory_check(cuda_pointer pointer, size_t bytes, const char *what);
bool memory_is_pinned(const void *host);
/* Aborts if something was written beside an allocation. */
void memory_check_guards(void);
void memory_forget(cuda_context context); /* frees what a context leaves */
void memory_set_room(size_t bytes);

/* ---- Modules: modules.c -------------------------------------------------------------------------------- */

enum { CONSTANTS_MAX = 128 };

struct cuda_function_object {
    emulated_kernel kernel;
    int constants[CONSTANTS_MAX]; /* in the order of ABCU_CONSTANTS */
    int shared_max;
};

struct action;
void module_run(const struct action *action); /* an ACTION_LAUNCH */
void module_forget(cuda_context context);

/* ---- Streams: streams.c -------------------------------------------------------------------------------- */

/* Something that a stream does. */
struct action {
    enum action_kind { ACTION_COPY, ACTION_LAUNCH, ACTION_RECORD, ACTION_WAIT } kind;
    void *to;
    const void *from;
    size_t bytes;
    struct cuda_function_object function;
    struct abcu_params parameters;
    unsigned blocks[3], threads[3], shared;
    cuda_event event;
    cuda_stream other; /* whose action `number` ACTION_WAIT waits for */
    uint64_t number;
    struct action *next;
};

/* Appends a copy of the action to the stream, or to the graph that it captures. */
int stream_append(cuda_stream stream, const struct action *action);
void stream_finish_all(void);
/* CUDA_CAPTURE_UNSUPPORTED while a stream is captured, and the capture becomes invalid. */
int stream_forbid_capture(void);
void stream_forget(cuda_context context);

#endif
