/* BMP files of Windows and OS/2: uncompressed pictures of 1, 4, 8, 16, 24 and 32 bits are read; 8, 24 and, with
 * alpha, 32 bits are written.
 *
 *     file header     "BM", size, offset of the pixels
 *     picture header  its size tells its version; width, height (negative: the top row comes first), bits
 *     masks           of the channels, where `compression` says so
 *     palette         blue, green, red and, except in the oldest version, a spare byte
 *     pixels          rows, padded to four bytes
 */
#include "bitmap.h"
#include "rows.h"

#include <string.h>

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, HEADER_5 = 124, HEADER_MAX = 128 };
enum { UNCOMPRESSED = 0, BY_MASKS = 3, BY_ALPHA_MASKS = 6 };
enum { RED, GREEN, BLUE, ALPHA };

struct bitmap {
    struct rows rows; /* first, so that decoders find the rest */
    int bits;
    guint32 masks[4]; /* of red, green, blue and alpha; 0: none */
    unsigned char palette[256][3];
};

static guint32 number_at(const unsigned char *bytes, int count)
{
    guint32 value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static void decode_palette(const struct rows *rows, const unsigned char *from, void *to)
{
    const struct bitmap *bitmap = (const struct bitmap *)rows;
    unsigned char *pixel = to;
    int bits = bitmap->bits, mask = (1 << bits) - 1;
    for (int x = 0; x < rows->width; x++, pixel += rows->channels) {
        gint64 at = (gint64)x * bits;
        int index = from[at / 8] >> (8 - bits - (int)(at % 8)) & mask;
        memcpy(pixel, bitmap->palette[index], (size_t)rows->channels);
    }
}

static void decode_24_bits(const struct rows *rows, const unsigned char *from, void *to)
{
    unsigned char *pixel = to;
    for (int x = 0; x < rows->width; x++, pixel += 3, from += 3)
        pixel[RED] = from[2], pixel[GREEN] = from[1], pixel[BLUE] = from[0];
}

/* The bits of a mask as a number from 0 to 255. */
static unsigned char scale_masked(guint32 value, guint32 mask)
{
    if (mask == 0)
        return 0;
    int shift = __builtin_ctz(mask);
    guint64 most = mask >> shift, part = (value & mask) >> shift;
    return (unsigned char)((part * 255 + most / 2) / most);
}

static void decode_masks(const struct rows *rows, const unsigned char *from, void *to)
{
    const struct bitmap *bitmap = (const struct bitmap *)rows;
    unsigned char *pixel = to;
    int bytes = bitmap->bits / 8;
    for (int x = 0; x < rows->width; x++, from += bytes)
        for (int c = 0; c < rows->channels; c++)
            *pixel++ = scale_masked(number_at(from, bytes), bitmap->masks[c]);
}

/* ---- Headers ------------------------------------------------------------------------------------------- */

static bool fail_bmp(const char *reason)
{
    vips_error("bmp", "%s", reason);
    return false;
}

/* Masks are runs of bits, without common bits. */
static bool check_masks(const struct bitmap *bitmap)
{
    guint32 used = 0;
    for (int c = 0; c < 4; c++) {
        guint64 mask = bitmap->masks[c], run = mask ? (mask >> __builtin_ctz((unsigned)mask)) + 1 : 0;
        if ((run & (run - 1)) != 0 || (mask & used) || (bitmap->bits == 16 && mask > 0xFFFF))
            return false;
        used |= (guint32)mask;
    }
    return bitmap->masks[RED] && bitmap->masks[GREEN] && bitmap->masks[BLUE];
}

/* Masks follow a picture header of 40 bytes, and are part of later ones, at the same place. */
static bool read_masks(VipsSource *source, struct bitmap *bitmap, guint32 header, guint32 compression)
{
    static const guint32 usual[2][4] = { { 0x7C00, 0x3E0, 0x1F, 0 }, { 0xFF0000, 0xFF00, 0xFF, 0 } };
    unsigned char bytes[16] = { 0 };
    bool has_alpha = compression == BY_ALPHA_MASKS || header >= 56;
    memcpy(bitmap->masks, usual[bitmap->bits == 32], sizeof bitmap->masks);
    if (compression == UNCOMPRESSED)
        return true;
    if (!rows_read(source, FILE_HEADER + INFO_HEADER, bytes, has_alpha ? 16 : 12))
        return fail_bmp("the file ends in its header");
    for (int c = 0; c < 4; c++)
        bitmap->masks[c] = number_at(bytes + 4 * c, 4);
    return check_masks(bitmap) || fail_bmp("its masks are damaged");
}

/* Entries that the file does not have stay black. A palette of greys makes a grey picture. */
static void read_palette(VipsSource *source, struct bitmap *bitmap, guint64 place, guint32 count,
                         size_t entry)
{
    unsigned char bytes[4];
    bool grey = true;
    for (guint32 i = 0; i < MIN(count, 256) && rows_read(source, place + i * entry, bytes, entry); i++) {
        unsigned char *colour = bitmap->palette[i];
        colour[RED] = bytes[2], colour[GREEN] = bytes[1], colour[BLUE] = bytes[0];
        grey = grey && bytes[0] == bytes[1] && bytes[1] == bytes[2];
    }
    bitmap->rows.channels = grey ? 1 : 3;
    bitmap->rows.decode = decode_palette;
}

/* Chooses how pixels are decoded. `header` is the size of the picture header. */
static bool read_colours(VipsSource *source, struct bitmap *bitmap, guint32 header, guint32 compression,
                         guint32 used)
{
    bool is_core = header == CORE_HEADER;
    int bits = bitmap->bits;
    bool masked = (compression == BY_MASKS || compression == BY_ALPHA_MASKS) && (bits == 16 || bits == 32);
    if (compression != UNCOMPRESSED && !masked)
        return fail_bmp("compressed BMP files cannot be read; save it as PNG or without compression");
    bitmap->rows.channels = 3;
    switch (bits) {
    case 1:
    case 2:
    case 4:
    case 8:
        read_palette(source, bitmap, FILE_HEADER + (guint64)header, used ? used : 1u << bits,
                     is_core ? 3 : 4);
        return true;
    case 16:
    case 32:
        if (!read_masks(source, bitmap, header, compression))
            return false;
        bitmap->rows.channels = bitmap->masks[ALPHA] ? 4 : 3;
        bitmap->rows.decode = decode_masks;
        return true;
    case 24: bitmap->rows.decode = decode_24_bits; return true;
    default: return fail_bmp("it declares a number of bits that BMP does not have");
    }
}

/* Reads both headers. */
static bool read_headers(VipsSource *source, struct bitmap *bitmap)
{
    unsigned char bytes[FILE_HEADER + INFO_HEADER] = { 0 };
    if (!rows_read(source, 0, bytes, FILE_HEADER + CORE_HEADER))
        return fail_bmp("the file ends in its header");
    const unsigned char *head = bytes + FILE_HEADER;
    guint32 header = number_at(head, 4);
    bool is_core = header == CORE_HEADER;
    if (!is_core && (header < INFO_HEADER || header > HEADER_MAX))
        return fail_bmp("its header has an unknown version");
    if (!is_core && !rows_read(source, 0, bytes, sizeof bytes))
        return fail_bmp("the file ends in its header");
    gint64 width = is_core ? (gint64)number_at(head + 4, 2) : (gint32)number_at(head + 4, 4);
    gint64 height = is_core ? (gint64)number_at(head + 6, 2) : (gint32)number_at(head + 8, 4);
    bitmap->rows.from_bottom = height > 0;
    height = ABS(height);
    if (width < 1 || height < 1 || width > G_MAXINT / 4 || height > G_MAXINT / 4)
        return fail_bmp("its size is impossible");
    bitmap->bits = (int)number_at(head + (is_core ? 10 : 14), 2);
    bitmap->rows.width = (int)width;
    bitmap->rows.height = (int)height;
    bitmap->rows.first = number_at(bytes + 10, 4);
    bitmap->rows.size = ((guint64)width * (guint64)bitmap->bits + 31) / 32 * 4;
    return read_colours(source, bitmap, header, is_core ? UNCOMPRESSED : number_at(head + 16, 4),
                        is_core ? 0 : number_at(head + 32, 4));
}

VipsImage *bmp_load(VipsSource *source)
{
    struct bitmap bitmap = { .rows = { .samples = VIPS_FORMAT_UCHAR } };
    if (!read_headers(source, &bitmap))
        return NULL;
    bool grey = bitmap.rows.channels == 1;
    bitmap.rows.colours = grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    return rows_image(source, &bitmap.rows, sizeof bitmap);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Bytes of a pixel in the file: grey 1, colours 3, with alpha 4. */
static int pixel_bytes(const VipsImage *image)
{
    return image->Bands == 2 ? 4 : image->Bands;
}

static void encode_row(const VipsImage *image, const void *from, unsigned char *to)
{
    const unsigned char *pixel = from;
    int bands = image->Bands, bytes = pixel_bytes(image);
    for (int x = 0; x < image->Xsize; x++, pixel += bands, to += bytes) {
        to[0] = pixel[bands > 2 ? BLUE : 0];
        if (bytes > 1)
            to[1] = pixel[bands > 2 ? GREEN : 0], to[2] = pixel[0];
        if (bytes > 3)
            to[3] = pixel[bands - 1];
    }
}

static void put_number(unsigned char *bytes, guint32 value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

/* Fills the headers, and the palette of a grey picture; returns their size. */
static size_t fill_headers(const VipsImage *image, guint32 pixels,
                           unsigned char bytes[FILE_HEADER + HEADER_5 + 1024])
{
    static const guint32 masks[4] = { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 };
    int pixel = pixel_bytes(image);
    bool has_alpha = pixel == 4, grey = pixel == 1;
    size_t header = has_alpha ? HEADER_5 : INFO_HEADER, start = FILE_HEADER + header + (grey ? 1024 : 0);
    unsigned char *head = bytes + FILE_HEADER;
    memcpy(bytes, "BM", 2);
    put_number(bytes + 2, (guint32)start + pixels, 4);
    put_number(bytes + 10, (guint32)start, 4);
    put_number(head, (guint32)header, 4);
    put_number(head + 4, (guint32)image->Xsize, 4);
    put_number(head + 8, (guint32)image->Ysize, 4);
    put_number(head + 12, 1, 2);
    put_number(head + 14, 8 * (guint32)pixel, 2);
    put_number(head + 16, has_alpha ? BY_MASKS : UNCOMPRESSED, 4);
    put_number(head + 20, pixels, 4);
    put_number(head + 24, (guint32)(CLAMP(image->Xres, 0, 1e6) * 1000 + 0.5), 4);
    put_number(head + 28, (guint32)(CLAMP(image->Yres, 0, 1e6) * 1000 + 0.5), 4);
    put_number(head + 32, grey ? 256 : 0, 4);
    for (int c = 0; c < 4 && has_alpha; c++)
        put_number(head + 40 + 4 * c, masks[c], 4);
    if (has_alpha)
        memcpy(head + 56, "BGRs", 4); /* sRGB, as a number */
    for (int i = 0; i < 256 && grey; i++)
        memset(head + header + 4 * i, i, 3);
    return start;
}

bool bmp_save(VipsImage *image, VipsTarget *target)
{
    unsigned char bytes[FILE_HEADER + HEADER_5 + 1024] = { 0 };
    guint64 row = ((guint64)image->Xsize * (guint64)pixel_bytes(image) + 3) / 4 * 4;
    if (row * (guint64)image->Ysize > G_MAXUINT32 - sizeof bytes)
        return fail_bmp("a BMP has at most 4 GB");
    size_t size = fill_headers(image, (guint32)(row * (guint64)image->Ysize), bytes);
    return vips_target_write(target, bytes, size) == 0 && rows_write(image, target, (size_t)row, encode_row);
}
