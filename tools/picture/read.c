/* Opens a picture: checks the file and its header. Its pixels then follow, in rows (inflow.c), or all of them into
 * memory, upright. */
#include "exif.h"
#include "progress.h"
#include "say.h"
#include "vips_picture.h"
#include "watchdog.h"

#include <string.h>

/* ---- The file ------------------------------------------------------------------------------------------ */

/* What is known of a file before a decoder sees it. */
struct content {
    bool is_sound;  /* its data ends as it should */
    int pages;      /* at least, whether they can be read or not */
    bool has_boxes; /* of metadata */
    struct tiff_storage storage;
};

/* Checks the bytes of a file before a decoder sees them. */
static bool check_content(const char *name, VipsSource *source, const struct signature *signature,
                          struct content *content)
{
    *content = (struct content){ .is_sound = true, .pages = 1 };
    if (!strcmp(signature->title, "JPEG"))
        content->is_sound = inspect_jpeg_data(source);
    return (!inspect_is_png(source) || inspect_png(name, source)) &&
           (!inspect_is_tiff(source) || inspect_tiff(name, source, &content->pages, &content->storage)) &&
           (strcmp(signature->title, "GIF") || inspect_gif(name, source, &content->is_sound)) &&
           (g_strcmp0(signature->loader, "heifload_source") || inspect_heif(name, source)) &&
           (!g_str_has_prefix(signature->title, "JPEG ") || inspect_boxes(source, &content->has_boxes));
}

/* Number of pages. In JPEG 2000, libvips counts each resolution of the one picture as a page. */
static int pages_of(VipsImage *image)
{
    const char *loader = "";
    if (vips_image_get_typeof(image, VIPS_META_LOADER) != 0)
        vips_image_get_string(image, VIPS_META_LOADER, &loader);
    return strncmp(loader, "jp2k", 4) ? vips_image_get_n_pages(image) : 1;
}

/* A truncated file and errors of the decoder are failures: a filter would spread the damage over the picture.
 * Flaws that a decoder mends, or passes over, become a warning (`is_sound`); odd tags and faulty profiles are
 * ignored. */
static VipsImage *load_page(const char *path, const struct signature *signature, VipsSource *source,
                            const struct reading *reading, int page)
{
    VipsImage *image = signature_load(signature, source, path, page);
    if (!image)
        say_error("%s: cannot be read as %s: %s", open_name(path, reading), signature->title,
                  picture_reason("damaged, or of an impossible size"));
    return image;
}

/* Opens the first page. The file announces a number of pages; libtiff passes over those from the first one on that it
 * cannot read. */
static VipsImage *load_first(const char *path, const struct signature *signature, VipsSource *source,
                             const struct reading *reading, int announced)
{
    VipsImage *image = load_page(path, signature, source, reading, 0);
    if (!image || pages_of(image) >= announced)
        return image;
    say_error("%s: damaged or truncated: what follows page %d cannot be read", open_name(path, reading),
              pages_of(image));
    g_object_unref(image);
    return NULL;
}

/* Opens the first page, and then another one or all, if the file has them and they are wanted. *loaded is the page,
 * from 0 on, or −1 for all. */
static VipsImage *load_pages(const char *path, const struct signature *signature, VipsSource *source,
                             const struct reading *reading, int announced, int *loaded)
{
    const char *name = open_name(path, reading);
    VipsImage *image = load_first(path, signature, source, reading, announced), *all = NULL;
    int pages = image ? pages_of(image) : 0, page = reading->page;
    *loaded = 0;
    if (!image || page == 1 || (pages == 1 && page <= 1))
        return image;
    if (page > pages || (page > 1 && !signature_has_page(signature)))
        say_error("%s: has %d page%s; there is no page %d", name, pages, pages == 1 ? "" : "s", page);
    else if (page > 1)
        all = load_page(path, signature, source, reading, page - 1);
    else if (page == PAGES_ALL && signature_has_pages(signature))
        all = signature_load(signature, source, path, -1);
    if (all || page > 0) {
        *loaded = page > 0 ? page - 1 : -1;
        g_object_unref(image);
        return all;
    }
    vips_error_clear();
    bool differ = page == PAGES_ALL && signature_has_pages(signature);
    say_warning("%s: has %d pages%s; only the first is read", name, pages,
                differ ? " of different kinds" : "");
    /* The failed loader may have left the source anywhere. */
    g_object_unref(image);
    return load_page(path, signature, source, reading, 0);
}

/* Opens the file, and the image of the pages that are wanted. */
static VipsImage *open_image(const char *path, const struct reading *reading, struct inflow *inflow)
{
    const char *name = inflow->name;
    inflow->source = open_source(path, reading, &inflow->signature);
    if (!inflow->source)
        return NULL;
    vips_block_untrusted_set(!reading->allow_untrusted);
    struct content content;
    if (!check_content(name, inflow->source, inflow->signature, &content))
        return NULL;
    struct exif exif = { 0 };
    if (inspect_is_tiff(inflow->source))
        exif = exif_from_tiff(inflow->source);
    inflow->is_sound = content.is_sound;
    VipsImage *image = load_pages(path, inflow->signature, inflow->source, reading, content.pages,
                                  &inflow->page);
    if (image && content.has_boxes && vips_image_get_typeof(image, VIPS_META_EXIF_NAME) == 0 &&
        vips_image_get_typeof(image, VIPS_META_XMP_NAME) == 0)
        say_warning("%s: %s files are read without their EXIF data and XMP", name, inflow->signature->title);
    if (image) {
        metadata_attach(name, image, &exif);
        destination_note_storage(image, &content.storage);
        parts_drop(name, image);
        resources_divide(image);
    }
    exif_free(&exif);
    return image;
}

/* ---- The header ---------------------------------------------------------------------------------------- */

static bool check_header(const char *name, VipsImage *image)
{
    int width = image->Xsize, height = image->Ysize;
    if (width > ABBE_SIDE_MAX || height > ABBE_SIDE_MAX)
        say_error("%s: declares %d x %d pixels; the limit is %d on each side", name, width, height,
                  ABBE_SIDE_MAX);
    else if (image->Bands > ABBE_CHANNELS_MAX)
        say_error("%s: has %d channels; the limit is %d", name, image->Bands, ABBE_CHANNELS_MAX);
    else if (vips_band_format_iscomplex(image->BandFmt))
        say_error("%s: contains complex numbers, which cannot be filtered", name);
    else
        return true;
    return false;
}

bool inflow_check_pixels(const struct inflow *inflow, long long max_pixels)
{
    const VipsImage *image = inflow->image;
    long long pixels = (long long)image->Xsize * image->Ysize;
    if (pixels > max_pixels)
        say_error("%s: declares %d x %d pixels, %lld in all; --max-pixels allows %lld", inflow->name,
                  image->Xsize, image->Ysize, pixels, max_pixels);
    return pixels <= max_pixels;
}

/* ---- The samples --------------------------------------------------------------------------------------- */

/* Releases the input of a step of libvips and returns its output, NULL after a failure. */
static VipsImage *then(VipsImage *before, int failed, VipsImage **after)
{
    g_object_unref(before);
    return failed ? NULL : *after;
}

/* Converts colour spaces that do not use a scale of 0 to 1 to RGB: those for displays to 16 bits, those that
 * measure light to linear floats. */
static VipsImage *convert_colours(VipsImage *image)
{
    VipsImage *next = NULL;
    switch (image->Type) {
    case VIPS_INTERPRETATION_LAB:
    case VIPS_INTERPRETATION_LABS:
    case VIPS_INTERPRETATION_LCH:
    case VIPS_INTERPRETATION_CMC:
    case VIPS_INTERPRETATION_HSV:
        return then(image, vips_colourspace(image, &next, VIPS_INTERPRETATION_RGB16, NULL), &next);
    case VIPS_INTERPRETATION_XYZ:
    case VIPS_INTERPRETATION_YXY:
        return then(image, vips_colourspace(image, &next, VIPS_INTERPRETATION_scRGB, NULL), &next);
    default: return image;
    }
}

/* The largest value of an integer format, which stands for 1. */
static double full_scale(VipsBandFormat format)
{
    switch (format) {
    case VIPS_FORMAT_CHAR: return 127;
    case VIPS_FORMAT_SHORT: return 32767;
    case VIPS_FORMAT_INT: return 2147483647;
    case VIPS_FORMAT_UINT: return 4294967295;
    default: return 1;
    }
}

/* libvips shifts samples of 10 and 12 bits to the upper end of 16, so that white is not quite 65535. */
static VipsImage *stretch_samples(VipsImage *image)
{
    int depth = 16;
    VipsImage *next = NULL;
    if (image->BandFmt != VIPS_FORMAT_USHORT || vips_image_get_typeof(image, "heif-bitdepth") == 0 ||
        vips_image_get_int(image, "heif-bitdepth", &depth) != 0 || depth <= 8 || depth >= 16)
        return image;
    image = then(image, vips_linear1(image, &next, 65535.0 / (65536 - (1 << (16 - depth))), 0.5, NULL),
                 &next);
    return image ? then(image, vips_cast_ushort(image, &next, NULL), &next) : NULL;
}

VipsImage *read_convert_samples(VipsImage *image)
{
    VipsImage *next = NULL;
    image = then(image, vips_image_decode(image, &next), &next);
    image = image ? stretch_samples(image) : NULL;
    image = image ? convert_colours(image) : NULL;
    if (!image || image->BandFmt == VIPS_FORMAT_UCHAR || image->BandFmt == VIPS_FORMAT_USHORT ||
        image->BandFmt == VIPS_FORMAT_FLOAT)
        return image;
    if (image->BandFmt != VIPS_FORMAT_DOUBLE)
        image = then(image, vips_linear1(image, &next, 1 / full_scale(image->BandFmt), 0, NULL), &next);
    return image ? then(image, vips_cast_float(image, &next, NULL), &next) : NULL;
}

/* ---- The pixels ---------------------------------------------------------------------------------------- */

/* Copies the bytes of a field, a function for vips_image_map. */
static void *copy_blob(VipsImage *image, const char *field, GValue *value, void *header)
{
    size_t size = 0;
    (void)image;
    if (G_VALUE_TYPE(value) == VIPS_TYPE_BLOB) {
        const void *bytes = vips_value_get_blob(value, &size);
        vips_image_set_blob_copy(header, field, bytes, size);
    }
    return NULL;
}

/* Metadata of an image without its pixels; NULL on failure. Blobs of HEIF and AVIF files belong to the image of the
 * loader and end with it. */
static VipsImage *copy_metadata(VipsImage *image)
{
    VipsImage *header = vips_image_new();
    if (vips_image_pipelinev(header, VIPS_DEMAND_STYLE_ANY, image, NULL) == 0) {
        vips_image_map(image, copy_blob, header);
        return header;
    }
    g_object_unref(header);
    return NULL;
}

/* Decodes strip by strip, each pixel straight to its place, so that the picture is in memory only once. This
 * thread decodes: other threads that run out of memory end in GLib, and libvips 8.14 may lose the error of the
 * last of several threads. */
static bool decode_strips(VipsImage *image, const struct stage *stage, const struct turned *turned)
{
    int width, height, rows;
    vips_get_tile_size(image, &width, &height, &rows);
    VipsRegion *region = vips_image_pio_input(image) == 0 ? vips_region_new(image) : NULL;
    bool done = region != NULL;
    for (int top = 0; done && top < image->Ysize; top += rows) {
        VipsRect strip = { 0, top, image->Xsize, MIN(rows, image->Ysize - top) };
        done = vips_region_prepare(region, &strip) == 0;
        if (done)
            turn_in(turned, &strip, (const char *)VIPS_REGION_ADDR(region, 0, top),
                    VIPS_REGION_LSKIP(region));
        watchdog_progress();
        progress_show(stage->what, stage->from + (double)top / image->Ysize * (stage->to - stage->from));
    }
    if (region)
        g_object_unref(region);
    return done;
}

void read_say_failed(const struct inflow *inflow)
{
    const char *reason = picture_reason("unknown reason");
    bool is_short = strstr(reason, "out of memory") || strstr(reason, "creating thread");
    say_error("%s: %s: %s", inflow->name, is_short ? "cannot be read" : "damaged or truncated", reason);
}

/* Describes the picture without its pixels. Pages lie below each other in an image. */
static bool describe(struct inflow *inflow, const struct reading *reading)
{
    VipsImage *image = inflow->image;
    struct picture *shape = &inflow->shape;
    int orientation = vips_image_get_orientation(image);
    bool swaps = turn_swaps(orientation);
    int pages = reading->page == PAGES_ALL ? image->Ysize / vips_image_get_page_height(image) : 1;
    int width = image->Xsize, height = image->Ysize / pages;
    abbe_type type = image->BandFmt == VIPS_FORMAT_UCHAR    ? ABBE_U8
                     : image->BandFmt == VIPS_FORMAT_USHORT ? ABBE_U16
                                                            : ABBE_F32;
    shape->view = (abbe_image){ .width = swaps ? height : width,
                                .height = swaps ? width : height,
                                .channels = image->Bands,
                                .type = type };
    shape->view.stride = (ptrdiff_t)shape->view.width * image->Bands * (ptrdiff_t)abbe_type_size(type);
    shape->held = pages;
    shape->orientation = orientation;
    shape->pages = pages_of(image);
    shape->has_alpha = vips_image_hasalpha(image) && image->Bands == picture_colours(image->Type) + 1;
    shape->origin = copy_metadata(image);
    if (!shape->origin)
        read_say_failed(inflow);
    return shape->origin != NULL;
}

bool inflow_open(const char *path, const struct reading *reading, struct inflow *inflow)
{
    *inflow = (struct inflow){ .path = path, .name = open_name(path, reading) };
    watchdog_begin(inflow->name);
    VipsImage *image = open_image(path, reading, inflow);
    if (image && !check_header(inflow->name, image)) {
        g_object_unref(image);
        return false;
    }
    inflow->image = image ? read_convert_samples(image) : NULL;
    if (image && !inflow->image)
        say_error("%s: cannot be read: %s", inflow->name, picture_reason("unknown reason"));
    bool done = inflow->image && describe(inflow, reading);
    watchdog_pause();
    return done;
}

bool inflow_load(struct inflow *inflow, double from, double to, struct picture *picture)
{
    const struct picture *shape = &inflow->shape;
    VipsImage *image = inflow->image;
    const struct stage stage = { "reading", from, to };
    watchdog_expect((long long)image->Xsize * image->Ysize);
    if (!picture_create_pages(shape->view.width, shape->view.height, shape->view.channels, shape->view.type,
                              NULL, shape->held, picture))
        return false;
    picture->orientation = shape->orientation;
    picture->pages = shape->pages;
    picture->has_alpha = shape->has_alpha;
    picture->origin = g_object_ref(shape->origin);
    struct turned turned = turn_picture(&picture->view, shape->orientation);
    bool done = decode_strips(image, &stage, &turned);
    watchdog_pause();
    if (!done) {
        read_say_failed(inflow);
        picture_free(picture);
    }
    return done;
}

void inflow_say_mended(const struct inflow *inflow)
{
    bool is_mended = strstr(vips_error_buffer(), "VipsJpeg") != NULL;
    if (!inflow->is_sound || is_mended)
        say_warning("%s: may be damaged: %s", inflow->name,
                    picture_reason("its data does not end as it should"));
}

bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture)
{
    *picture = (struct picture){ 0 };
    struct inflow inflow;
    progress_show("reading", from);
    bool done = inflow_open(path, reading, &inflow) && inflow_check_pixels(&inflow, reading->max_pixels) &&
                inflow_load(&inflow, from, to, picture);
    if (done)
        inflow_say_mended(&inflow);
    inflow_close(&inflow);
    return done;
}
