/* Checks of TIFF and GIF files before a decoder sees them.
 *
 * Raw files of cameras are TIFF files whose first picture is a thumbnail; libvips would read that. libtiff reads
 * the values of all tags, which may overlap, so that a small file would need any amount of memory. Both libraries
 * take the first page that they cannot read for the end. */
#include "delimit.h"
#include "say.h"
#include "vips_picture.h"

#include <string.h>

/* libtiff refuses directories with more entries. */
enum { SUBFILE_TYPE = 254, SUBFILES = 330, REDUCED = 1, ENTRIES_MAX = 4096, ALL_ENTRIES_MAX = 1 << 20 };

/* Tags that tell how pixels are stored. */
enum { COMPRESSION = 259, TILE_WIDTH = 322, TILE_HEIGHT = 323 };

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

/* What a directory declares. */
struct directory {
    guint64 next; /* offset of the next one; 0 for the last; beyond any file where it cannot be read */
    guint64 entries;
    bool reduced, has_subfiles; /* a reduced copy of a picture; pictures in subdirectories */
    guint64 values;             /* bytes of all values that lie in the file */
    struct tiff_storage storage;
};

/* Bytes of a value that does not fit into its entry; 0 for others, and for those beyond the end of the file,
 * which libtiff ignores. */
static guint64 value_size(const struct layout *layout, const unsigned char *entry, guint64 file)
{
    static const unsigned char sizes[] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8 };
    guint64 type = read_number(layout, entry + 2, 2),
            count = read_number(layout, entry + 4, layout->wide ? 8 : 4);
    guint64 size = type < sizeof sizes ? sizes[type] : 0;
    if (size == 0 || count > file / size)
        return 0;
    size *= count;
    return size > (layout->wide ? 8 : 4) ? size : 0;
}

/* Takes a tag that tells how pixels are stored. */
static void take_storage(struct tiff_storage *storage, guint64 tag, guint64 value)
{
    int number = value < G_MAXINT ? (int)value : 0;
    switch (tag) {
    case COMPRESSION: storage->compression = number; break;
    case TILE_WIDTH: storage->tile_width = number; break;
    case TILE_HEIGHT: storage->tile_height = number; break;
    default: break;
    }
}

static bool read_directory(VipsSource *source, const struct layout *layout, guint64 offset,
                           struct directory *directory)
{
    unsigned char bytes[20];
    int width = layout->wide ? 8 : 4, counter = layout->wide ? 8 : 2, entry = layout->wide ? 20 : 12;
    guint64 file = (guint64)vips_source_length(source);
    *directory = (struct directory){ 0 };
    if (!read_bytes(source, offset, bytes, counter))
        return false;
    guint64 count = read_number(layout, bytes, counter);
    offset += (guint64)counter;
    for (; directory->entries < count && directory->entries < ENTRIES_MAX; directory->entries++) {
        if (!read_bytes(source, offset, bytes, entry))
            return false;
        guint64 tag = read_number(layout, bytes, 2);
        int size = read_number(layout, bytes + 2, 2) == 3 ? 2 : 4; /* SHORT or LONG */
        guint64 value = read_number(layout, bytes + entry - width, size);
        bool reduced = tag == SUBFILE_TYPE && (value & REDUCED);
        take_storage(&directory->storage, tag, value);
        directory->reduced = directory->reduced || reduced;
        directory->has_subfiles = directory->has_subfiles || tag == SUBFILES;
        directory->values += value_size(layout, bytes, file);
        offset += (guint64)entry;
    }
    directory->next = read_bytes(source, offset, bytes, width) ? read_number(layout, bytes, width)
                                                               : G_MAXUINT64;
    return true;
}

/* Checks every directory, because libtiff reads all of them to count the pages, and counts those that the file
 * announces. */
static bool check_values(const char *name, VipsSource *source, const struct layout *layout, guint64 offset,
                         int *pages)
{
    guint64 file = (guint64)vips_source_length(source), entries = 0;
    struct directory directory = { 0 };
    for (*pages = offset > 0; offset && read_directory(source, layout, offset, &directory);
         *pages += offset > 0) {
        entries += directory.entries + 1;
        if (directory.values > file || entries > ALL_ENTRIES_MAX)
            break;
        offset = directory.next;
        directory.values = 0;
    }
    if (entries > ALL_ENTRIES_MAX)
        say_error("%s: damaged TIFF: has more than a million tags", name);
    else if (directory.values > file)
        say_error("%s: damaged TIFF: the values of its tags overlap and make %.3g GB", name,
                  (double)directory.values / 1e9);
    return entries <= ALL_ENTRIES_MAX && directory.values <= file;
}

bool inspect_tiff(const char *name, VipsSource *source, int *pages, struct tiff_storage *storage)
{
    unsigned char head[10];
    if (!read_bytes(source, 0, head, sizeof head))
        return true; /* too short for a picture; the decoder will fail */
    struct layout layout = { .big_endian = head[0] == 'M' };
    layout.wide = read_number(&layout, head + 2, 2) == 43;
    struct directory directory = { 0 };
    unsigned char first[8];
    int width = layout.wide ? 8 : 4;
    guint64 offset = read_bytes(source, (guint64)width, first, width) ? read_number(&layout, first, width)
                                                                      : 0;
    bool canon = !memcmp(head + 8, "CR", 2) && read_number(&layout, head + 4, 4) == 16;
    bool is_read = offset && read_directory(source, &layout, offset, &directory);
    *storage = directory.storage;
    bool raw = canon || (is_read && directory.reduced && directory.has_subfiles);
    if (raw)
        say_error(
            "%s: is a raw file of a camera, of which only a preview could be read; convert it to TIFF first",
            name);
    bool fine = !raw && check_values(name, source, &layout, offset, pages);
    vips_error_clear();
    return fine && vips_source_rewind(source) == 0;
}

bool inspect_gif(const char *name, VipsSource *source, bool *is_sound)
{
    size_t size = 0;
    const unsigned char *bytes = vips_source_map(source, &size);
    size_t end = bytes ? delimit_gif_blocks(bytes, size) : 0;
    *is_sound = end < size && bytes[end] == GIF_TRAILER;
    if (end > size)
        say_error("%s: damaged or truncated: ends inside a frame", name);
    return end <= size && vips_source_rewind(source) == 0;
}
