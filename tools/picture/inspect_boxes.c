/* Metadata in the boxes of files: refuses HEIF and AVIF files where they are compressed, and finds those of JPEG
 * XL and JPEG 2000.
 *
 * libheif inflates compressed items, whatever their size, when it opens a file. Hardly any program writes
 * them. */
#include "say.h"
#include "vips_picture.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a box named "meta", which lists the items of a file; their data lies elsewhere. */
static const guint64 meta_max = 16 << 20;

/* What remains of some boxes in memory. */
struct boxes {
    const unsigned char *at, *end;
};

static guint64 big_number(const unsigned char *bytes, int count)
{
    guint64 value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* The content of the next box, NULL after the last one and for damaged ones. */
static const unsigned char *next_box(struct boxes *boxes, const char **type, const unsigned char **end)
{
    size_t left = (size_t)(boxes->end - boxes->at), head = 8;
    if (left < head)
        return NULL;
    guint64 size = big_number(boxes->at, 4);
    *type = (const char *)boxes->at + 4;
    if (size == 1 && left >= 16) {
        head = 16;
        size = big_number(boxes->at + 8, 8);
    } else if (size == 0) {
        size = left;
    }
    if (size < head || size > left)
        return NULL;
    const unsigned char *content = boxes->at + head;
    boxes->at += size;
    *end = boxes->at;
    return content;
}

static const unsigned char *skip_text(const unsigned char *at, const unsigned char *end)
{
    const unsigned char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    return zero ? zero + 1 : end;
}

/* Whether an entry of the list of items has a name for the compression of its data. */
static bool is_compressed_item(const unsigned char *at, const unsigned char *end)
{
    if (end - at < 4 || at[0] < 2)
        return false;
    at += 4 + (at[0] == 2 ? 2 : 4) + 2; /* version and flags; number; protection */
    if (end - at < 4 || memcmp(at, "mime", 4))
        return false;
    at = skip_text(skip_text(at + 4, end), end); /* name and kind of content */
    return at < end && *at;
}

static bool has_compressed_item(struct boxes meta)
{
    const char *type;
    const unsigned char *end, *content;
    while ((content = next_box(&meta, &type, &end))) {
        if (memcmp(type, "iinf", 4) || end - content < 8)
            continue;
        struct boxes items = { content + (content[0] ? 8 : 6), end }; /* version and flags; count */
        const unsigned char *entry, *entry_end;
        while ((entry = next_box(&items, &type, &entry_end)))
            if (!memcmp(type, "infe", 4) && is_compressed_item(entry, entry_end))
                return true;
    }
    return false;
}

static bool read_bytes(VipsSource *source, guint64 offset, unsigned char *bytes, guint64 count)
{
    if (offset > G_MAXINT64 || vips_source_seek(source, (gint64)offset, SEEK_SET) != (gint64)offset)
        return false;
    for (guint64 got = 0; got < count;) {
        gint64 more = vips_source_read(source, bytes + got, count - got);
        if (more <= 0)
            return false;
        got += (guint64)more;
    }
    return true;
}

static bool check_meta(const char *name, VipsSource *source, guint64 offset, guint64 size)
{
    unsigned char *bytes = size <= meta_max ? malloc(size + 1) : NULL;
    bool is_read = bytes && read_bytes(source, offset, bytes, size);
    bool compressed = is_read && size > 4 && has_compressed_item((struct boxes){ bytes + 4, bytes + size });
    free(bytes);
    if (size > meta_max)
        say_error("%s: damaged: its list of items has more than 16 MB", name);
    else if (!bytes)
        say_error("%s: out of memory", name);
    else if (compressed)
        say_error("%s: has compressed metadata, of which the size is not known before; remove it first",
                  name);
    return bytes && !compressed;
}

/* A box of a file: its name, and where its content and the next box begin. */
struct file_box {
    unsigned char type[4];
    guint64 content, end;
};

/* False behind the last box and for damaged ones, where the decoder fails. */
static bool read_box(VipsSource *source, guint64 file, guint64 offset, struct file_box *box)
{
    unsigned char head[16];
    if (offset + 8 > file || !read_bytes(source, offset, head, 8))
        return false;
    guint64 length = 8, size = big_number(head, 4);
    if (size == 1 && read_bytes(source, offset + 8, head + 8, 8)) {
        length = 16;
        size = big_number(head + 8, 8);
    } else if (size == 0) {
        size = file - offset;
    }
    memcpy(box->type, head + 4, sizeof box->type);
    box->content = offset + length;
    box->end = offset + size;
    return size >= length && size <= file - offset;
}

bool inspect_heif(const char *name, VipsSource *source)
{
    guint64 file = (guint64)vips_source_length(source);
    struct file_box box;
    for (guint64 offset = 0; read_box(source, file, offset, &box); offset = box.end)
        if (!memcmp(box.type, "meta", 4) && !check_meta(name, source, box.content, box.end - box.content))
            return false;
    vips_error_clear();
    return vips_source_rewind(source) == 0;
}

bool inspect_boxes(VipsSource *source, bool *has_metadata)
{
    static const char types[][5] = { "Exif", "xml ", "brob", "uuid" };
    guint64 file = (guint64)vips_source_length(source);
    struct file_box box;
    *has_metadata = false;
    for (guint64 offset = 0; read_box(source, file, offset, &box); offset = box.end)
        for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
            *has_metadata |= !memcmp(box.type, types[i], 4);
    vips_error_clear();
    return vips_source_rewind(source) == 0;
}
