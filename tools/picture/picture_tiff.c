/* Raw files of cameras, which are TIFF too: the first picture in them is a thumbnail, and nobody asked for that. */
#include "picture_parts.h"
#include "say.h"

#include <string.h>

enum { SUBFILE_TYPE = 254, SUBFILES = 330, REDUCED = 1, ENTRIES_MAX = 1024 };

/* How numbers and directories lie in a TIFF, classic or big. */
struct layout {
    bool big_endian, wide;
};

static guint64 number(const struct layout *layout, const unsigned char *bytes, int count)
{
    guint64 value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[layout->big_endian ? i : count - 1 - i];
    return value;
}

static bool bytes_at(VipsSource *source, guint64 offset, unsigned char *bytes, int count)
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

/* Whether the first directory calls its picture a smaller copy of one that lies in a directory below it. */
static bool starts_with_thumbnail(VipsSource *source, const struct layout *layout)
{
    unsigned char bytes[20];
    int width = layout->wide ? 8 : 4, counter = layout->wide ? 8 : 2, entry = layout->wide ? 20 : 12;
    if (!bytes_at(source, (guint64)width, bytes, width))
        return false;
    guint64 offset = number(layout, bytes, width);
    if (!bytes_at(source, offset, bytes, counter))
        return false;
    guint64 count = number(layout, bytes, counter);
    bool reduced = false, below = false;
    offset += (guint64)counter;
    for (guint64 i = 0; i < count && i < ENTRIES_MAX; i++, offset += (guint64)entry) {
        if (!bytes_at(source, offset, bytes, entry))
            return false;
        guint64 tag = number(layout, bytes, 2);
        int size = number(layout, bytes + 2, 2) == 3 ? 2 : 4; /* SHORT or LONG */
        reduced = reduced || (tag == SUBFILE_TYPE && (number(layout, bytes + entry - width, size) & REDUCED));
        below = below || tag == SUBFILES;
    }
    return reduced && below;
}

bool picture_tiff_check(const char *name, VipsSource *source)
{
    unsigned char head[10];
    if (!bytes_at(source, 0, head, sizeof head))
        return true; /* too short for a picture, as will be said */
    struct layout layout = { .big_endian = head[0] == 'M' };
    layout.wide = number(&layout, head + 2, 2) == 43;
    bool canon = !memcmp(head + 8, "CR", 2) && number(&layout, head + 4, 4) == 16;
    bool raw = canon || starts_with_thumbnail(source, &layout);
    vips_error_clear();
    if (raw)
        say_error("%s: is the raw file of a camera, of which only a preview could be read; develop it first",
                  name);
    return !raw && vips_source_rewind(source) == 0;
}
