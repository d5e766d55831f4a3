/* Writes a picture: metadata of its source, pixels in the orientation of the file. */
#define _GNU_SOURCE /* memfd_create */
#include "progress.h"
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Metadata ------------------------------------------------------------------------------------------ */

/* Colour channels of the result. A result with as many channels as its source has the colours of the source,
 * so that four grey layers do not become RGB with alpha. */
static int colours_of(const struct picture *picture)
{
    VipsImage *origin = picture->origin;
    int colours = picture->view.channels - picture->has_alpha;
    if (origin && origin->Bands == picture->view.channels)
        return picture_colours(origin->Type);
    return colours == 1 || colours == 3 ? colours : 0;
}

static VipsInterpretation interpretation_of(const struct picture *picture)
{
    const abbe_image *view = &picture->view;
    VipsImage *origin = picture->origin;
    bool unchanged = origin && origin->Bands == view->channels &&
                     origin->BandFmt == picture_band_format(view->type);
    if (unchanged)
        return origin->Type;
    switch (colours_of(picture)) {
    case 1: return view->type == ABBE_U16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
    case 3:
        return view->type == ABBE_U8    ? VIPS_INTERPRETATION_sRGB
               : view->type == ABBE_U16 ? VIPS_INTERPRETATION_RGB16
                                        : VIPS_INTERPRETATION_scRGB;
    case 4: return VIPS_INTERPRETATION_CMYK;
    default: return VIPS_INTERPRETATION_MULTIBAND;
    }
}

/* Removes metadata that does not apply to a result with that number of pages. The thumbnail shows the picture before it was filtered,
 * and may show what the filter was to hide; with the other tags savers would cut, animate or quantise. */
static void remove_stale_metadata(VipsImage *image, int pages)
{
    static const char *const stale[] = {
        "jpeg-thumbnail-data", VIPS_META_PAGE_HEIGHT,
        VIPS_META_N_PAGES,     VIPS_META_N_SUBIFDS,
        "gif-delay",           "gif-loop",
        "gif-palette",         "palette",
        "bits-per-sample",     "palette-bit-depth",
        "heif-bitdepth",       "heif-primary",
        "background",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(stale); i++)
        vips_image_remove(image, stale[i]);
    if (pages > 1)
        return;
    vips_image_remove(image, "delay");
    vips_image_remove(image, "loop");
}

/* The orientation of the picture in a file of that format: its own, or 1 where the tag would be lost. */
static int stored_orientation(const struct picture *picture, const struct format *format)
{
    bool has_exif = picture->origin && vips_image_get_typeof(picture->origin, VIPS_META_EXIF_NAME) != 0;
    bool keeps = format->turn == TURN_KEPT || (format->turn == TURN_IN_EXIF && has_exif);
    return keeps ? picture->orientation : 1;
}

/* An image without pixels and with the metadata for a file of that format. NULL on failure. */
static VipsImage *create_header(const struct picture *picture, const struct format *format,
                                const char *description)
{
    const abbe_image *view = &picture->view;
    VipsImage *origin = picture->origin;
    int orientation = stored_orientation(picture, format);
    bool swaps = turn_swaps(orientation);
    VipsImage *image = vips_image_new();
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, origin, NULL) != 0) {
        g_object_unref(image);
        return NULL;
    }
    VipsInterpretation interpretation = interpretation_of(picture);
    /* A profile for RGB does not describe a grey result. */
    if (origin && picture_colours(origin->Type) != picture_colours(interpretation))
        vips_image_remove(image, VIPS_META_ICC_NAME);
    int height = swaps ? view->width : view->height;
    vips_image_init_fields(image, swaps ? view->height : view->width, height * VIPS_MAX(picture->held, 1),
                           view->channels, picture_band_format(view->type), VIPS_CODING_NONE, interpretation,
                           origin ? origin->Xres : 1.0, origin ? origin->Yres : 1.0);
    remove_stale_metadata(image, picture->held);
    if (picture->held > 1) {
        vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, height);
        vips_image_set_int(image, VIPS_META_N_PAGES, picture->held);
    }
    if (orientation > 1)
        vips_image_set_int(image, VIPS_META_ORIENTATION, orientation);
    else
        vips_autorot_remove_angle(image); /* also from EXIF */
    if (description && *description)
        vips_image_set_string(image, VIPS_META_IMAGEDESCRIPTION, description);
    else if (description)
        vips_image_remove(image, VIPS_META_IMAGEDESCRIPTION);
    return image;
}

/* ---- Pixels -------------------------------------------------------------------------------------------- */

/* Called by libvips for the pixels of a region. */
static int provide_rows(VipsRegion *region, void *sequence, void *turned, void *unused, gboolean *stop)
{
    (void)sequence, (void)unused, (void)stop;
    VipsRect *area = &region->valid;
    VipsPel *rows = VIPS_REGION_ADDR(region, area->left, area->top);
    turn_out(turned, area, (char *)rows, VIPS_REGION_LSKIP(region));
    return 0;
}

/* ---- The file ------------------------------------------------------------------------------------------ */

/* Returns `result`; a failure is noted and `reported` returned instead. */
static gint64 note_error(struct outlet *outlet, gint64 result, gint64 reported)
{
    if (result >= 0)
        return result;
    if (!outlet->error)
        outlet->error = errno ? errno : EIO;
    vips_image_set_kill(outlet->image, TRUE);
    return reported;
}

static gint64 outlet_write(VipsTargetCustom *target, const void *bytes, gint64 size, struct outlet *outlet)
{
    (void)target;
    bool written = !outlet->error && target_write(outlet->descriptor, bytes, (size_t)size);
    return note_error(outlet, written ? size : -1, size);
}

static gint64 outlet_read(VipsTargetCustom *target, void *bytes, gint64 size, struct outlet *outlet)
{
    (void)target;
    return note_error(outlet, read(outlet->descriptor, bytes, (size_t)size), -1);
}

static gint64 outlet_seek(VipsTargetCustom *target, gint64 offset, int whence, struct outlet *outlet)
{
    (void)target;
    return note_error(outlet, lseek(outlet->descriptor, offset, whence), -1);
}

static VipsTarget *create_outlet_target(struct outlet *outlet)
{
    VipsTargetCustom *target = vips_target_custom_new();
    g_signal_connect(target, "write", G_CALLBACK(outlet_write), outlet);
    g_signal_connect(target, "read", G_CALLBACK(outlet_read), outlet);
    g_signal_connect(target, "seek", G_CALLBACK(outlet_seek), outlet);
    return VIPS_TARGET(target);
}

/* ---- Saving -------------------------------------------------------------------------------------------- */

static bool run_saver(const struct saving *saving, VipsTarget *target)
{
    VipsOperation *saver = saving->saver;
    if (!saver)
        return saving->format->write(saving->image, target) && vips_target_end(target) == 0;
    g_object_set(saver, "in", saving->image, "target", target, NULL);
    /* libvips blocks the savers of untrusted formats together with their loaders; savers are safe. */
    vips_operation_block_set(G_OBJECT_TYPE_NAME(saver), FALSE);
    bool done = vips_object_build(VIPS_OBJECT(saver)) == 0;
    vips_object_unref_outputs(VIPS_OBJECT(saver));
    return done;
}

bool saving_run(struct saving *saving, int descriptor)
{
    struct outlet *outlet = &saving->outlet;
    *outlet = (struct outlet){ .descriptor = descriptor, .image = saving->image };
    VipsTarget *end = create_outlet_target(outlet);
    bool saved = run_saver(saving, end);
    g_object_unref(end);
    return saved && !outlet->error;
}

bool saving_finish(struct saving *saving, bool saved)
{
    struct outlet *outlet = &saving->outlet;
    if (saved && !saving->strips && saving->format->finish &&
        !saving->format->finish(saving->name, saving->image, outlet->descriptor))
        outlet->error = errno;
    if (outlet->error)
        say_error("%s: cannot be written: %s", saving->name, strerror(outlet->error));
    else if (!saved)
        say_error("%s: cannot be written: %s", saving->name, picture_reason("unknown reason"));
    return saved && !outlet->error;
}

/* Writes the whole file to a descriptor that can seek. Prints errors. */
static bool save_descriptor(struct saving *saving, int descriptor)
{
    return saving_finish(saving, saving_run(saving, descriptor));
}

static bool save_file(struct saving *saving, const char *path)
{
    struct target target;
    if (!target_open(path, &target))
        return false;
    bool done = save_descriptor(saving, target.descriptor) && target_commit(&target);
    target_close(&target);
    return done;
}

/* Copies a file from its beginning to standard output. */
static bool copy_to_stdout(int descriptor)
{
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    ssize_t got = lseek(descriptor, 0, SEEK_SET) == 0 ? 1 : -1;
    while (got > 0) {
        got = read(descriptor, piece, sizeof piece);
        if (got > 0 && !target_write_stdout(piece, (size_t)got))
            return false;
    }
    if (got < 0)
        say_error("standard output: %s", strerror(errno));
    return got == 0;
}

/* Saves to memory first: TIFF needs to seek, and after a failure nothing must have been written. */
static bool save_stdout(struct saving *saving)
{
    int descriptor = memfd_create("abbe", MFD_CLOEXEC);
    if (descriptor < 0) {
        say_error("standard output: %s", strerror(errno));
        return false;
    }
    bool done = save_descriptor(saving, descriptor) && copy_to_stdout(descriptor);
    close(descriptor);
    return done;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static bool is_cmyk(const struct picture *picture)
{
    VipsImage *origin = picture->origin;
    return origin && origin->Type == VIPS_INTERPRETATION_CMYK && origin->Bands == picture->view.channels;
}

static bool check_channels(const struct picture *picture, const char *name, const struct format *format)
{
    int colours = picture->view.channels - picture->has_alpha;
    if (colours <= format->colours || is_cmyk(picture))
        return true;
    say_error("%s: %s cannot hold %d channels; TIFF can", name, format->title, picture->view.channels);
    return false;
}

/* Takes the place of an image: releases it and returns `next`, NULL after a failure. */
static VipsImage *replace_image(VipsImage *image, int failed, VipsImage *next)
{
    g_object_unref(image);
    return failed ? NULL : next;
}

/* Multiplies samples; `ushorts` makes them integers. */
static VipsImage *scale_samples(VipsImage *image, double factor, bool ushorts)
{
    VipsImage *next = NULL;
    int failed = vips_linear1(image, &next, factor, ushorts ? 0.5 : 0, NULL);
    image = replace_image(image, failed, next);
    if (!image)
        return NULL;
    failed = ushorts ? vips_cast_ushort(image, &next, NULL) : vips_cast_float(image, &next, NULL);
    return replace_image(image, failed, next);
}

/* Converts CMYK by its embedded profile, which is then removed because it does not describe RGB. libvips has no
 * CMYK in floats from 0 to 1, so these are converted as 16 bits. */
static VipsImage *convert_to_rgb(VipsImage *cmyk, abbe_type type)
{
    VipsImage *rgb = NULL;
    VipsInterpretation space = type == ABBE_U8 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16;
    cmyk = type == ABBE_F32 ? scale_samples(cmyk, 65535, true) : cmyk;
    if (!cmyk)
        return NULL;
    int failed = vips_colourspace(cmyk, &rgb, space, NULL);
    rgb = replace_image(cmyk, failed, rgb);
    if (!rgb)
        return NULL;
    vips_image_remove(rgb, VIPS_META_ICC_NAME);
    return type == ABBE_F32 ? scale_samples(rgb, 1.0 / 65535, false) : rgb;
}

/* libvips's saver for HEIF cuts 16 bits to those of the file; scaling and adding one half rounds instead. */
static VipsImage *round_to_bits(VipsImage *image, VipsOperation *saver)
{
    int depth = 16;
    VipsImage *scaled = NULL, *next = NULL;
    if (image->BandFmt != VIPS_FORMAT_USHORT || !saver ||
        strcmp(VIPS_OBJECT_GET_CLASS(saver)->nickname, "heifsave_target"))
        return image;
    g_object_get(saver, "bitdepth", &depth, NULL);
    double step = 1 << (16 - depth);
    int failed = vips_linear1(image, &scaled, (65536 - step) / 65535, step / 2, NULL);
    scaled = replace_image(image, failed, scaled);
    if (!scaled)
        return NULL;
    failed = vips_cast_ushort(scaled, &next, NULL);
    return replace_image(scaled, failed, next);
}

/* The picture as an image of libvips, NULL on failure. */
static VipsImage *create_image(const struct picture *picture, const struct format *format,
                               const char *description, VipsGenerateFn provide, void *context)
{
    VipsImage *image = create_header(picture, format, description);
    if (image && vips_image_generate(image, NULL, provide, NULL, context, NULL) != 0) {
        g_object_unref(image);
        return NULL;
    }
    bool converts = image && is_cmyk(picture) && format->colours < 4;
    return converts ? convert_to_rgb(image, picture->view.type) : image;
}

/* PFM has no alpha: transparent pixels are black, as savers of libvips make them for other formats. */
static VipsImage *flatten_alpha(VipsImage *image, const struct picture *picture, const struct format *format)
{
    VipsImage *flat = NULL;
    if (!format->write || !picture->has_alpha || format->narrowest != ABBE_F32)
        return image;
    int failed = vips_flatten(image, &flat, "max_alpha", 1.0, NULL);
    g_object_unref(image);
    return failed ? NULL : flat;
}

static void prepare_metadata(struct saving *saving)
{
    gboolean strips = FALSE;
    const char *saver = saving->format->saver;
    if (saving->saver)
        g_object_get(saving->saver, "strip", &strips, NULL);
    saving->strips = strips;
    if (!strips)
        metadata_say_lost(saving->name, saving->format, saving->image);
    resources_join(saving->name, saving->image, saver && !strcmp(saver, "jpegsave_target"));
}

bool saving_begin(const struct picture *picture, const struct destination *destination,
                  const char *description, VipsGenerateFn provide, void *context, struct saving *saving)
{
    const abbe_image *view = &picture->view;
    const struct format *format = destination_format(destination, view->type);
    *saving = (struct saving){ .name = destination->name, .format = format };
    if (!check_channels(picture, destination->name, format) ||
        !destination_create_saver(destination, view->type,
                                  (size_t)view->stride * (size_t)view->height *
                                      (size_t)VIPS_MAX(picture->held, 1),
                                  picture->origin, &saving->saver))
        return false;
    VipsImage *image = create_image(picture, format, description, provide, context);
    image = image ? round_to_bits(image, saving->saver) : NULL;
    saving->image = image ? flatten_alpha(image, picture, format) : NULL;
    if (saving->image)
        prepare_metadata(saving);
    else
        say_error("%s: cannot be written: %s", destination->name, picture_reason("unknown reason"));
    return saving->image != NULL;
}

void saving_end(struct saving *saving)
{
    if (saving->image)
        g_object_unref(saving->image);
    if (saving->saver)
        g_object_unref(saving->saver);
    vips_error_clear();
}

bool picture_write(const struct picture *picture, const struct destination *destination,
                   const char *description, double from, double to)
{
    struct stage stage = { "writing", from, to };
    const struct format *format = destination_format(destination, picture->view.type);
    progress_show(stage.what, from);
    struct picture first = picture_page(picture, 0);
    if (picture->held > 1 && !format->has_pages) {
        say_warning("%s: %s files have one page; the first of %d is written", destination->name,
                    format->title, picture->held);
        picture = &first;
    }
    struct turned turned = turn_picture(&picture->view, stored_orientation(picture, format));
    struct saving saving;
    bool done = saving_begin(picture, destination, description, provide_rows, &turned, &saving);
    if (done) {
        picture_watch(saving.image, &stage);
        done = destination->path ? save_file(&saving, destination->path) : save_stdout(&saving);
    }
    saving_end(&saving);
    return done;
}
