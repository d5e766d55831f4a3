/* Rows of uncompressed formats: read when libvips asks for them, and written from the lowest to the highest. */
#include "rows.h"

#include <string.h>

bool rows_read(VipsSource *source, guint64 offset, void *bytes, size_t count)
{
    if (offset > G_MAXINT64 || vips_source_seek(source, (gint64)offset, SEEK_SET) != (gint64)offset)
        return false;
    for (size_t got = 0; got < count;) {
        gint64 more = vips_source_read(source, (char *)bytes + got, count - got);
        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* The state of an image, freed with it. Rows are read by one thread. */
struct reader {
    VipsSource *source;
    unsigned char *row;
    struct rows *rows;
};

static int generate_rows(VipsRegion *region, void *sequence, void *user, void *unused, gboolean *stop)
{
    (void)sequence, (void)unused, (void)stop;
    const struct reader *reader = user;
    const struct rows *rows = reader->rows;
    const VipsRect *area = &region->valid;
    for (int y = area->top; y < area->top + area->height; y++) {
        guint64 place = (guint64)(rows->from_bottom ? rows->height - 1 - y : y);
        if (!rows_read(reader->source, rows->first + place * rows->size, reader->row, (size_t)rows->size)) {
            vips_error("rows", "the file ends before its pixels do");
            return -1;
        }
        rows->decode(rows, reader->row, VIPS_REGION_ADDR(region, area->left, y));
    }
    return 0;
}

static void free_reader(VipsImage *image, struct reader *reader)
{
    (void)image;
    g_object_unref(reader->source);
    g_free(reader->row);
    g_free(reader->rows);
    g_free(reader);
}

VipsImage *rows_image(VipsSource *source, const struct rows *rows, size_t size)
{
    gint64 length = vips_source_length(source);
    guint64 pixels = 0, end = 0;
    bool overflows = __builtin_mul_overflow(rows->size, (guint64)rows->height, &pixels) ||
                     __builtin_add_overflow(rows->first, pixels, &end);
    if (length < 0 || overflows || end > (guint64)length) {
        vips_error("rows", "the header declares %d x %d pixels, more than the file has", rows->width,
                   rows->height);
        return NULL;
    }
    struct reader *reader = g_new0(struct reader, 1);
    reader->source = g_object_ref(source);
    reader->row = g_malloc(rows->size); /* not more than the file */
    reader->rows = g_malloc(size);
    memcpy(reader->rows, rows, size);
    VipsImage *image = vips_image_new();
    g_signal_connect(image, "close", G_CALLBACK(free_reader), reader);
    vips_image_init_fields(image, rows->width, rows->height, rows->channels, rows->samples, VIPS_CODING_NONE,
                           rows->colours, 1, 1);
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_FATSTRIP, NULL) == 0 &&
        vips_image_generate(image, NULL, generate_rows, NULL, reader, NULL) == 0)
        return image;
    g_object_unref(image);
    return NULL;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

struct writer {
    VipsTarget *target;
    unsigned char *row;
    size_t size;
    rows_encode encode;
};

static int write_rows(VipsRegion *region, VipsRect *area, void *user)
{
    const struct writer *writer = user;
    for (int y = area->top; y < area->top + area->height; y++) {
        writer->encode(region->im, VIPS_REGION_ADDR(region, area->left, y), writer->row);
        if (vips_target_write(writer->target, writer->row, writer->size) != 0)
            return -1;
    }
    return 0;
}

bool rows_write(VipsImage *image, VipsTarget *target, size_t size, rows_encode encode)
{
    VipsImage *flipped = NULL;
    if (vips_flip(image, &flipped, VIPS_DIRECTION_VERTICAL, NULL) != 0)
        return false;
    struct writer writer = { target, g_malloc0(size), size, encode };
    bool done = vips_sink_disc(flipped, write_rows, &writer) == 0;
    g_free(writer.row);
    g_object_unref(flipped);
    return done;
}
