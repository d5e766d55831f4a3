/* Photoshop's image resources, in which JPEG holds IPTC, and TIFF may.
 *
 * libvips gives the block of a JPEG as "iptc-data" although it is a list of resources, and the tags of a TIFF as
 * "iptc-data" (the records alone) and "photoshop-data" (the list). Between reading and writing, pictures have
 * the latter two. Thumbnails are left out, because they show the picture before it was filtered. */
#include "say.h"
#include "vips_picture.h"

#include <string.h>

enum { IPTC = 0x0404, THUMBNAIL_BGR = 0x0409, THUMBNAIL = 0x040C, SIZE_MAX_JPEG = 65000 };

static const char block_mark[] = "Photoshop 3.0"; /* with the zero at its end */
static const char resource_mark[] = "8BIM";

static void append_resource(GByteArray *list, unsigned id, const unsigned char *bytes, size_t size)
{
    unsigned char head[12] = { '8',
                               'B',
                               'I',
                               'M',
                               (unsigned char)(id >> 8),
                               (unsigned char)id,
                               0,
                               0,
                               (unsigned char)(size >> 24),
                               (unsigned char)(size >> 16),
                               (unsigned char)(size >> 8),
                               (unsigned char)size };
    g_byte_array_append(list, head, sizeof head);
    g_byte_array_append(list, bytes, (guint)size);
    if (size & 1)
        g_byte_array_append(list, (const guint8 *)"", 1);
}

/* Copies a list up to its end or the first damage, without thumbnails, and finds the records of IPTC. */
static GByteArray *copy_resources(const unsigned char *bytes, size_t size, const unsigned char **iptc,
                                  size_t *iptc_size)
{
    enum { NAME = 6, LENGTH = 4 };
    GByteArray *list = g_byte_array_new();
    for (size_t at = 0; size - at > NAME && !memcmp(bytes + at, resource_mark, 4);) {
        const unsigned char *head = bytes + at;
        unsigned id = (unsigned)head[4] << 8 | head[5];
        size_t begin = NAME + (((size_t)head[NAME] + 2) & ~(size_t)1) + LENGTH;
        if (size - at < begin)
            break;
        const unsigned char *field = head + begin - LENGTH;
        size_t length = (size_t)field[0] << 24 | (size_t)field[1] << 16 | (size_t)field[2] << 8 | field[3];
        size_t left = size - at - begin;
        if (length > left)
            break;
        if (id == IPTC)
            *iptc = head + begin, *iptc_size = length;
        if (id != THUMBNAIL && id != THUMBNAIL_BGR) {
            g_byte_array_append(list, head, (guint)(begin + length));
            if (length & 1)
                g_byte_array_append(list, (const guint8 *)"", 1);
        }
        at += begin + MIN(left, (length + 1) & ~(size_t)1);
    }
    return list;
}

static const void *find_blob(VipsImage *image, const char *field, size_t *size)
{
    const void *bytes = NULL;
    *size = 0;
    if (vips_image_get_typeof(image, field) == 0 || vips_image_get_blob(image, field, &bytes, size) != 0)
        return NULL;
    return bytes;
}

void resources_divide(VipsImage *image)
{
    size_t size, records;
    const unsigned char *iptc = find_blob(image, VIPS_META_IPTC_NAME, &records);
    const unsigned char *list = find_blob(image, VIPS_META_PHOTOSHOP_NAME, &size);
    if (records > sizeof block_mark && !memcmp(iptc, block_mark, sizeof block_mark)) {
        list = iptc + sizeof block_mark, size = records - sizeof block_mark;
        iptc = NULL, records = 0;
    }
    const unsigned char *listed = NULL;
    GByteArray *kept = copy_resources(list, size, &listed, &records);
    if (!listed && iptc && records > 0)
        append_resource(kept, IPTC, iptc, records);
    if (listed || iptc)
        vips_image_set_blob_copy(image, VIPS_META_IPTC_NAME, listed ? listed : iptc, records);
    else
        vips_image_remove(image, VIPS_META_IPTC_NAME);
    if (kept->len > 0)
        vips_image_set_blob_copy(image, VIPS_META_PHOTOSHOP_NAME, kept->data, kept->len);
    else
        vips_image_remove(image, VIPS_META_PHOTOSHOP_NAME);
    g_byte_array_free(kept, TRUE);
}

/* Sets the block of a JPEG to the mark and a list of resources. */
static void set_block(VipsImage *image, const unsigned char *list, size_t size)
{
    GByteArray *block = g_byte_array_new();
    g_byte_array_append(block, (const guint8 *)block_mark, sizeof block_mark);
    g_byte_array_append(block, list, (guint)size);
    vips_image_set_blob_copy(image, VIPS_META_IPTC_NAME, block->data, block->len);
    g_byte_array_free(block, TRUE);
}

/* Sets the block of a JPEG to IPTC without the other resources, which are too long together. */
static void set_records(const char *name, VipsImage *image)
{
    size_t size;
    const unsigned char *records = find_blob(image, VIPS_META_IPTC_NAME, &size);
    if (records && size < SIZE_MAX_JPEG) {
        GByteArray *list = g_byte_array_new();
        append_resource(list, IPTC, records, size);
        set_block(image, list->data, list->len);
        g_byte_array_free(list, TRUE);
        return;
    }
    if (records)
        say_warning(
            "%s: the picture has more than %d kB of IPTC, which a JPEG cannot hold; they are not kept", name,
            SIZE_MAX_JPEG / 1000);
    vips_image_remove(image, VIPS_META_IPTC_NAME);
}

void resources_join(const char *name, VipsImage *image, bool is_jpeg)
{
    size_t size;
    if (!is_jpeg) { /* libvips 8.14 cuts the records of a TIFF to a quarter; the list has them too */
        vips_image_remove(image, VIPS_META_IPTC_NAME);
        return;
    }
    const unsigned char *list = find_blob(image, VIPS_META_PHOTOSHOP_NAME, &size);
    if (!list)
        return;
    if (size > SIZE_MAX_JPEG)
        set_records(name, image);
    else
        set_block(image, list, size);
}
