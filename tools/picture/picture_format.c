/* The formats of results: which extension means what, what each can hold, and how it is best written. */
#include "picture_parts.h"
#include "say.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* A default is one or more options; a name that sets the first of them sets them all aside. Qualities are those
 * at which a photograph shows no loss; libvips's own are for the web. JPEG puts transparency on white. */
static const struct format formats[] = {
    { "png", "PNG", "pngsave_target", ABBE_U8, ABBE_U16, 3, true, { "compression=3", "filter=all" } },
    { "jpg jpeg jpe", "JPEG", "jpegsave_target", ABBE_U8, ABBE_U8, 4, true, { "Q=92", "background=255" } },
    { "tif tiff", "TIFF", "tiffsave_target", ABBE_U8, ABBE_F32, ABBE_CHANNELS_MAX, true, { NULL } },
    { "webp", "WebP", "webpsave_target", ABBE_U8, ABBE_U8, 3, true, { "Q=92" } },
    { "jxl", "JPEG XL", "jxlsave_target", ABBE_U8, ABBE_U16, 3, false, { "Q=92" } },
    { "avif", "AVIF", "heifsave_target", ABBE_U8, ABBE_U8, 3, false, { "compression=av1", "Q=80" } },
    { "heic heif", "HEIC", "heifsave_target", ABBE_U8, ABBE_U8, 3, false, { "Q=80" } },
    { "jp2 j2k jpc j2c", "JPEG 2000", "jp2ksave_target", ABBE_U8, ABBE_U16, 3, false, { "lossless=true" } },
    { "gif", "GIF", "gifsave_target", ABBE_U8, ABBE_U8, 3, false, { NULL } },
    { "ppm", "PPM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, false, { "format=ppm" } },
    { "pgm", "PGM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, false, { "format=pgm" } },
    { "pnm", "PNM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, false, { "format=pnm" } },
    { "pfm", "PFM", "ppmsave_target", ABBE_F32, ABBE_F32, 3, false, { "format=pfm" } },
    { "hdr", "Radiance", "radsave_target", ABBE_F32, ABBE_F32, 3, false, { NULL } },
};
enum { PNG = 0, TIFF = 2, FORMATS = sizeof formats / sizeof formats[0] };

/* Floats hardly compress, and the predictor that helps them is unknown to many readers. */
static const char tiff_integers[] = "compression=deflate,predictor=horizontal";
static const char tiff_floats[] = "compression=none";

/* Classic TIFF counts bytes in 32 bits. Compression may not help, and tags want room. */
static const size_t classic_tiff_max = 3500000000u;

/* ---- Which format --------------------------------------------------------------------------------------- */

static bool is_here(const struct format *format)
{
    return vips_type_find("VipsForeignSave", format->saver) != 0;
}

/* Whether `word` is one of the words of `list`. */
static bool is_among(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *entry = list; *entry; entry += strspn(entry, " ")) {
        size_t size = strcspn(entry, " ");
        if (size == length && !strncasecmp(entry, word, size))
            return true;
        entry += size;
    }
    return false;
}

static const struct format *find_format(const char *extension)
{
    for (int i = 0; i < FORMATS; i++)
        if (is_among(extension, formats[i].extensions) && is_here(&formats[i]))
            return &formats[i];
    return NULL;
}

static void say_unknown(const char *path, const char *extension)
{
    char list[256] = "";
    for (int i = 0; i < FORMATS; i++) {
        size_t used = strlen(list);
        if (is_here(&formats[i]))
            snprintf(list + used, sizeof list - used, " %.*s", (int)strcspn(formats[i].extensions, " "),
                     formats[i].extensions);
    }
    if (*extension)
        say_error("%s: cannot write '.%s'; the extension chooses the format, one of:%s", path, extension,
                  list);
    else
        say_error("%s: has no extension, which chooses the format; give it one of:%s", path, list);
}

bool destination_parse(const char *path, abbe_type type, struct destination *destination)
{
    *destination = (struct destination){ 0 };
    if (!strcmp(path, "-")) {
        destination->format = &formats[type == ABBE_F32 ? TIFF : PNG];
        return true;
    }
    const char *bracket = picture_options(path);
    size_t length = bracket ? (size_t)(bracket - path) : strlen(path);
    destination->path = strndup(path, length);
    destination->options = bracket ? strndup(bracket + 1, strlen(bracket) - 2) : NULL;
    if (!destination->path || (bracket && !destination->options)) {
        say_error("out of memory");
        return false;
    }
    const char *slash = strrchr(destination->path, '/'), *base = slash ? slash + 1 : destination->path;
    const char *dot = strrchr(base, '.'), *extension = dot ? dot + 1 : "";
    destination->format = find_format(extension);
    /* A folder, a device or nothing at all has no extension either, and that is not what is wrong with it. */
    if (!destination->format && (*extension || target_check(destination->path)))
        say_unknown(path, extension);
    return destination->format != NULL;
}

void destination_free(struct destination *destination)
{
    free(destination->path);
    free(destination->options);
    *destination = (struct destination){ 0 };
}

/* ---- How it is written ---------------------------------------------------------------------------------- */

static bool set_default(VipsOperation *saver, const char *options, const char *setting)
{
    return !setting || saver_mentions(options, setting) || saver_set(saver, setting);
}

VipsOperation *destination_saver(const struct destination *destination, abbe_type type, size_t bytes)
{
    const struct format *format = destination->format;
    const char *options = destination->options;
    bool is_tiff = format == &formats[TIFF];
    VipsOperation *saver = vips_operation_new(format->saver);
    bool fine = saver &&
                (!is_tiff || set_default(saver, options, type == ABBE_F32 ? tiff_floats : tiff_integers)) &&
                (!is_tiff || bytes <= classic_tiff_max || set_default(saver, options, "bigtiff=true"));
    for (size_t i = 0; fine && i < G_N_ELEMENTS(format->defaults); i++)
        fine = set_default(saver, options, format->defaults[i]);
    if (fine && (!options || saver_set(saver, options)))
        return saver;
    const char *name = destination->path ? destination->path : "standard output";
    say_error("%s: the options [%s] are wrong for %s: %s", name, options ? options : "", format->title,
              picture_reason("no reason given"));
    if (saver)
        g_object_unref(saver);
    return NULL;
}

/* ---- Questions in advance ------------------------------------------------------------------------------- */

abbe_type picture_storable(const char *path, abbe_type wanted)
{
    struct destination destination;
    abbe_type type = 0;
    if (destination_parse(path, wanted, &destination)) {
        const struct format *format = destination.format;
        type = wanted > format->widest ? format->widest : wanted;
        type = type < format->narrowest ? format->narrowest : type;
    }
    destination_free(&destination);
    return type;
}

bool picture_writable(const char *path)
{
    struct destination destination;
    VipsOperation *saver = NULL;
    bool fine = destination_parse(path, ABBE_U8, &destination);
    if (fine && !destination.path) {
        fine = !isatty(STDOUT_FILENO);
        if (!fine)
            say_error(
                "standard output is a terminal, which shows no pictures; send it to a file or a program");
    } else if (fine) {
        saver = destination_saver(&destination, ABBE_U8, 0);
        fine = saver && target_check(destination.path);
    }
    if (saver)
        g_object_unref(saver);
    destination_free(&destination);
    return fine;
}
