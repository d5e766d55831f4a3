/* Pictures in memory, and the conversation with libvips: its start, its errors, its progress. */
#include "picture_parts.h"
#include "progress.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libvips -------------------------------------------------------------------------------------------- */

/* Warnings stop nobody; but GLib ends the process after a fatal message, of which memory that is not there is the
 * usual one, and it must not end in silence. */
static void say_fatal(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    (void)domain, (void)user;
    if (level & (G_LOG_FLAG_FATAL | G_LOG_LEVEL_ERROR))
        say_error("ends here: %s", message ? message : "no reason given");
}

/* Most that libvips keeps in memory of a pipe. */
static const gint64 pipe_max = 1 << 30;

static bool started;

bool picture_begin(const char *program, int threads)
{
    if (started)
        return true;
    g_log_set_default_handler(say_fatal, NULL);
    if (vips_init(program) != 0) {
        say_error("libvips does not start: %s", picture_reason("no reason given"));
        return false;
    }
    /* A file may change between two reads of it, and pictures are large: nothing is remembered. */
    vips_cache_set_max(0);
    vips_block_untrusted_set(TRUE);
    vips_pipe_read_limit_set(pipe_max);
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

/* ---- Errors --------------------------------------------------------------------------------------------- */

/* Behind "pngload_source: " and the like, which name parts of libvips that nobody asked about. */
static const char *skip_domain(const char *line)
{
    const char *colon = strstr(line, ": ");
    return colon && strcspn(line, " ") > (size_t)(colon - line) ? colon + 2 : line;
}

/* Lines that say only that something went wrong. */
static bool is_empty_talk(const char *line)
{
    static const char *const talk[] = { "", "read error", "write error", "unable to call", "bad seek" };
    for (size_t i = 0; i < sizeof talk / sizeof talk[0]; i++)
        if (i == 0 ? !*line : !strncmp(line, talk[i], strlen(talk[i])))
            return true;
    return false;
}

/* libtiff counts lines from −1 when a strip or tile is missing altogether, and prints that without its sign. */
static const char *clearer(const char *said)
{
    return strstr(said, "scanline 4294967295") ? "pixels are missing" : said;
}

const char *picture_reason(const char *instead)
{
    static char reason[256];
    char *errors = strdup(vips_error_buffer()), *rest = NULL;
    vips_error_clear();
    snprintf(reason, sizeof reason, "%s", instead);
    for (char *line = errors ? strtok_r(errors, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *said = skip_domain(line);
        if (is_empty_talk(said))
            continue;
        snprintf(reason, sizeof reason, "%s", clearer(said));
        break;
    }
    free(errors);
    return reason;
}

const char *picture_input_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

const char *picture_output_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard output";
}

/* ---- Progress ------------------------------------------------------------------------------------------- */

static void show(VipsImage *image, VipsProgress *progress, struct stage *stage)
{
    (void)image;
    double part = progress->tpels > 0 ? (double)progress->npels / (double)progress->tpels : 0;
    progress_show(stage->what, stage->from + part * (stage->to - stage->from));
}

void picture_watch(VipsImage *image, struct stage *stage)
{
    vips_image_set_progress(image, TRUE);
    g_signal_connect(image, "eval", G_CALLBACK(show), stage);
}

/* ---- Pictures ------------------------------------------------------------------------------------------- */

VipsBandFormat picture_band_format(abbe_type type)
{
    return type == ABBE_U8 ? VIPS_FORMAT_UCHAR : type == ABBE_U16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_FLOAT;
}

static bool fail_allocation(int width, int height, int channels, double bytes)
{
    say_error("a picture of %d x %d pixels with %d channels needs %.3g GB of memory, which is not there",
              width, height, channels, bytes / 1e9);
    return false;
}

bool picture_create(int width, int height, int channels, abbe_type type, const struct picture *like,
                    struct picture *picture)
{
    size_t row = (size_t)width * (size_t)channels * abbe_type_size(type), bytes = 0;
    bool fits = !__builtin_mul_overflow(row, (size_t)height, &bytes) && bytes <= PTRDIFF_MAX;
    void *data = fits ? malloc(bytes) : NULL;
    if (!data)
        return fail_allocation(width, height, channels, (double)row * height);
    *picture = (struct picture){
        .view = { data, width, height, channels, (ptrdiff_t)row, type },
        .has_alpha = like ? like->has_alpha && channels == like->view.channels
                          : channels == 2 || channels == 4,
        .orientation = like ? like->orientation : 1,
        .pages = 1,
    };
    if (like && like->origin)
        picture->origin = g_object_ref(like->origin);
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
