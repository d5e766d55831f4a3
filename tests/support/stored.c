/* Stored pictures for tests: every type, odd and negative strides, guarded by unreadable pages. */
#include "support/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONS 1
#endif
#endif
#ifdef POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { PATTERN = 0xC7 };

static size_t row_bytes(const abbe_image *view)
{
    return (size_t)view->width * view->channels * abbe_type_size(view->type);
}

/* Calls `what` for the bytes after every row except the last one in memory. */
static bool each_gap(const struct stored *stored, bool (*what)(unsigned char *gap, size_t size))
{
    size_t stride = (size_t)llabs((long long)stored->view.stride), row = row_bytes(&stored->view);
    for (int y = 0; y + 1 < stored->view.height; y++)
        if (stride > row && !what(stored->first + (size_t)y * stride + row, stride - row))
            return false;
    return true;
}

static bool poison(unsigned char *gap, size_t size)
{
    ASAN_POISON_MEMORY_REGION(gap, size);
    return true;
}

static bool unpoison(unsigned char *gap, size_t size)
{
    ASAN_UNPOISON_MEMORY_REGION(gap, size);
    return true;
}

static bool holds_pattern(unsigned char *gap, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (gap[i] != PATTERN)
            return false;
    return true;
}

struct stored stored_create(int width, int height, int channels, abbe_type type, int padding, bool flip,
                            bool at_end)
{
    struct stored stored = { .view = { NULL, width, height, channels, 0, type } };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), row = row_bytes(&stored.view);
    size_t stride = row + (size_t)padding;
    stored.pixels = stride * (size_t)(height - 1) + row;
    size_t middle = (stored.pixels + page - 1) / page * page;
    stored.mapped = middle + 2 * page;
    stored.mapping = mmap(NULL, stored.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stored.mapping == MAP_FAILED ||
        mprotect((char *)stored.mapping + page, middle, PROT_READ | PROT_WRITE))
        abort();
    stored.first = (unsigned char *)stored.mapping + page + (at_end ? middle - stored.pixels : 0);
    memset(stored.first, PATTERN, stored.pixels);
    stored.view.stride = flip ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    stored.view.data = flip ? stored.first + stride * (size_t)(height - 1) : stored.first;
    each_gap(&stored, poison);
    return stored;
}

void stored_free(struct stored *stored)
{
    each_gap(stored, unpoison);
    munmap(stored->mapping, stored->mapped);
}

bool stored_check(const struct stored *stored)
{
    each_gap(stored, unpoison);
    return each_gap(stored, holds_pattern) && each_gap(stored, poison);
}

static unsigned char *sample_at(const struct stored *stored, int y, size_t i)
{
    return (unsigned char *)stored->view.data + y * stored->view.stride +
           i * abbe_type_size(stored->view.type);
}

static void write_random(unsigned char *to, abbe_type type, struct random *random, bool positive)
{
    uint64_t bits = random_bits(random);
    float value = (float)(positive ? random_unit(random) : random_signed(random));
    /* A random half of magnitude below 1: any fraction, exponent fields 5 … 14 (2^-10 … 1). */
    uint16_t sign = positive ? 0 : (uint16_t)(bits >> 40 & 0x8000);
    uint16_t half = (uint16_t)(sign | (5 + (bits >> 20) % 10) << 10 | (bits & 1023));
    switch (type) {
    case ABBE_U8: *to = (unsigned char)bits; break;
    case ABBE_U16: memcpy(to, &bits, 2); break;
    case ABBE_F16: memcpy(to, &half, 2); break;
    case ABBE_F32: memcpy(to, &value, 4); break;
    }
}

void stored_randomize(struct stored *stored, struct random *random, bool positive)
{
    for (int y = 0; y < stored->view.height; y++)
        for (size_t i = 0; i < (size_t)stored->view.width * stored->view.channels; i++)
            write_random(sample_at(stored, y, i), stored->view.type, random, positive);
}

double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -size : size;
}

static double read_sample(const unsigned char *from, abbe_type type)
{
    uint16_t word;
    float value;
    switch (type) {
    case ABBE_U8: return *from / 255.0;
    case ABBE_U16: memcpy(&word, from, 2); return word / 65535.0;
    case ABBE_F16: memcpy(&word, from, 2); return half_value(word);
    case ABBE_F32: memcpy(&value, from, 4); return value;
    }
    abort();
}

struct picture stored_read(const struct stored *stored)
{
    const abbe_image *view = &stored->view;
    struct picture picture = picture_create(view->width, view->height, view->channels);
    size_t row = (size_t)view->width * view->channels;
    for (int y = 0; y < view->height; y++)
        for (size_t i = 0; i < row; i++)
            picture.samples[(size_t)y * row + i] = read_sample(sample_at(stored, y, i), view->type);
    return picture;
}

/* The nearest binary16 number, found by bisection of the positive numbers, which are ordered like their
 * bits. */
static uint16_t nearest_half(double value)
{
    double size = fabs(value);
    uint16_t low = 0, high = 0x7bff;
    while (high - low > 1) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (half_value(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    uint16_t half = fabs(half_value(high) - size) < fabs(half_value(low) - size) ? high : low;
    return (uint16_t)(half | (value < 0 ? 0x8000 : 0));
}

static void write_sample(unsigned char *to, abbe_type type, double value)
{
    double level = round(fmin(fmax(value, 0), 1) * type_levels(type));
    uint16_t word = type == ABBE_F16 ? nearest_half(value) : (uint16_t)level;
    float single = (float)value;
    switch (type) {
    case ABBE_U8: *to = (unsigned char)level; break;
    case ABBE_U16:
    case ABBE_F16: memcpy(to, &word, 2); break;
    case ABBE_F32: memcpy(to, &single, 4); break;
    }
}

void stored_write(struct stored *stored, const struct picture *picture)
{
    size_t row = (size_t)picture->width * picture->channels;
    for (int y = 0; y < picture->height; y++)
        for (size_t i = 0; i < row; i++)
            write_sample(sample_at(stored, y, i), stored->view.type, picture->samples[(size_t)y * row + i]);
}

int type_levels(abbe_type type)
{
    return type == ABBE_U8 ? 255 : type == ABBE_U16 ? 65535 : 0;
}
