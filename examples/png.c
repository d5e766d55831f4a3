/* Writes PNG files: row filters (PNG specification, section 9), a greedy deflate with the fixed codes of RFC
 * 1951, and the two checksums. It favours simplicity over compression. */
#include "png.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PIXEL = 3,          /* bytes */
    SIDE_MAX = 1 << 14, /* keeps every size below 2^31 */
    WINDOW = 1 << 15,   /* how far back deflate may refer */
    HASHES = 1 << 15,
    MATCH_MIN = 3,
    MATCH_MAX = 258
};

/* A bit stream; bits enter at the low end. `bytes` is allocated for the worst case. */
struct bits {
    uint8_t *bytes;
    size_t length;
    uint32_t pending;
    int count; /* bits in pending, fewer than 8 between calls */
};

static void put_bits(struct bits *out, uint32_t value, int count)
{
    out->pending |= value << out->count;
    for (out->count += count; out->count >= 8; out->count -= 8) {
        out->bytes[out->length++] = (uint8_t)out->pending;
        out->pending >>= 8;
    }
}

/* Huffman codes enter with their most significant bit first. */
static void put_code(struct bits *out, uint32_t code, int count)
{
    uint32_t reversed = 0;
    for (int i = 0; i < count; i++)
        reversed |= (code >> i & 1) << (count - 1 - i);
    put_bits(out, reversed, count);
}

/* Writes the fixed code of a literal byte (0 … 255), the end (256) or a length (257 … 285). */
static void put_symbol(struct bits *out, int symbol)
{
    if (symbol < 144)
        put_code(out, (uint32_t)(0x30 + symbol), 8);
    else if (symbol < 256)
        put_code(out, (uint32_t)(0x190 + symbol - 144), 9);
    else if (symbol < 280)
        put_code(out, (uint32_t)(symbol - 256), 7);
    else
        put_code(out, (uint32_t)(0xc0 + symbol - 280), 8);
}

/* Lengths and distances have the same kind of code: classes of 2^extra values, with `group` classes for each
 * extra. Finds the class of `value`, counted from 0, its first value and its number of extra bits. */
static int find_class(int value, int group, int *first, int *extra)
{
    int index = 0;
    *first = 0;
    *extra = 0;
    while (value >= *first + (1 << *extra)) {
        *first += 1 << *extra;
        index++;
        if (index >= 2 * group && index % group == 0)
            ++*extra;
    }
    return index;
}

static void put_match(struct bits *out, int length, int distance)
{
    int first, extra;
    int index = find_class(length - MATCH_MIN, 4, &first, &extra);
    if (length == MATCH_MAX) { /* has a separate class */
        put_symbol(out, 285);
    } else {
        put_symbol(out, 257 + index);
        put_bits(out, (uint32_t)(length - MATCH_MIN - first), extra);
    }
    index = find_class(distance - 1, 2, &first, &extra);
    put_code(out, (uint32_t)index, 5);
    put_bits(out, (uint32_t)(distance - 1 - first), extra);
}

static int match_length(const uint8_t *a, const uint8_t *b, size_t limit)
{
    size_t length = 0;
    while (length < limit && length < MATCH_MAX && a[length] == b[length])
        length++;
    return (int)length;
}

static size_t hash_bytes(const uint8_t *bytes)
{
    uint32_t three = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    return three * 2654435761u >> 17;
}

/* Writes one deflate block of fixed codes. `last` has HASHES entries,
 * initially zero: the position + 1 at which each hash occurred last. */
static void deflate(struct bits *out, const uint8_t *data, size_t size, uint32_t *last)
{
    put_bits(out, 1, 1); /* the last block */
    put_bits(out, 1, 2); /* of fixed codes */
    for (size_t i = 0; i < size;) {
        int length = 0;
        size_t from = 0;
        if (i + MATCH_MIN <= size) {
            uint32_t *place = &last[hash_bytes(data + i)];
            from = *place;
            *place = (uint32_t)i + 1;
            if (from && i + 1 - from < WINDOW)
                length = match_length(data + from - 1, data + i, size - i);
        }
        if (length < MATCH_MIN) {
            put_symbol(out, data[i++]);
        } else {
            put_match(out, length, (int)(i + 1 - from));
            i += (size_t)length;
        }
    }
    put_symbol(out, 256);
    put_bits(out, 0, 7); /* fill the last byte */
}

static uint32_t adler32(const uint8_t *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t crc32(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static int paeth(int left, int up, int corner)
{
    int guess = left + up - corner;
    int to_left = abs(guess - left), to_up = abs(guess - up), to_corner = abs(guess - corner);
    if (to_left <= to_up && to_left <= to_corner)
        return left;
    return to_up <= to_corner ? up : corner;
}

/* Writes the row filtered by `type` and returns the sum of
 * absolute values, which estimates the compressed size. */
static long filter_row(int type, const uint8_t *row, const uint8_t *above, int bytes, uint8_t *out)
{
    long sum = 0;
    for (int i = 0; i < bytes; i++) {
        int left = i < PIXEL ? 0 : row[i - PIXEL];
        int up = above ? above[i] : 0;
        int corner = above && i >= PIXEL ? above[i - PIXEL] : 0;
        int guess = type == 1 ? left : type == 2 ? up : paeth(left, up, corner);
        out[i] = (uint8_t)(row[i] - guess);
        sum += abs((int8_t)out[i]);
    }
    return sum;
}

/* Writes each row as the number of its filter and the filtered bytes, with the best of Sub, Up and Paeth. */
static void filter_rows(int height, int bytes, const uint8_t *rgb, uint8_t *out)
{
    static const int types[] = { 1, 2, 4 };
    for (int y = 0; y < height; y++, out += bytes + 1) {
        const uint8_t *row = rgb + (size_t)y * (size_t)bytes;
        const uint8_t *above = y ? row - bytes : NULL;
        int best = 0;
        long least = filter_row(types[0], row, above, bytes, out + 1);
        for (int i = 1; i < 3; i++) {
            long sum = filter_row(types[i], row, above, bytes, out + 1);
            if (sum < least) {
                least = sum;
                best = i;
            }
        }
        filter_row(types[best], row, above, bytes, out + 1);
        out[0] = (uint8_t)types[best];
    }
}

static void put_big_endian(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool write_chunk(FILE *file, const char *name, const uint8_t *data, size_t size)
{
    uint8_t head[8], tail[4];
    put_big_endian(head, (uint32_t)size);
    memcpy(head + 4, name, 4);
    put_big_endian(tail, crc32(crc32(0, head + 4, 4), data, size));
    return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, size, file) == size &&
           fwrite(tail, 1, 4, file) == 4;
}

static const char *write_png(const char *path, int width, int height, const uint8_t *data, size_t size)
{
    static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t header[13] = { [8] = 8, [9] = 2 }; /* 8 bits, red green blue */
    put_big_endian(header, (uint32_t)width);
    put_big_endian(header + 4, (uint32_t)height);
    FILE *file = fopen(path, "wb");
    if (!file)
        return strerror(errno);
    bool written = fwrite(signature, 1, 8, file) == 8 && write_chunk(file, "IHDR", header, sizeof header) &&
                   write_chunk(file, "IDAT", data, size) && write_chunk(file, "IEND", header, 0);
    struct stat status;
    bool removable = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode); /* unlike /dev/full */
    if (fclose(file) == 0 && written)
        return NULL;
    const char *reason = strerror(errno);
    if (removable)
        remove(path);
    return reason;
}

const char *png_write(const char *path, int width, int height, const uint8_t *rgb)
{
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX)
        return "the picture is empty or too large";
    size_t size = ((size_t)width * PIXEL + 1) * (size_t)height;
    uint8_t *rows = malloc(size);
    uint32_t *last = calloc(HASHES, sizeof *last);
    struct bits out = { .bytes = malloc(size / 8 * 9 + 64) }; /* a literal takes 9 bits at most */
    const char *reason = "out of memory";
    if (rows && last && out.bytes) {
        filter_rows(height, width * PIXEL, rgb, rows);
        put_bits(&out, 0x0178, 16); /* zlib's header: a window of 32 KiB, no dictionary */
        deflate(&out, rows, size, last);
        put_big_endian(out.bytes + out.length, adler32(rows, size));
        reason = write_png(path, width, height, out.bytes, out.length + 4);
    }
    free(out.bytes);
    free(last);
    free(rows);
    return reason;
}
