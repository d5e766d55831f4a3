/* Pictures in memory; the start, the errors and the progress of libvips. */
#include "progress.h"
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libvips ------------------------------------------------------------------------------------------- */

/* Prints fatal messages, after which GLib ends the process by SIGTRAP. Want of memory ends it here, as an
 * orderly failure. Warnings are ignored. */
static void say_fatal(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)user;
    if (!(level & (G_LOG_FLAG_FATAL | G_LOG_LEVEL_ERROR)))
        return;
    if (message && (strstr(message, "failed to allocate") || strstr(message, "creating thread")))
        target_die("out of memory");
    say_error("fatal error: %s", message ? message : "unknown reason");
}

static bool started;

bool picture_begin(const char *program, int threads)
{
    if (started)
        return true;
    g_log_set_default_handler(say_fatal, NULL);
    if (vips_init(program) != 0) {
        say_error("libvips cannot be started: %s", picture_reason("unknown reason"));
        return false;
    }
    /* No cache of operations: a file may change between two reads, and pictures are large. */
    vips_cache_set_max(0);
    vips_block_untrusted_set(TRUE);
    if (threads > 0)
        vips_concurrency_set(threads);
    started = true;
    return true;
}

void picture_end(void)
{
    if (started)
        vips_shutdown();
    started = false;
}

const char *picture_library(void)
{
    static char text[64];
    snprintf(text, sizeof text, "libvips %d.%d.%d", vips_version(0), vips_version(1), vips_version(2));
    return text;
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

/* Skips "pngload_source: " and the like, the name of an operation of libvips, or of libtiff's file. */
static const char *skip_domain(const char *line)
{
    static const char input[] = "source input: ";
    if (!strncmp(line, input, sizeof input - 1))
        return line + sizeof input - 1;
    const char *colon = strstr(line, ": ");
    return colon && strcspn(line, " ") > (size_t)(colon - line) ? colon + 2 : line;
}

/* Whether a line only states that something failed. */
static bool has_no_reason(const char *line)
{
    static const char *const texts[] = { "", "read error", "write error", "unable to call", "bad seek" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (i == 0 ? !*line : !strncmp(line, texts[i], strlen(texts[i])))
            return true;
    return false;
}

const char *picture_reason(const char *fallback)
{
    static char reason[256];
    char *errors = strdup(vips_error_buffer()), *rest = NULL;
    vips_error_clear();
    snprintf(reason, sizeof reason, "%s", fallback);
    for (char *line = errors ? strtok_r(errors, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *text = skip_domain(line);
        if (has_no_reason(text))
            continue;
        /* When a whole strip or tile is missing, libtiff prints line −1 as an unsigned number. */
        bool is_missing = strstr(text, "scanline 4294967295") != NULL;
        snprintf(reason, sizeof reason, "%s", is_missing ? "pixels are missing" : text);
        break;
    }
    free(errors);
    return reason;
}

/* ---- Progress ------------------------------------------------------------------------------------------ */

static void show_progress(VipsImage *image, VipsProgress *progress, struct stage *stage)
{
    (void)image;
    double part = progress->tpels > 0 ? (double)progress->npels / (double)progress->tpels : 0;
    progress_show(stage->what, stage->from + part * (stage->to - stage->from));
}

void picture_watch(VipsImage *image, struct stage *stage)
{
    vips_image_set_progress(image, TRUE);
    g_signal_connect(image, "eval", G_CALLBACK(show_progress), stage);
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

VipsBandFormat picture_band_format(abbe_type type)
{
    return type == ABBE_U8 ? VIPS_FORMAT_UCHAR : type == ABBE_U16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_FLOAT;
}

int picture_colours(VipsInterpretation interpretation)
{
    switch (interpretation) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16: return 1;
    case VIPS_INTERPRETATION_CMYK: return 4;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
    case VIPS_INTERPRETATION_HSV:
    case VIPS_INTERPRETATION_LAB:
    case VIPS_INTERPRETATION_LABS:
    case VIPS_INTERPRETATION_LCH:
    case VIPS_INTERPRETATION_CMC:
    case VIPS_INTERPRETATION_XYZ:
    case VIPS_INTERPRETATION_YXY: return 3;
    default: return 0;
    }
}

static struct {
    bool (*make_room)(void *user);
    void *user;
} when_short;

void picture_when_short(bool (*make_room)(void *user), void *user)
{
    when_short.make_room = make_room;
    when_short.user = user;
}

static void *allocate_samples(size_t bytes)
{
    void *data = malloc(bytes);
    bool again = !data && when_short.make_room && when_short.make_room(when_short.user);
    return again ? malloc(bytes) : data;
}

bool picture_create(int width, int height, int channels, abbe_type type, const struct picture *like,
                    struct picture *picture)
{
    return picture_create_pages(width, height, channels, type, like, 1, picture);
}

bool picture_create_pages(int width, int height, int channels, abbe_type type, const struct picture *like,
                          int pages, struct picture *picture)
{
    size_t row = (size_t)width * (size_t)channels * abbe_type_size(type), bytes = 0;
    bool fits = !__builtin_mul_overflow(row, (size_t)height, &bytes) &&
                !__builtin_mul_overflow(bytes, (size_t)pages, &bytes) && bytes <= PTRDIFF_MAX;
    void *data = fits ? allocate_samples(bytes) : NULL;
    if (!data) {
        say_error("out of memory: a picture of %d x %d pixels with %d channels needs %.3g GB", width, height,
                  channels, (double)row * height * pages / 1e9);
        return false;
    }
    *picture = (struct picture){
        .view = { .data = data,
                  .width = width,
                  .height = height,
                  .channels = channels,
                  .stride = (ptrdiff_t)row,
                  .type = type },
        .has_alpha = like ? like->has_alpha && channels == like->view.channels
                          : channels == 2 || channels == 4,
        .orientation = like ? like->orientation : 1,
        .pages = 1,
        .held = pages,
    };
    if (like && like->origin)
        picture->origin = g_object_ref(like->origin);
    return true;
}

struct picture picture_page(const struct picture *picture, int page)
{
    struct picture one = *picture;
    one.view.data = (char *)one.view.data + page * one.view.stride * one.view.height;
    one.held = 1;
    return one;
}

bool picture_append(struct picture *picture, struct picture *page)
{
    if (!picture->view.data) {
        *picture = *page;
        *page = (struct picture){ 0 };
        return true;
    }
    size_t bytes = (size_t)page->view.stride * (size_t)page->view.height, all = 0;
    bool fits = !__builtin_mul_overflow(bytes, (size_t)picture->held + 1, &all) && all <= PTRDIFF_MAX;
    void *data = fits ? realloc(picture->view.data, all) : NULL;
    if (!data) {
        say_error("out of memory: %d pages of %d x %d pixels", picture->held + 1, page->view.width,
                  page->view.height);
        return false;
    }
    picture->view.data = data;
    memcpy((char *)data + (all - bytes), page->view.data, bytes);
    picture->held++;
    picture_free(page);
    return true;
}

void picture_free(struct picture *picture)
{
    free(picture->view.data);
    if (picture->origin)
        g_object_unref(picture->origin);
    *picture = (struct picture){ 0 };
}

const char *picture_description(const struct picture *picture)
{
    const char *text = NULL;
    VipsImage *origin = picture->origin;
    bool has = origin && vips_image_get_typeof(origin, VIPS_META_IMAGEDESCRIPTION) != 0 &&
               vips_image_get_string(origin, VIPS_META_IMAGEDESCRIPTION, &text) == 0;
    return has ? text : NULL;
}
