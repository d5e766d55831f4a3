/* Metadata that libvips does not read or write: EXIF of TIFF; EXIF and XMP of JPEG XL; EXIF, XMP and the profile
 * of JPEG 2000. The bytes are added to the file when the saver is done. What is lost is named. */
#include "exif.h"
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *field;
    unsigned flag;
    const char *title;
} kinds[] = {
    { VIPS_META_EXIF_NAME, KEEPS_EXIF, "EXIF data" },
    { VIPS_META_XMP_NAME, KEEPS_XMP, "XMP" },
    { VIPS_META_IPTC_NAME, KEEPS_IPTC, "IPTC" },
    { VIPS_META_ICC_NAME, KEEPS_PROFILE, "colour profile" },
    { "delay", KEEPS_DELAYS, "delays between frames" },
};

/* ---- Loss ---------------------------------------------------------------------------------------------- */

void metadata_say_lost(const char *name, const struct format *format, VipsImage *image)
{
    const char *lost[G_N_ELEMENTS(kinds)];
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (!(format->keeps & kinds[i].flag) && vips_image_get_typeof(image, kinds[i].field) != 0)
            lost[count++] = kinds[i].title;
    char list[96] = "";
    for (int i = 0; i < count; i++) {
        const char *joint = i == 0 ? "" : i == count - 1 ? " and " : ", ";
        g_strlcat(list, joint, sizeof list);
        g_strlcat(list, lost[i], sizeof list);
    }
    if (count > 0)
        say_warning("%s: %s files are written without the picture's %s", name, format->title, list);
}

/* ---- EXIF of TIFF files that are read ------------------------------------------------------------------ */

struct block {
    const void *bytes;
    size_t size; /* 0 without one */
};

static struct block block_of(VipsImage *image, const char *field)
{
    struct block block = { NULL, 0 };
    if (vips_image_get_typeof(image, field) != 0 &&
        vips_image_get_blob(image, field, &block.bytes, &block.size) != 0)
        block.size = 0;
    return block;
}

/* A JPEG of one pixel with that block of EXIF; NULL on failure. */
static GByteArray *wrap_in_jpeg(const GByteArray *block)
{
    enum { START = 2, LENGTH = 2 };
    VipsImage *pixel = NULL;
    void *bytes = NULL;
    size_t size = 0;
    if (vips_black(&pixel, 1, 1, NULL) != 0)
        return NULL;
    int failed = vips_jpegsave_buffer(pixel, &bytes, &size, "strip", TRUE, NULL);
    g_object_unref(pixel);
    if (failed)
        return NULL;
    guint length = block->len + LENGTH;
    unsigned char head[] = { 0xFF, 0xE1, (unsigned char)(length >> 8), (unsigned char)length };
    GByteArray *jpeg = g_byte_array_new();
    g_byte_array_append(jpeg, bytes, START);
    g_byte_array_append(jpeg, head, sizeof head);
    g_byte_array_append(jpeg, block->data, block->len);
    g_byte_array_append(jpeg, (unsigned char *)bytes + START, (guint)(size - START));
    g_free(bytes);
    return jpeg;
}

static void *copy_exif_field(VipsImage *from, const char *field, GValue *value, void *to)
{
    (void)from;
    if (g_str_has_prefix(field, "exif-"))
        vips_image_set(to, field, value);
    return NULL;
}

/* libvips keeps EXIF as a block and as one field for each tag; savers remove tags without a field. Fields are
 * made by its reader of JPEG. */
static void attach_block(VipsImage *image, const GByteArray *block)
{
    GByteArray *jpeg = wrap_in_jpeg(block);
    VipsImage *parsed = NULL;
    vips_image_set_blob_copy(image, VIPS_META_EXIF_NAME, block->data, block->len);
    if (jpeg && vips_jpegload_buffer(jpeg->data, jpeg->len, &parsed, NULL) == 0) {
        vips_image_map(parsed, copy_exif_field, image);
        vips_image_remove(image, "exif-ifd0-Orientation");
        g_object_unref(parsed);
    }
    if (jpeg)
        g_byte_array_free(jpeg, TRUE);
    vips_error_clear();
}

static void say_cut(const char *name, const struct exif *exif)
{
    if (exif->is_cut)
        say_warning("%s: the picture has more than %d kB of EXIF data; some of them are not kept", name,
                    EXIF_MAX / 1000);
}

void metadata_attach(const char *name, VipsImage *image, const struct exif *exif)
{
    say_cut(name, exif);
    if (exif->tags && exif_has_news(exif)) {
        GByteArray *block = exif_to_block(exif);
        attach_block(image, block);
        g_byte_array_free(block, TRUE);
    }
}

/* ---- Files that are written ---------------------------------------------------------------------------- */

static bool read_at(int descriptor, void *bytes, size_t size, off_t offset)
{
    return pread(descriptor, bytes, size, offset) == (ssize_t)size;
}

static bool write_at(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return lseek(descriptor, offset, SEEK_SET) == offset && target_write(descriptor, bytes, size);
}

/* Inserts bytes by moving those behind `offset`, from the last on. */
static bool insert_bytes(int descriptor, off_t offset, const GByteArray *bytes)
{
    enum { PIECE = 1 << 20 };
    struct stat entry;
    char *piece = g_malloc(PIECE);
    bool fine = fstat(descriptor, &entry) == 0;
    for (off_t end = fine ? entry.st_size : 0; fine && end > offset;) {
        off_t size = MIN(PIECE, end - offset);
        end -= size;
        fine = read_at(descriptor, piece, (size_t)size, end) &&
               write_at(descriptor, piece, (size_t)size, end + (off_t)bytes->len);
    }
    g_free(piece);
    return fine && write_at(descriptor, bytes->data, bytes->len, offset);
}

bool metadata_finish_tiff(const char *name, VipsImage *image, int descriptor)
{
    struct block block = block_of(image, VIPS_META_EXIF_NAME);
    if (block.size == 0)
        return true;
    struct exif exif = exif_from_block(block.bytes, block.size);
    say_cut(name, &exif);
    bool done = !exif_has_news(&exif) || exif_into_tiff(&exif, descriptor);
    exif_free(&exif);
    return done;
}

/* ---- Boxes, of which files of JPEG XL and JPEG 2000 consist --------------------------------------------- */

static void append_number(GByteArray *bytes, size_t value)
{
    unsigned char number[4] = { (unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                (unsigned char)(value >> 8), (unsigned char)value };
    g_byte_array_append(bytes, number, sizeof number);
}

/* Appends length, type, a prefix and the content. */
static void append_box(GByteArray *bytes, const char *type, const void *prefix, size_t prefix_size,
                       struct block content)
{
    append_number(bytes, 8 + prefix_size + content.size);
    g_byte_array_append(bytes, (const guint8 *)type, 4);
    g_byte_array_append(bytes, prefix, (guint)prefix_size);
    g_byte_array_append(bytes, content.bytes, (guint)content.size);
}

/* EXIF as a small TIFF file, without orientation and thumbnail; NULL without any. */
static GByteArray *exif_as_file(const char *name, VipsImage *image)
{
    enum { MARK = 6 };
    struct block block = block_of(image, VIPS_META_EXIF_NAME);
    if (block.size == 0)
        return NULL;
    struct exif exif = exif_from_block(block.bytes, block.size);
    say_cut(name, &exif);
    GByteArray *file = exif_has_news(&exif) ? exif_to_block(&exif) : NULL;
    if (file)
        g_byte_array_remove_range(file, 0, MARK);
    exif_free(&exif);
    return file;
}

/* Where new boxes go in a file of boxes: behind the signature, the type and the level. 0 where the file has
 * EXIF or XMP already, as those of later versions of libvips. */
static off_t find_place(int descriptor)
{
    enum { BEHIND_TYPE = 32 };
    unsigned char head[8];
    off_t place = BEHIND_TYPE, length = 1;
    for (off_t at = BEHIND_TYPE; length > 0 && read_at(descriptor, head, sizeof head, at); at += length) {
        length = (off_t)head[0] << 24 | (off_t)head[1] << 16 | (off_t)head[2] << 8 | (off_t)head[3];
        if (!memcmp(head + 4, "Exif", 4) || !memcmp(head + 4, "xml ", 4))
            return 0;
        if (!memcmp(head + 4, "jxll", 4))
            place = at + length;
    }
    return place;
}

/* libvips 8.14 writes pixels only. A bare codestream becomes the last box of the file. */
static bool insert_boxes(int descriptor, GByteArray *boxes)
{
    static const unsigned char start[] = "\0\0\0\14JXL \r\n\x87\n\0\0\0\24ftypjxl \0\0\0\0jxl ";
    static const unsigned char codestream[] = "\0\0\0\0jxlc"; /* up to the end of the file */
    unsigned char first[12];
    if (!read_at(descriptor, first, sizeof first, 0))
        return false;
    if (!memcmp(first, start, sizeof first)) {
        off_t place = find_place(descriptor);
        return place == 0 || insert_bytes(descriptor, place, boxes);
    }
    g_byte_array_prepend(boxes, start, sizeof start - 1);
    g_byte_array_append(boxes, codestream, sizeof codestream - 1);
    return insert_bytes(descriptor, 0, boxes);
}

bool metadata_finish_jxl(const char *name, VipsImage *image, int descriptor)
{
    struct block xmp = block_of(image, VIPS_META_XMP_NAME);
    GByteArray *exif = exif_as_file(name, image), *boxes = g_byte_array_new();
    if (exif) /* four bytes are the offset of the TIFF header */
        append_box(boxes, "Exif", "\0\0\0", 4, (struct block){ exif->data, exif->len });
    if (xmp.size)
        append_box(boxes, "xml ", NULL, 0, xmp);
    bool done = boxes->len == 0 || insert_boxes(descriptor, boxes);
    g_byte_array_free(boxes, TRUE);
    if (exif)
        g_byte_array_free(exif, TRUE);
    return done;
}

/* Replaces the colour box of a JPEG 2000 header by one with a profile, which has a header itself. OpenJPEG writes
 * boxes of known lengths: signature, file type, header with image header and colour. False with errno. */
static bool insert_profile(const char *name, int descriptor, struct block profile)
{
    enum { HEADER = 32, COLOUR = HEADER + 8 + 22, COLOUR_SIZE = 15, PROFILE_LEAST = 128 };
    unsigned char head[COLOUR + COLOUR_SIZE];
    if (profile.size < PROFILE_LEAST || !read_at(descriptor, head, sizeof head, 0) ||
        memcmp(head + HEADER + 4, "jp2h", 4) != 0 || memcmp(head + COLOUR, "\0\0\0\17colr\1", 9) != 0) {
        say_warning("%s: the picture's colour profile could not be written", name);
        return true;
    }
    GByteArray *box = g_byte_array_new(), *more = g_byte_array_new(), *size = g_byte_array_new();
    append_box(box, "colr", "\2\0", 3, profile); /* restricted profile, precedence, approximation */
    g_byte_array_append(more, box->data + COLOUR_SIZE, box->len - COLOUR_SIZE);
    size_t former = (size_t)head[HEADER] << 24 | (size_t)head[HEADER + 1] << 16 |
                    (size_t)head[HEADER + 2] << 8 | head[HEADER + 3];
    append_number(size, former + more->len);
    bool done = insert_bytes(descriptor, COLOUR + COLOUR_SIZE, more) &&
                write_at(descriptor, box->data, COLOUR_SIZE, COLOUR) &&
                write_at(descriptor, size->data, size->len, HEADER);
    g_byte_array_free(box, TRUE);
    g_byte_array_free(more, TRUE);
    g_byte_array_free(size, TRUE);
    return done;
}

bool metadata_finish_jp2(const char *name, VipsImage *image, int descriptor)
{
    static const unsigned char exif_id[16] = "JpgTiffExif->JP2";
    static const unsigned char xmp_id[16] =
        "\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC";
    struct block xmp = block_of(image, VIPS_META_XMP_NAME), profile = block_of(image, VIPS_META_ICC_NAME);
    GByteArray *exif = exif_as_file(name, image), *bytes = g_byte_array_new();
    struct stat entry;
    bool done = profile.size == 0 || insert_profile(name, descriptor, profile);
    if (exif)
        append_box(bytes, "uuid", exif_id, sizeof exif_id, (struct block){ exif->data, exif->len });
    if (xmp.size)
        append_box(bytes, "uuid", xmp_id, sizeof xmp_id, xmp);
    done = done && fstat(descriptor, &entry) == 0 &&
           write_at(descriptor, bytes->data, bytes->len, entry.st_size);
    g_byte_array_free(bytes, TRUE);
    if (exif)
        g_byte_array_free(exif, TRUE);
    return done;
}
