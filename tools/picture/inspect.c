/* Checks of PNG and TIFF files before a decoder sees them.
 *
 * PNG decoders allocate the memory that a chunk declares, so declared sizes are compared with the file. Raw
 * files of cameras are TIFF files whose first picture is a thumbnail; libvips would read that. */
#include "say.h"
#include "vips_picture.h"

#include <string.h>

/* ---- PNG ----------------------------------------------------------------------------------------------- */

/* Text, profiles and the like are far smaller. Pixels (IDAT) are streamed and may have any length. */
static const gint64 chunk_max = 16 << 20;

enum { SIGNATURE = 8, HEAD = 8, CHECKSUM = 4 };

bool inspect_is_png(VipsSource *source)
{
    unsigned char *start = NULL;
    return vips_source_sniff_at_most(source, &start, SIGNATURE) == SIGNATURE &&
           !memcmp(start, "\211PNG\r\n\032\n", SIGNATURE);
}

static bool read_head(VipsSource *source, gint64 offset, unsigned char head[HEAD])
{
    return vips_source_seek(source, offset, SEEK_SET) == offset &&
           vips_source_read(source, head, HEAD) == HEAD;
}

bool inspect_png(const char *name, VipsSource *source)
{
    unsigned char head[HEAD];
    const char *type = (const char *)head + 4;
    gint64 size = vips_source_length(source), offset = SIGNATURE;
    while (offset <= size - HEAD && read_head(source, offset, head) && memcmp(type, "IEND", 4)) {
        gint64 length = (gint64)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        bool lies = length > size - offset - HEAD - CHECKSUM;
        if (memcmp(type, "IDAT", 4) && (lies || length > chunk_max)) {
            say_error("%s: damaged or truncated: chunk '%.4s' declares %lld bytes, %s", name, type,
                      (long long)length, lies ? "more than the file has" : "more than 16 MB");
            return false;
        }
        offset += HEAD + length + CHECKSUM;
    }
    return vips_source_rewind(source) == 0;
}

/* ---- TIFF ---------------------------------------------------------------------------------------------- */

enum { SUBFILE_TYPE = 254, SUBFILES = 330, REDUCED = 1, ENTRIES_MAX = 1024 };

/* Byte order and kind of a TIFF file. */
struct layout {
    bool big_endian;
    bool wide; /* BigTIFF: 64-bit offsets */
};

bool inspect_is_tiff(VipsSource *source)
{
    static const char *const marks[] = { "II*\0", "MM\0*", "II+\0", "MM\0+" };
    unsigned char *start = NULL;
    bool found = false;
    if (vips_source_sniff_at_most(source, &start, 4) == 4)
        for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
            found = found || !memcmp(start, marks[i], 4);
    return found;
}

static guint64 read_number(const struct layout *layout, const unsigned char *bytes, int count)
{
    guint64 value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[layout->big_endian ? i : count - 1 - i];
    return value;
}

static bool read_bytes(VipsSource *source, guint64 offset, unsigned char *bytes, int count)
{
    if (offset > G_MAXINT64 || vips_source_seek(source, (gint64)offset, SEEK_SET) != (gint64)offset)
        return false;
    for (gint64 got = 0, more; got < count; got += more) {
        more = vips_source_read(source, bytes + got, (size_t)(count - got));
        if (more <= 0)
            return false;
    }
    return true;
}

/* Whether the first directory declares a reduced copy of a picture in one of its subdirectories. */
static bool starts_with_thumbnail(VipsSource *source, const struct layout *layout)
{
    unsigned char bytes[20];
    int width = layout->wide ? 8 : 4, counter = layout->wide ? 8 : 2, entry = layout->wide ? 20 : 12;
    if (!read_bytes(source, (guint64)width, bytes, width))
        return false;
    guint64 offset = read_number(layout, bytes, width);
    if (!read_bytes(source, offset, bytes, counter))
        return false;
    guint64 count = read_number(layout, bytes, counter);
    bool reduced = false, has_subfiles = false;
    offset += (guint64)counter;
    for (guint64 i = 0; i < count && i < ENTRIES_MAX; i++, offset += (guint64)entry) {
        if (!read_bytes(source, offset, bytes, entry))
            return false;
        guint64 tag = read_number(layout, bytes, 2);
        int size = read_number(layout, bytes + 2, 2) == 3 ? 2 : 4; /* SHORT or LONG */
        reduced = reduced ||
                  (tag == SUBFILE_TYPE && (read_number(layout, bytes + entry - width, size) & REDUCED));
        has_subfiles = has_subfiles || tag == SUBFILES;
    }
    return reduced && has_subfiles;
}

bool inspect_tiff(const char *name, VipsSource *source)
{
    unsigned char head[10];
    if (!read_bytes(source, 0, head, sizeof head))
        return true; /* too short for a picture; the decoder will fail */
    struct layout layout = { .big_endian = head[0] == 'M' };
    layout.wide = read_number(&layout, head + 2, 2) == 43;
    bool canon = !memcmp(head + 8, "CR", 2) && read_number(&layout, head + 4, 4) == 16;
    bool raw = canon || starts_with_thumbnail(source, &layout);
    vips_error_clear();
    if (raw)
        say_error(
            "%s: is a raw file of a camera, of which only a preview could be read; convert it to TIFF first",
            name);
    return !raw && vips_source_rewind(source) == 0;
}
