/* EXIF data: directories of TIFF, read from files and blocks of strangers, and written again.
 *
 * libvips 8.14 reads and writes EXIF in blocks of JPEG, PNG, WebP and HEIF, and not in TIFF files. Pointers are
 * followed from the main directory to EXIF and GPS, and from EXIF to interoperability, each once, so a loop of
 * directories cannot be entered. */
#include "exif.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAIN, EXIF, GPS, INTEROP, DIRECTORIES };
enum { ENTRIES_MAX = 1024, ENTRY = 12, WIDE_ENTRY = 20 };
enum { DESCRIPTION = 270, EXIF_POINTER = 34665, GPS_POINTER = 34853, INTEROP_POINTER = 40965 };
enum { LONG = 4, IFD8 = 18 };

/* `at` and `size` say where the value lies; its units are little-endian. */
struct tag {
    int directory;
    unsigned id, type;
    guint32 count, at, size;
};

/* ---- What is kept -------------------------------------------------------------------------------------- */

/* Texts and dates, the resolution, and where on earth the picture lies (GeoTIFF). */
static const unsigned kept_tags[] = { 269,   271,   272,   282,   283,   285,   296,   305,   306,
                                      315,   316,   18246, 18249, 33432, 33550, 33922, 34264, 34735,
                                      34736, 34737, 40091, 40092, 40093, 40094, 40095, 42112, 42113 };

static bool is_resolution(unsigned id)
{
    return id == 282 || id == 283 || id == 296;
}

static bool is_kept(int directory, unsigned id)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kept_tags) && directory == MAIN; i++)
        if (id == kept_tags[i])
            return true;
    return directory != MAIN || id == DESCRIPTION;
}

/* Bytes of a number of that type; 0 for types that EXIF does not have. A rational is two numbers. */
static guint32 unit_of(unsigned type)
{
    static const unsigned char units[] = { 0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4 };
    return type < sizeof units ? units[type] : 0;
}

static guint32 numbers_of(unsigned type)
{
    return type == 5 || type == 10 ? 2 : 1;
}

void exif_free(struct exif *exif)
{
    if (exif->tags) {
        g_array_free(exif->tags, TRUE);
        g_byte_array_free(exif->values, TRUE);
    }
    *exif = (struct exif){ 0 };
}

bool exif_has_news(const struct exif *exif)
{
    for (guint i = 0; i < exif->tags->len; i++) {
        const struct tag *tag = &g_array_index(exif->tags, struct tag, i);
        if (tag->directory != MAIN || !is_resolution(tag->id))
            return true;
    }
    return false;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Bytes in memory, of a source, or of a file. */
struct input {
    const unsigned char *memory;
    size_t size; /* of the memory */
    VipsSource *source;
    int descriptor;
    bool big_endian, wide; /* BigTIFF: 64-bit offsets */
};

static bool read_exactly(const struct input *input, guint64 offset, void *bytes, size_t count)
{
    if (offset > G_MAXINT64)
        return false;
    if (input->memory) {
        bool fits = offset <= input->size && count <= input->size - offset;
        if (fits)
            memcpy(bytes, input->memory + offset, count);
        return fits;
    }
    if (input->source && vips_source_seek(input->source, (gint64)offset, SEEK_SET) != (gint64)offset)
        return false;
    for (size_t got = 0; got < count;) {
        char *to = (char *)bytes + got;
        gint64 more = input->source ? vips_source_read(input->source, to, count - got)
                                    : pread(input->descriptor, to, count - got, (off_t)(offset + got));
        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return true;
}

static guint64 number_at(const struct input *input, const unsigned char *bytes, int count)
{
    guint64 value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[input->big_endian ? i : count - 1 - i];
    return value;
}

/* Reads the byte order, the kind and the offset of the first directory. */
static bool read_start(struct input *input, guint64 *first)
{
    unsigned char head[16] = { 0 };
    if (!read_exactly(input, 0, head, 8) || (memcmp(head, "II", 2) != 0 && memcmp(head, "MM", 2) != 0))
        return false;
    input->big_endian = head[0] == 'M';
    guint64 version = number_at(input, head + 2, 2);
    input->wide = version == 43;
    if ((version != 42 && version != 43) || (input->wide && !read_exactly(input, 8, head + 8, 8)))
        return false;
    *first = input->wide ? number_at(input, head + 8, 8) : number_at(input, head + 4, 4);
    return true;
}

/* The entries of a directory, `count` times 12 or 20 bytes, and the offset of the next one. The caller frees
 * them; NULL for a directory that is damaged or has too many. */
static unsigned char *read_table(const struct input *input, guint64 offset, size_t *count, guint64 *next)
{
    unsigned char number[8];
    int counter = input->wide ? 8 : 2, pointer = input->wide ? 8 : 4;
    size_t entry = input->wide ? WIDE_ENTRY : ENTRY;
    if (!read_exactly(input, offset, number, (size_t)counter))
        return NULL;
    guint64 declared = number_at(input, number, counter);
    if (declared == 0 || declared > ENTRIES_MAX)
        return NULL;
    *count = (size_t)declared;
    unsigned char *table = g_malloc(*count * entry);
    offset += (guint64)counter;
    if (!read_exactly(input, offset, table, *count * entry)) {
        g_free(table);
        return NULL;
    }
    bool goes_on = read_exactly(input, offset + *count * entry, number, (size_t)pointer);
    *next = goes_on ? number_at(input, number, pointer) : 0;
    return table;
}

/* Copies numbers and turns them from one byte order to the other. */
static void copy_units(unsigned char *to, const unsigned char *from, guint32 size, guint32 unit, bool turns)
{
    for (guint32 i = 0; i < size; i++)
        to[i] = from[turns ? i - i % unit + (unit - 1 - i % unit) : i];
}

static void take_value(const struct input *input, struct exif *exif, struct tag tag,
                       const unsigned char *field)
{
    guint32 unit = unit_of(tag.type), inline_size = input->wide ? 8 : 4;
    guint64 size = (guint64)tag.count * unit * numbers_of(tag.type);
    if (size == 0)
        return;
    guint64 offset = number_at(input, field, (int)inline_size);
    if (exif->values->len + (exif->tags->len + 8) * ENTRY + size > EXIF_MAX) {
        unsigned char last; /* a tag that declares more than the file has is damaged */
        exif->is_cut |= read_exactly(input, offset + size - 1, &last, 1);
        return;
    }
    tag.size = (guint32)size;
    tag.at = exif->values->len;
    unsigned char *value = g_malloc(tag.size);
    bool found = tag.size <= inline_size || read_exactly(input, offset, value, tag.size);
    if (tag.size <= inline_size)
        memcpy(value, field, tag.size);
    if (found) {
        g_byte_array_set_size(exif->values, tag.at + tag.size);
        copy_units(exif->values->data + tag.at, value, tag.size, unit, input->big_endian);
        g_array_append_val(exif->tags, tag);
    }
    g_free(value);
}

/* The directory that a tag of another one points to; MAIN for other tags. */
static int directory_below(int directory, unsigned id)
{
    if (directory == MAIN)
        return id == EXIF_POINTER ? EXIF : id == GPS_POINTER ? GPS : MAIN;
    return directory == EXIF && id == INTEROP_POINTER ? INTEROP : MAIN;
}

/* Takes the tags of a directory, and notes where the directories below it are. */
static void read_directory(const struct input *input, int directory, guint64 offsets[DIRECTORIES],
                           struct exif *exif)
{
    size_t count = 0, entry = input->wide ? WIDE_ENTRY : ENTRY;
    guint64 next;
    unsigned char *table = offsets[directory] ? read_table(input, offsets[directory], &count, &next) : NULL;
    for (size_t i = 0; table && i < count; i++) {
        const unsigned char *bytes = table + i * entry;
        struct tag tag = { .directory = directory,
                           .id = (unsigned)number_at(input, bytes, 2),
                           .type = (unsigned)number_at(input, bytes + 2, 2) };
        guint64 numbers = number_at(input, bytes + 4, input->wide ? 8 : 4);
        const unsigned char *field = bytes + (input->wide ? 12 : 8);
        int below = directory_below(directory, tag.id);
        tag.count = numbers > G_MAXUINT32 ? G_MAXUINT32 : (guint32)numbers;
        if (below != MAIN)
            offsets[below] = number_at(input, field, input->wide && tag.type >= 16 ? 8 : 4);
        else if (is_kept(directory, tag.id))
            take_value(input, exif, tag, field);
    }
    g_free(table);
}

static struct exif read_all(struct input *input)
{
    struct exif exif = { g_array_new(FALSE, FALSE, sizeof(struct tag)), g_byte_array_new(), false };
    guint64 offsets[DIRECTORIES] = { 0 };
    if (read_start(input, &offsets[MAIN]))
        for (int directory = MAIN; directory < DIRECTORIES; directory++)
            read_directory(input, directory, offsets, &exif);
    return exif;
}

struct exif exif_from_block(const void *block, size_t size)
{
    static const char mark[6] = "Exif\0";
    size_t skipped = size >= sizeof mark && !memcmp(block, mark, sizeof mark) ? sizeof mark : 0;
    return read_all(
        &(struct input){ .memory = (const unsigned char *)block + skipped, .size = size - skipped });
}

static void remove_description(struct exif *exif)
{
    for (guint i = exif->tags->len; i-- > 0;) {
        const struct tag *tag = &g_array_index(exif->tags, struct tag, i);
        if (tag->directory == MAIN && tag->id == DESCRIPTION)
            g_array_remove_index(exif->tags, i);
    }
}

struct exif exif_from_tiff(VipsSource *source)
{
    struct exif exif = read_all(&(struct input){ .source = source });
    remove_description(&exif);
    vips_error_clear();
    vips_source_rewind(source);
    return exif;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Bytes that will lie at `base` of a file. */
struct output {
    GByteArray *bytes;
    guint64 base;
    bool big_endian, wide;
};

struct entry {
    unsigned id;
    unsigned char bytes[WIDE_ENTRY];
};

static void put_number(const struct output *output, unsigned char *to, guint64 value, int count)
{
    for (int i = 0; i < count; i++)
        to[output->big_endian ? count - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static void append_number(struct output *output, guint64 value, int count)
{
    unsigned char bytes[8];
    put_number(output, bytes, value, count);
    g_byte_array_append(output->bytes, bytes, (guint)count);
}

/* The offset of the next byte, which is even as TIFF demands. */
static guint64 next_offset(struct output *output)
{
    if ((output->base + output->bytes->len) & 1)
        g_byte_array_append(output->bytes, (const guint8 *)"", 1);
    return output->base + output->bytes->len;
}

/* An entry without its value, for which *field is the place. */
static struct entry start_entry(const struct output *output, unsigned id, unsigned type, guint64 count)
{
    struct entry entry = { .id = id };
    put_number(output, entry.bytes, id, 2);
    put_number(output, entry.bytes + 2, type, 2);
    put_number(output, entry.bytes + 4, count, output->wide ? 8 : 4);
    return entry;
}

/* Writes the value of a tag, into the entry if it is short. */
static struct entry put_tag(struct output *output, const struct exif *exif, const struct tag *tag)
{
    struct entry entry = start_entry(output, tag->id, tag->type, tag->count);
    const unsigned char *value = exif->values->data + tag->at;
    unsigned char *field = entry.bytes + (output->wide ? 12 : 8);
    guint32 unit = unit_of(tag->type), inline_size = output->wide ? 8 : 4;
    if (tag->size <= inline_size) {
        copy_units(field, value, tag->size, unit, output->big_endian);
        return entry;
    }
    put_number(output, field, next_offset(output), (int)inline_size);
    guint at = output->bytes->len;
    g_byte_array_set_size(output->bytes, at + tag->size);
    copy_units(output->bytes->data + at, value, tag->size, unit, output->big_endian);
    return entry;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    return first->id < second->id ? -1 : first->id > second->id;
}

/* Adds an entry unless there is one with the same id. */
static void add_entry(GArray *entries, struct entry entry)
{
    for (guint i = 0; i < entries->len; i++)
        if (g_array_index(entries, struct entry, i).id == entry.id)
            return;
    g_array_append_val(entries, entry);
}

/* Writes entries as a directory and returns its offset. Frees the entries. */
static guint64 put_table(struct output *output, GArray *entries, guint64 next)
{
    guint64 offset = next_offset(output);
    g_array_sort(entries, compare_entries);
    append_number(output, entries->len, output->wide ? 8 : 2);
    for (guint i = 0; i < entries->len; i++)
        g_byte_array_append(output->bytes, g_array_index(entries, struct entry, i).bytes,
                            output->wide ? WIDE_ENTRY : ENTRY);
    append_number(output, next, output->wide ? 8 : 4);
    g_array_free(entries, TRUE);
    return offset;
}

static void add_pointer(const struct output *output, GArray *entries, unsigned id, guint64 offset)
{
    if (offset == 0)
        return;
    struct entry entry = start_entry(output, id, output->wide ? IFD8 : LONG, 1);
    put_number(output, entry.bytes + (output->wide ? 12 : 8), offset, output->wide ? 8 : 4);
    add_entry(entries, entry);
}

static void add_tags(struct output *output, const struct exif *exif, int directory, GArray *entries)
{
    for (guint i = 0; i < exif->tags->len; i++) {
        const struct tag *tag = &g_array_index(exif->tags, struct tag, i);
        if (tag->directory == directory)
            add_entry(entries, put_tag(output, exif, tag));
    }
}

/* Writes a directory below the main one; returns 0 when it would be empty. */
static guint64 put_directory(struct output *output, const struct exif *exif, int directory, guint64 below)
{
    GArray *entries = g_array_new(FALSE, TRUE, sizeof(struct entry));
    add_tags(output, exif, directory, entries);
    add_pointer(output, entries, INTEROP_POINTER, below);
    if (entries->len > 0)
        return put_table(output, entries, 0);
    g_array_free(entries, TRUE);
    return 0;
}

/* Writes all directories; the main one goes on with `entries` and `next` of a file. Returns its offset. */
static guint64 put_all(struct output *output, const struct exif *exif, GArray *entries, guint64 next)
{
    guint64 interop = put_directory(output, exif, INTEROP, 0);
    guint64 camera = put_directory(output, exif, EXIF, interop);
    guint64 place = put_directory(output, exif, GPS, 0);
    add_tags(output, exif, MAIN, entries);
    add_pointer(output, entries, EXIF_POINTER, camera);
    add_pointer(output, entries, GPS_POINTER, place);
    return put_table(output, entries, next);
}

GByteArray *exif_to_block(const struct exif *exif)
{
    static const unsigned char start[] = "Exif\0\0II*\0\0\0\0";
    enum { MARK = 6, POINTER = 4, HEADER = 8 };
    struct output output = { .bytes = g_byte_array_new(), .base = HEADER };
    guint64 main = put_all(&output, exif, g_array_new(FALSE, TRUE, sizeof(struct entry)), 0);
    GByteArray *block = g_byte_array_new();
    g_byte_array_append(block, start, MARK + HEADER);
    put_number(&output, block->data + MARK + POINTER, main, 4);
    g_byte_array_append(block, output.bytes->data, output.bytes->len);
    g_byte_array_free(output.bytes, TRUE);
    return block;
}

static bool write_exactly(int descriptor, const unsigned char *bytes, size_t size, guint64 offset)
{
    while (size > 0) {
        ssize_t written = pwrite(descriptor, bytes, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        bytes += written, offset += (guint64)written, size -= (size_t)written;
    }
    return true;
}

/* The new directory is complete before the header points to it. */
static bool append_directories(const struct exif *exif, const struct input *input, GArray *entries,
                               guint64 next)
{
    struct stat entry;
    if (fstat(input->descriptor, &entry) != 0)
        return false;
    struct output output = { g_byte_array_new(), (guint64)entry.st_size, input->big_endian, input->wide };
    unsigned char pointer[8];
    int size = input->wide ? 8 : 4;
    guint64 main = put_all(&output, exif, entries, next);
    bool fits = input->wide || output.base + output.bytes->len <= G_MAXUINT32;
    put_number(&output, pointer, main, size);
    errno = EFBIG;
    bool done = fits &&
                write_exactly(input->descriptor, output.bytes->data, output.bytes->len, output.base) &&
                write_exactly(input->descriptor, pointer, (size_t)size, input->wide ? 8 : 4);
    g_byte_array_free(output.bytes, TRUE);
    return done;
}

bool exif_into_tiff(const struct exif *exif, int descriptor)
{
    struct input input = { .descriptor = descriptor };
    guint64 first = 0, next = 0;
    size_t count = 0;
    unsigned char *table = read_start(&input, &first) ? read_table(&input, first, &count, &next) : NULL;
    errno = EIO;
    if (!table)
        return false;
    GArray *entries = g_array_new(FALSE, TRUE, sizeof(struct entry));
    for (size_t i = 0; i < count; i++) {
        size_t size = input.wide ? WIDE_ENTRY : ENTRY;
        struct entry entry = { .id = (unsigned)number_at(&input, table + i * size, 2) };
        memcpy(entry.bytes, table + i * size, size);
        add_entry(entries, entry);
    }
    g_free(table);
    return append_directories(exif, &input, entries, next);
}
