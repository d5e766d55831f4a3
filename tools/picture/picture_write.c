/* Writes a picture: pixels turned as its file stores them, metadata as it came, the file whole or not at all. */
#include "picture_parts.h"
#include "progress.h"
#include "say.h"
#include "target.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- The pixels, for libvips to fetch ------------------------------------------------------------------- */

static int give_rows(VipsRegion *region, void *sequence, void *turned, void *unused, gboolean *stop)
{
    (void)sequence, (void)unused, (void)stop;
    VipsRect *area = &region->valid;
    VipsPel *rows = VIPS_REGION_ADDR(region, area->left, area->top);
    picture_turn_out(turned, area, (char *)rows, VIPS_REGION_LSKIP(region));
    return 0;
}

/* ---- The file, as libvips sees it ----------------------------------------------------------------------- */

/* Our own end of the pipe rather than one of libvips's, so that success never rests on how a saver treats errors, and
 * the reason is known. Told that a write failed, libvips 8.14's saver for JPEG 2000 tries for ever; so savers are not
 * told. The first error is kept here, and the image gives no more pixels, which makes every saver stop. */
struct outlet {
    int descriptor;
    VipsImage *image;
    int error; /* errno; 0: none */
};

static gint64 remember(struct outlet *outlet, gint64 result, gint64 hoped)
{
    if (result >= 0)
        return result;
    if (!outlet->error)
        outlet->error = errno ? errno : EIO;
    vips_image_set_kill(outlet->image, TRUE);
    return hoped;
}

static gint64 outlet_write(VipsTargetCustom *target, const void *bytes, gint64 size, struct outlet *outlet)
{
    (void)target;
    bool written = !outlet->error && target_write(outlet->descriptor, bytes, (size_t)size);
    return remember(outlet, written ? size : -1, size);
}

static gint64 outlet_read(VipsTargetCustom *target, void *bytes, gint64 size, struct outlet *outlet)
{
    (void)target;
    return remember(outlet, read(outlet->descriptor, bytes, (size_t)size), -1);
}

static gint64 outlet_seek(VipsTargetCustom *target, gint64 offset, int whence, struct outlet *outlet)
{
    (void)target;
    return remember(outlet, lseek(outlet->descriptor, offset, whence), -1);
}

static VipsTarget *outlet_target(struct outlet *outlet)
{
    VipsTargetCustom *target = vips_target_custom_new();
    g_signal_connect(target, "write", G_CALLBACK(outlet_write), outlet);
    g_signal_connect(target, "read", G_CALLBACK(outlet_read), outlet);
    g_signal_connect(target, "seek", G_CALLBACK(outlet_seek), outlet);
    return VIPS_TARGET(target);
}

/* ---- Saving --------------------------------------------------------------------------------------------- */

/* Runs the saver, which it takes over. */
static bool save(VipsOperation *saver, VipsImage *image, VipsTarget *target)
{
    g_object_set(saver, "in", image, "target", target, NULL);
    /* What is unfit for reading strangers' files is fit for writing one's own. */
    vips_operation_block_set(G_OBJECT_TYPE_NAME(saver), FALSE);
    bool done = vips_object_build(VIPS_OBJECT(saver)) == 0;
    vips_object_unref_outputs(VIPS_OBJECT(saver));
    g_object_unref(saver);
    return done;
}

static bool save_file(VipsOperation *saver, VipsImage *image, const char *path)
{
    struct target target;
    if (!target_open(path, &target)) {
        g_object_unref(saver);
        return false;
    }
    struct outlet outlet = { .descriptor = target.descriptor, .image = image };
    VipsTarget *end = outlet_target(&outlet);
    bool saved = save(saver, image, end);
    g_object_unref(end);
    if (outlet.error)
        say_error("%s: cannot be written: %s", path, strerror(outlet.error));
    else if (!saved)
        say_error("%s: cannot be written: %s", path, picture_reason("no reason given"));
    bool done = saved && !outlet.error && target_commit(&target);
    target_close(&target);
    return done;
}

/* By way of memory: TIFF goes back and forth in its file, and a failure then sends nothing at all. */
static bool save_stdout(VipsOperation *saver, VipsImage *image)
{
    VipsTarget *target = vips_target_new_to_memory();
    VipsBlob *blob = NULL;
    size_t size = 0;
    if (save(saver, image, target))
        g_object_get(target, "blob", &blob, NULL);
    else
        say_error("standard output: cannot be written: %s", picture_reason("no reason given"));
    const void *bytes = blob ? vips_blob_get(blob, &size) : NULL;
    bool done = bytes && target_write_stdout(bytes, size);
    if (blob)
        vips_area_unref(VIPS_AREA(blob));
    g_object_unref(target);
    return done;
}

/* ---- Writing -------------------------------------------------------------------------------------------- */

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
    say_error("%s: %s has no room for %d channels; TIFF does", name, format->title, picture->view.channels);
    return false;
}

/* Inks to light, by the profile that came with them; it does not describe the result. */
static VipsImage *to_rgb(VipsImage *cmyk, abbe_type type)
{
    VipsImage *rgb = NULL;
    VipsInterpretation space = type == ABBE_U8 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16;
    int failed = vips_colourspace(cmyk, &rgb, space, NULL);
    g_object_unref(cmyk);
    if (failed)
        return NULL;
    vips_image_remove(rgb, VIPS_META_ICC_NAME);
    return rgb;
}

/* The picture as an image of libvips, ready to be saved; NULL on failure. `turned` lives as long as it. */
static VipsImage *compose(const struct picture *picture, const struct format *format, const char *description,
                          struct turned *turned)
{
    *turned = picture_turn(&picture->view, picture_kept_turn(picture, format));
    VipsImage *image = picture_header_create(picture, format, description);
    if (image && vips_image_generate(image, NULL, give_rows, NULL, turned, NULL) != 0) {
        g_object_unref(image);
        return NULL;
    }
    bool inks = image && is_cmyk(picture) && format->colours < 4;
    return inks ? to_rgb(image, picture->view.type) : image;
}

static bool write_to(const struct destination *destination, const struct picture *picture,
                     const char *description, struct stage *stage)
{
    const abbe_image *view = &picture->view;
    struct turned turned;
    VipsOperation *saver = destination_saver(destination, view->type,
                                             (size_t)view->stride * (size_t)view->height);
    if (!saver)
        return false;
    VipsImage *image = compose(picture, destination->format, description, &turned);
    if (!image) {
        g_object_unref(saver);
        say_error("%s: cannot be written: %s", destination->path ? destination->path : "standard output",
                  picture_reason("no reason given"));
        return false;
    }
    picture_watch(image, stage);
    bool done = destination->path ? save_file(saver, image, destination->path) : save_stdout(saver, image);
    g_object_unref(image);
    return done;
}

bool picture_write(const struct picture *picture, const char *path, const char *description, double from,
                   double to)
{
    struct stage stage = { "writing", from, to };
    struct destination destination;
    progress_show(stage.what, from);
    bool done = destination_parse(path, picture->view.type, &destination) &&
                check_channels(picture, picture_output_name(path), destination.format) &&
                write_to(&destination, picture, description, &stage);
    destination_free(&destination);
    vips_error_clear();
    return done;
}
