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

static unsigned char *sample_at(const struct stored *stored, int y, size_t i)
{
    const abbe_image *view = &stored->view;
    ptrdiff_t size = (ptrdiff_t)abbe_type_size(view->type), x = (ptrdiff_t)i / view->channels,
              channel = (ptrdiff_t)i % view->channels;
    return (unsigned char *)view->data + y * view->stride +
           x * (view->pixel_stride ? view->pixel_stride : size * view->channels) +
           channel * (view->channel_stride ? view->channel_stride : size);
}

static size_t row_bytes(const abbe_image *view)
{
    return (size_t)view->width * view->channels * abbe_type_size(view->type);
}

/* Calls `what` for the bytes after every row except the last one in memory, where rows are packed. */
static bool each_gap(const struct stored *stored, bool (*what)(unsigned char *gap, size_t size))
{
    if (stored->view.pixel_stride)
        return true;
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

/* Maps stored->pixels bytes between two guards and fills them with the pattern. */
static void map_pixels(struct stored *stored, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), middle = (stored->pixels + page - 1) / page * page;
    stored->mapped = middle + 2 * page;
    stored->mapping = mmap(NULL, stored->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stored->mapping == MAP_FAILED ||
        mprotect((char *)stored->mapping + page, middle, PROT_READ | PROT_WRITE))
        abort();
    stored->first = (unsigned char *)stored->mapping + page + (at_end ? middle - stored->pixels : 0);
    memset(stored->first, PATTERN, stored->pixels);
}

struct stored stored_create(int width, int height, int channels, abbe_type type, int padding, bool flip,
                            bool at_end)
{
    struct stored stored = { .view = {
                                 .width = width, .height = height, .channels = channels, .type = type } };
    size_t row = row_bytes(&stored.view), stride = row + (size_t)padding;
    stored.pixels = stride * (size_t)(height - 1) + row;
    map_pixels(&stored, at_end);
    stored.view.stride = flip ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    stored.view.data = flip ? stored.first + stride * (size_t)(height - 1) : stored.first;
    each_gap(&stored, poison);
    return stored;
}

struct stored stored_create_laid(int width, int height, int channels, abbe_type type, enum layout layout)
{
    ptrdiff_t size = (ptrdiff_t)abbe_type_size(type), row = size * channels * width;
    if (layout == LAYOUT_PACKED)
        return stored_create(width, height, channels, type, 0, false, true);
    struct stored stored = { .view = {
                                 .width = width, .height = height, .channels = channels, .type = type } };
    abbe_image *view = &stored.view;
    view->stride = layout == LAYOUT_PLANES          ? size * width
                   : layout == LAYOUT_PADDED_PLANES ? size * width + 3
                   : layout == LAYOUT_SPARSE        ? (size * channels + 3) * width
                   : layout == LAYOUT_COLUMNS       ? size
                                                    : row;
    view->pixel_stride = layout == LAYOUT_SPARSE     ? size * channels + 3
                         : layout == LAYOUT_COLUMNS  ? size * height
                         : layout == LAYOUT_MIRRORED ? -size * channels
                                                     : size;
    view->channel_stride = layout == LAYOUT_SPARSE     ? size
                           : layout == LAYOUT_MIRRORED ? size
                           : layout == LAYOUT_COLUMNS  ? size * width * height
                                                       : view->stride * height;
    stored.pixels = (size_t)((height - 1) * view->stride +
                             (width - 1) * (ptrdiff_t)llabs(view->pixel_stride) +
                             (channels - 1) * view->channel_stride + size);
    map_pixels(&stored, true);
    view->data = stored.first - (layout == LAYOUT_MIRRORED ? (width - 1) * view->pixel_stride : 0);
    return stored;
}

void stored_free(struct stored *stored)
{
    each_gap(stored, unpoison);
    munmap(stored->mapping, stored->mapped);
}

void stored_open_gaps(const struct stored *stored)
{
    each_gap(stored, unpoison);
}

bool stored_check(const struct stored *stored)
{
    const abbe_image *view = &stored->view;
    unsigned char *covered = calloc(stored->pixels, 1);
    bool kept = true;
    each_gap(stored, unpoison);
    for (int y = 0; y < view->height; y++)
        for (size_t i = 0; i < (size_t)view->width * view->channels; i++)
            memset(covered + (sample_at(stored, y, i) - stored->first), 1, abbe_type_size(view->type));
    for (size_t i = 0; i < stored->pixels; i++)
        kept = kept && (covered[i] || stored->first[i] == PATTERN);
    each_gap(stored, poison);
    free(covered);
    return kept;
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
    case ABBE_F64: memcpy(to, &(double){ value }, 8); break;
    case ABBE_I16:
        bits &= positive ? 0x7fff : 0xffff;
        memcpy(to, &bits, 2);
        break;
    case ABBE_U32: memcpy(to, &bits, 4); break;
    case ABBE_I32:
        bits &= positive ? 0x7fffffff : 0xffffffff;
        memcpy(to, &bits, 4);
        break;
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
    int16_t short_word;
    uint32_t long_word;
    int32_t signed_word;
    float value;
    double wide;
    switch (type) {
    case ABBE_U8: return *from / 255.0;
    case ABBE_U16: memcpy(&word, from, 2); return word / 65535.0;
    case ABBE_F16: memcpy(&word, from, 2); return half_value(word);
    case ABBE_F32: memcpy(&value, from, 4); return value;
    case ABBE_F64: memcpy(&wide, from, 8); return wide;
    case ABBE_I16: memcpy(&short_word, from, 2); return short_word / 32767.0;
    case ABBE_U32: memcpy(&long_word, from, 4); return long_word / 4294967295.0;
    case ABBE_I32: memcpy(&signed_word, from, 4); return signed_word / 2147483647.0;
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
    double lowest = type == ABBE_I16 ? -32768 / 32767.0 : type == ABBE_I32 ? -2147483648.0 / 2147483647.0 : 0;
    double level = round(fmin(fmax(value, lowest), 1) * type_levels(type));
    uint16_t word = type == ABBE_F16 ? nearest_half(value) : (uint16_t)(long long)level;
    float single = (float)value;
    switch (type) {
    case ABBE_U8: *to = (unsigned char)level; break;
    case ABBE_U16:
    case ABBE_F16: memcpy(to, &word, 2); break;
    case ABBE_F32: memcpy(to, &single, 4); break;
    case ABBE_F64: memcpy(to, &value, 8); break;
    case ABBE_I16: memcpy(to, &(int16_t){ (int16_t)level }, 2); break;
    case ABBE_U32: memcpy(to, &(uint32_t){ (uint32_t)level }, 4); break;
    case ABBE_I32: memcpy(to, &(int32_t){ (int32_t)level }, 4); break;
    }
}

void stored_write(struct stored *stored, const struct picture *picture)
{
    size_t row = (size_t)picture->width * picture->channels;
    for (int y = 0; y < picture->height; y++)
        for (size_t i = 0; i < row; i++)
            write_sample(sample_at(stored, y, i), stored->view.type, picture->samples[(size_t)y * row + i]);
}

double type_levels(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return 255;
    case ABBE_U16: return 65535;
    case ABBE_I16: return 32767;
    case ABBE_U32: return 4294967295;
    case ABBE_I32: return 2147483647;
    default: return 0;
    }
}
