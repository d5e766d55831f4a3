/* Where a picture ends in a stream of bytes: PNG, JPEG, WebP, GIF, BMP, PFM, and PBM, PGM and PPM in binary. */
#include "delimit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t big_endian(const unsigned char *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

static size_t little_endian(const unsigned char *bytes)
{
    return (size_t)bytes[3] << 24 | (size_t)bytes[2] << 16 | (size_t)bytes[1] << 8 | bytes[0];
}

/* Chunks of a length, four letters, data and a checksum, up to IEND. */
static size_t delimit_png(const unsigned char *bytes, size_t size)
{
    size_t at = 8;
    while (at + 12 <= size) {
        size_t length = big_endian(bytes + at);
        if (length > size - at - 12)
            return 0;
        bool is_last = !memcmp(bytes + at + 4, "IEND", 4);
        at += 12 + length;
        if (is_last)
            return at;
    }
    return 0;
}

/* The end of entropy-coded data: a marker that is neither a stuffed 255 nor a restart. */
static size_t skip_scan(const unsigned char *bytes, size_t size, size_t at)
{
    while (at + 1 < size) {
        const unsigned char *found = memchr(bytes + at, 0xFF, size - at - 1);
        if (!found)
            return size;
        at = (size_t)(found - bytes);
        if (found[1] != 0 && found[1] != 0xFF && !(found[1] >= 0xD0 && found[1] <= 0xD7))
            return at;
        at += found[1] == 0xFF ? 1 : 2;
    }
    return size;
}

/* Segments of a marker and a length, scans after SOS, up to EOI. */
static size_t delimit_jpeg(const unsigned char *bytes, size_t size)
{
    enum { SOS = 0xDA, EOI = 0xD9, APP2 = 0xE2 };
    size_t at = 2;
    while (at + 2 <= size) {
        int marker = bytes[at + 1];
        if (bytes[at] != 0xFF)
            return 0;
        if (marker == EOI)
            return at + 2;
        if (marker == 0xFF) {
            at++;
            continue;
        }
        if (at + 4 > size)
            return 0;
        size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length < 2 || length > size - at - 2)
            return 0;
        if (marker == APP2 && length >= 6 && !memcmp(bytes + at + 4, "MPF", 4))
            return 0; /* an index of further pictures, which belong to this one */
        at += 2 + length;
        if (marker == SOS)
            at = skip_scan(bytes, size, at);
    }
    return 0;
}

/* Bytes of a table of colours. */
static size_t gif_colours(int flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* Extensions and pictures: a head, and sub-blocks up to an empty one. */
size_t delimit_gif_blocks(const unsigned char *bytes, size_t size)
{
    enum { HEADER = 13, EXTENSION = 0x21, PICTURE = 0x2C, PICTURE_HEAD = 10 };
    if (size < HEADER)
        return size + 1;
    size_t at = HEADER + gif_colours(bytes[10]);
    while (at < size && (bytes[at] == EXTENSION || bytes[at] == PICTURE)) {
        if (bytes[at] == EXTENSION)
            at += 2;
        else if (size - at < PICTURE_HEAD)
            return size + 1;
        else
            at += PICTURE_HEAD + gif_colours(bytes[at + PICTURE_HEAD - 1]) + 1;
        while (at < size && bytes[at])
            at += (size_t)bytes[at] + 1;
        at++;
    }
    return at;
}

static size_t delimit_gif(const unsigned char *bytes, size_t size)
{
    size_t end = delimit_gif_blocks(bytes, size);
    return end < size && bytes[end] == GIF_TRAILER ? end + 1 : 0;
}

/* The size in the header, which some programs leave 0; without it, that of the pixels, unless they are compressed. */
static size_t delimit_bmp(const unsigned char *bytes, size_t size)
{
    enum { LEAST = 26, HEAD = 14, CORE = 12, INFO = 40, BY_MASKS = 3, BY_ALPHA_MASKS = 6 };
    if (size < LEAST)
        return 0;
    size_t total = little_endian(bytes + 2), header = little_endian(bytes + HEAD);
    if (total >= LEAST)
        return total;
    bool is_core = header == CORE;
    size_t start = little_endian(bytes + 10), headers = HEAD + (is_core ? CORE : INFO);
    if (total || size < headers || start < headers)
        return 0;
    const unsigned char *head = bytes + HEAD;
    size_t width = is_core ? little_endian(head + 4) & 0xFFFF : little_endian(head + 4);
    int32_t height = is_core ? head[6] | head[7] << 8 : (int32_t)little_endian(head + 8);
    size_t bits = is_core ? head[10] : head[14], packing = is_core ? 0 : little_endian(head + 16);
    if ((packing && packing != BY_MASKS && packing != BY_ALPHA_MASKS) || width > INT32_MAX)
        return 0;
    size_t rows = height < 0 ? 0 - (size_t)height : (size_t)height;
    size_t row = (width * bits + 31) / 32 * 4, pixels;
    if (__builtin_mul_overflow(row, rows, &pixels) || pixels == 0 || pixels > size)
        return 0;
    return start + pixels;
}

/* Behind space and comments. */
static void skip_space(const unsigned char *bytes, size_t size, size_t *at)
{
    while (*at < size && (isspace(bytes[*at]) || bytes[*at] == '#')) {
        if (bytes[*at] == '#')
            while (*at < size && bytes[*at] != '\n')
                ++*at;
        else
            ++*at;
    }
}

/* A whole number, after space and comments; false when there is none below 2³¹. */
static bool read_number(const unsigned char *bytes, size_t size, size_t *at, size_t *number)
{
    skip_space(bytes, size, at);
    size_t first = *at;
    for (*number = 0; *at < size && isdigit(bytes[*at]) && *number < INT32_MAX / 10; ++*at)
        *number = 10 * *number + (size_t)(bytes[*at] - '0');
    return *at > first;
}

/* P4, P5 and P6: width, height, for P5 and P6 the largest sample, one space, samples. */
static size_t delimit_pnm(const unsigned char *bytes, size_t size)
{
    size_t at = 2, width, height, largest = 1, row, total;
    int kind = bytes[1];
    if (!read_number(bytes, size, &at, &width) || !read_number(bytes, size, &at, &height) ||
        (kind != '4' && !read_number(bytes, size, &at, &largest)))
        return 0;
    if (kind == '4')
        row = (width + 7) / 8;
    else
        row = width * (kind == '6' ? 3 : 1) * (largest > 255 ? 2 : 1);
    if (__builtin_mul_overflow(row, height, &total) || at >= size || total > size - at - 1)
        return 0;
    return at + 1 + total;
}

/* Width, height, a unit with the order of bytes, one space, floats. */
static size_t delimit_pfm(const unsigned char *bytes, size_t size)
{
    size_t at = 2, width, height, total, channels = bytes[1] == 'F' ? 3 : 1;
    if (!read_number(bytes, size, &at, &width) || !read_number(bytes, size, &at, &height))
        return 0;
    skip_space(bytes, size, &at);
    while (at < size && !isspace(bytes[at]))
        at++;
    if (__builtin_mul_overflow(width * channels * 4, height, &total) || at >= size || total > size - at - 1)
        return 0;
    return at + 1 + total;
}

size_t delimit_picture(const unsigned char *bytes, size_t size)
{
    size_t end = 0;
    if (size < 12)
        return 0;
    if (!memcmp(bytes, "\x89PNG\r\n\x1a\n", 8))
        end = delimit_png(bytes, size);
    else if (bytes[0] == 0xFF && bytes[1] == 0xD8)
        end = delimit_jpeg(bytes, size);
    else if (!memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WEBP", 4))
        end = 8 + (little_endian(bytes + 4) + 1) / 2 * 2;
    else if (!memcmp(bytes, "GIF8", 4))
        end = delimit_gif(bytes, size);
    else if (!memcmp(bytes, "BM", 2))
        end = delimit_bmp(bytes, size);
    else if (bytes[0] == 'P' && (bytes[1] == 'F' || bytes[1] == 'f') && isspace(bytes[2]))
        end = delimit_pfm(bytes, size);
    else if (bytes[0] == 'P' && bytes[1] >= '4' && bytes[1] <= '6' && isspace(bytes[2]))
        end = delimit_pnm(bytes, size);
    return end <= size ? end : 0;
}
