/* Checks of PNG files before a decoder sees them.
 *
 * PNG decoders allocate the memory that a chunk declares, so declared sizes are compared with the file. They
 * also inflate texts and profiles, so that is done here first, without keeping the result. */
#include "say.h"
#include "vips_picture.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

/* Text, profiles and the like are far smaller. Pixels (IDAT) are streamed and may have any length. */
static const gint64 chunk_max = 16 << 20;

/* Bytes that all texts and profiles of a file may inflate to. */
static const guint64 inflated_max = 16 << 20;

enum { SIGNATURE = 8, HEAD = 8, CHECKSUM = 4 };

bool inspect_is_png(VipsSource *source)
{
    unsigned char *start = NULL;
    return vips_source_sniff_at_most(source, &start, SIGNATURE) == SIGNATURE &&
           !memcmp(start, "\211PNG\r\n\032\n", SIGNATURE);
}

/* ---- Compressed chunks --------------------------------------------------------------------------------- */

/* Bytes until after the next zero byte, or `size` without one. */
static size_t skip_text(const unsigned char *data, size_t size)
{
    const unsigned char *end = memchr(data, 0, size);
    return end ? (size_t)(end - data) + 1 : size;
}

/* Where the compressed part of a chunk begins; `size` for a chunk without one. */
static size_t find_compressed(const char *type, const unsigned char *data, size_t size)
{
    size_t at = skip_text(data, size); /* keyword, or name of the profile */
    if (!memcmp(type, "iTXt", 4)) {
        bool is_compressed = at < size && data[at] == 1;
        at = MIN(at + 2, size);                /* flag, method */
        at += skip_text(data + at, size - at); /* language */
        at += skip_text(data + at, size - at); /* keyword in that language */
        return is_compressed ? at : size;
    }
    return MIN(at + 1, size); /* method */
}

/* Bytes that a zlib stream inflates to; ends soon after `most`. Damaged data counts as far as it goes. */
static guint64 count_inflated(GConverter *inflater, const unsigned char *data, size_t size, guint64 most)
{
    GConverterResult result = G_CONVERTER_CONVERTED;
    guint64 count = 0;
    char discarded[1 << 14];
    g_converter_reset(inflater);
    while (result == G_CONVERTER_CONVERTED && count <= most) {
        gsize used = 0, made = 0;
        result = g_converter_convert(inflater, data, size, discarded, sizeof discarded,
                                     G_CONVERTER_INPUT_AT_END, &used, &made, NULL);
        if (result == G_CONVERTER_ERROR)
            break;
        data += used;
        size -= used;
        count += made;
    }
    return count;
}

/* ---- Chunks -------------------------------------------------------------------------------------------- */

/* A walk over the chunks of a file. */
struct walk {
    const char *name; /* of the file */
    VipsSource *source;
    GConverter *inflater;
    guint64 inflated; /* bytes so far */
};

static bool read_bytes(VipsSource *source, gint64 offset, unsigned char *bytes, gint64 count)
{
    if (vips_source_seek(source, offset, SEEK_SET) != offset)
        return false;
    for (gint64 got = 0, more; got < count; got += more) {
        more = vips_source_read(source, bytes + got, (size_t)(count - got));
        if (more <= 0)
            return false;
    }
    return true;
}

/* Adds what a chunk inflates to; false and an error when it is too much for the file. */
static bool check_inflated(struct walk *walk, const char *type, gint64 offset, gint64 length)
{
    if (memcmp(type, "zTXt", 4) && memcmp(type, "iTXt", 4) && memcmp(type, "iCCP", 4))
        return true;
    unsigned char *data = malloc((size_t)length + 1);
    if (!data) {
        say_error("%s: out of memory", walk->name);
        return false;
    }
    if (read_bytes(walk->source, offset, data, length)) {
        size_t at = find_compressed(type, data, (size_t)length);
        walk->inflated += count_inflated(walk->inflater, data + at, (size_t)length - at,
                                         inflated_max - walk->inflated);
    }
    free(data);
    if (walk->inflated > inflated_max)
        say_error("%s: its texts and profiles inflate to more than 16 MB; remove them first", walk->name);
    return walk->inflated <= inflated_max;
}

static bool check_chunks(struct walk *walk)
{
    unsigned char head[HEAD];
    const char *type = (const char *)head + 4;
    gint64 size = vips_source_length(walk->source), offset = SIGNATURE;
    while (offset <= size - HEAD && read_bytes(walk->source, offset, head, HEAD) && memcmp(type, "IEND", 4)) {
        gint64 length = (gint64)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        bool is_pixels = !memcmp(type, "IDAT", 4), lies = length > size - offset - HEAD - CHECKSUM;
        if (!is_pixels && (lies || length > chunk_max)) {
            say_error("%s: damaged or truncated: chunk '%.4s' declares %lld bytes, %s", walk->name, type,
                      (long long)length, lies ? "more than the file has" : "more than 16 MB");
            return false;
        }
        if (!is_pixels && !check_inflated(walk, type, offset + HEAD, length))
            return false;
        offset += HEAD + length + CHECKSUM;
    }
    return true;
}

bool inspect_png(const char *name, VipsSource *source)
{
    struct walk walk = { name, source, G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB)),
                         0 };
    bool fine = check_chunks(&walk);
    g_object_unref(walk.inflater);
    return fine && vips_source_rewind(source) == 0;
}
