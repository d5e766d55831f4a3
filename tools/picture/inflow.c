/* Pictures whose rows are read one after the other, so that only some are in memory. */
#include "say.h"
#include "vips_picture.h"
#include "watchdog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What can be read so ------------------------------------------------------------------------------- */

/* Whether the loader decodes rows as they are asked for. Others decode the whole picture first. */
static bool decodes_rows(const struct signature *signature)
{
    static const char *const loaders[] = { "tiffload", "jpegload", "pngload", "ppmload", "radload" };
    if (signature->supply == OURS)
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(loaders); i++)
        if (signature->supply == FROM_SOURCE && g_str_has_prefix(signature->loader, loaders[i]))
            return true;
    return false;
}

static bool has_flag(VipsImage *image, const char *field)
{
    int value = 0;
    return vips_image_get_typeof(image, field) != 0 && vips_image_get_int(image, field, &value) == 0 && value;
}

bool inflow_has_obstacle(const struct inflow *inflow, char *reason, size_t size)
{
    *reason = 0;
    if (!strcmp(inflow->path, "-"))
        snprintf(reason, size, "it comes from standard input");
    else if (!decodes_rows(inflow->signature))
        snprintf(reason, size, "%s is decoded as a whole", inflow->signature->title);
    else if (has_flag(inflow->image, "interlaced") || has_flag(inflow->image, "jpeg-multiscan"))
        snprintf(reason, size, "it is an interlaced or progressive %s, which is decoded as a whole",
                 inflow->signature->title);
    else if (inflow->shape.orientation > 1)
        snprintf(reason, size, "its EXIF orientation %d turns it, which needs all rows",
                 inflow->shape.orientation);
    return *reason;
}

double inflow_compression(const struct inflow *inflow)
{
    VipsImage *image = inflow->image;
    gint64 file = vips_source_length(inflow->source);
    return file > 0 ? (double)VIPS_IMAGE_SIZEOF_LINE(image) * image->Ysize / (double)file : HUGE_VAL;
}

/* libvips keeps two rows of the tiles of a TIFF. */
double inflow_decoder_bytes(const struct inflow *inflow)
{
    int width, height, rows;
    vips_get_tile_size(inflow->image, &width, &height, &rows);
    int tile = destination_tile_height(inflow->shape.origin);
    return (double)VIPS_IMAGE_SIZEOF_LINE((VipsImage *)inflow->image) * (2.0 * tile + 2.0 * rows);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static bool make_region(struct inflow *inflow)
{
    VipsImage *image = inflow->image;
    inflow->next = 0;
    inflow->region = vips_image_pio_input(image) == 0 ? vips_region_new(image) : NULL;
    return inflow->region;
}

bool inflow_begin(struct inflow *inflow, int kept)
{
    VipsImage *image = inflow->image;
    int width, height;
    vips_get_tile_size(image, &width, &height, &inflow->unit);
    long long rows = (long long)kept + inflow->unit;
    inflow->kept = rows < image->Ysize ? (int)rows : image->Ysize;
    size_t row = VIPS_IMAGE_SIZEOF_LINE(image), bytes;
    inflow->rows = __builtin_mul_overflow(row, (size_t)inflow->kept, &bytes) ? NULL : malloc(bytes);
    if (!inflow->rows)
        say_error("out of memory: %d rows of %d pixels", inflow->kept, image->Xsize);
    else if (!make_region(inflow))
        read_say_failed(inflow);
    return inflow->rows && inflow->region;
}

static char *kept_row(const struct inflow *inflow, int y)
{
    return inflow->rows + (size_t)(y % inflow->kept) * VIPS_IMAGE_SIZEOF_LINE((VipsImage *)inflow->image);
}

/* Decodes the next rows. As for whole pictures, this thread decodes. */
static bool decode_next(struct inflow *inflow)
{
    VipsImage *image = inflow->image;
    VipsRegion *region = inflow->region;
    VipsRect strip = { 0, inflow->next, image->Xsize, MIN(inflow->unit, image->Ysize - inflow->next) };
    watchdog_progress();
    bool done = vips_region_prepare(region, &strip) == 0;
    watchdog_pause();
    for (int i = 0; done && i < strip.height; i++)
        memcpy(kept_row(inflow, strip.top + i), VIPS_REGION_ADDR(region, 0, strip.top + i),
               VIPS_IMAGE_SIZEOF_LINE(image));
    inflow->next += strip.height;
    return done;
}

/* Begins again with the first row. */
static bool rewind_rows(struct inflow *inflow)
{
    VipsImage *before = inflow->image;
    int width = before->Xsize, height = before->Ysize;
    VipsBandFormat format = before->BandFmt;
    g_object_unref(inflow->region);
    g_object_unref(before);
    inflow->region = inflow->image = NULL;
    VipsImage *image = vips_source_rewind(inflow->source) == 0
                           ? signature_load(inflow->signature, inflow->source, inflow->path, inflow->page)
                           : NULL;
    inflow->image = image = image ? read_convert_samples(image) : NULL;
    if (image && (image->Xsize != width || image->Ysize != height || image->BandFmt != format)) {
        vips_error("abbe", "the file has changed");
        return false;
    }
    return image && make_region(inflow);
}

/* Keeps more rows; those that are there stay. */
static bool grow(struct inflow *inflow, int kept)
{
    size_t row = VIPS_IMAGE_SIZEOF_LINE((VipsImage *)inflow->image), bytes;
    char *rows = __builtin_mul_overflow(row, (size_t)kept, &bytes) ? NULL : malloc(bytes);
    if (!rows) {
        say_error("out of memory: %d rows of %d pixels", kept, ((VipsImage *)inflow->image)->Xsize);
        return false;
    }
    for (int y = MAX(0, inflow->next - inflow->kept); y < inflow->next; y++)
        memcpy(rows + (size_t)(y % kept) * row, kept_row(inflow, y), row);
    free(inflow->rows);
    inflow->rows = rows;
    inflow->kept = kept;
    return true;
}

/* Rows of which only a part is wanted are read again for the part beside it. */
static bool keep_for_neighbour(struct inflow *inflow, const abbe_image *to)
{
    const VipsImage *image = inflow->image;
    long long rows = MIN((long long)to->height + inflow->unit, image->Ysize);
    return to->width == image->Xsize || rows <= inflow->kept || grow(inflow, (int)rows);
}

bool inflow_read(struct inflow *inflow, int x, int y, const abbe_image *to)
{
    if (!keep_for_neighbour(inflow, to))
        return false;
    size_t pixel = (size_t)to->channels * abbe_type_size(to->type);
    bool done = true;
    for (int i = 0; done && i < to->height; i++) {
        if (y + i < inflow->next - inflow->kept)
            done = rewind_rows(inflow);
        while (done && inflow->next <= y + i)
            done = decode_next(inflow);
        if (done)
            memcpy((char *)to->data + i * to->stride, kept_row(inflow, y + i) + (size_t)x * pixel,
                   (size_t)to->width * pixel);
    }
    if (!done)
        read_say_failed(inflow);
    return done;
}

void inflow_close(struct inflow *inflow)
{
    if (inflow->region)
        g_object_unref(inflow->region);
    if (inflow->image)
        g_object_unref(inflow->image);
    if (inflow->source)
        g_object_unref(inflow->source);
    free(inflow->rows);
    picture_free(&inflow->shape);
    watchdog_end();
    vips_error_clear();
    *inflow = (struct inflow){ 0 };
}
