/* Output names: the format that an extension means, the options in brackets, and libvips's saver for both. */
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The rows of the table below. */
enum { PNG, JPEG, TIFF, WEBP, JXL, AVIF, HEIC, JP2, GIF, PPM, PGM, PNM, PFM, HDR, FORMATS };

/* Qualities are those at which a photograph shows no loss; libvips's own defaults are for the web. JPEG puts
 * transparent pixels on white. */
static const struct format formats[FORMATS] = {
    [PNG] = { "png", "PNG", "pngsave_target", ABBE_U8, ABBE_U16, 3, TURN_IN_EXIF,
              "compression=3,filter=all" },
    [JPEG] = { "jpg jpeg jpe", "JPEG", "jpegsave_target", ABBE_U8, ABBE_U8, 4, TURN_KEPT,
               "Q=92,background=255" },
    [TIFF] = { "tif tiff", "TIFF", "tiffsave_target", ABBE_U8, ABBE_F32, ABBE_CHANNELS_MAX, TURN_KEPT, NULL },
    [WEBP] = { "webp", "WebP", "webpsave_target", ABBE_U8, ABBE_U8, 3, TURN_KEPT, "Q=92" },
    [JXL] = { "jxl", "JPEG XL", "jxlsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "Q=92" },
    [AVIF] = { "avif", "AVIF", "heifsave_target", ABBE_U8, ABBE_U8, 3, TURN_LOST, "compression=av1,Q=80" },
    [HEIC] = { "heic heif", "HEIC", "heifsave_target", ABBE_U8, ABBE_U8, 3, TURN_LOST, "Q=80" },
    [JP2] = { "jp2 j2k jpc j2c", "JPEG 2000", "jp2ksave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST,
              "lossless=true" },
    [GIF] = { "gif", "GIF", "gifsave_target", ABBE_U8, ABBE_U8, 3, TURN_LOST, NULL },
    [PPM] = { "ppm", "PPM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=ppm" },
    [PGM] = { "pgm", "PGM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=pgm" },
    [PNM] = { "pnm", "PNM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=pnm" },
    [PFM] = { "pfm", "PFM", "ppmsave_target", ABBE_F32, ABBE_F32, 3, TURN_LOST, "format=pfm" },
    [HDR] = { "hdr", "Radiance", "radsave_target", ABBE_F32, ABBE_F32, 3, TURN_LOST, NULL },
};

/* Floats hardly compress, and many readers do not know the predictor that would help. */
static const char tiff_integers[] = "compression=deflate,predictor=horizontal";
static const char tiff_floats[] = "compression=none";

/* Classic TIFF has 32-bit offsets. Compression may not help, and tags need space. */
static const size_t classic_tiff_max = 3500000000u;

/* ---- Formats ------------------------------------------------------------------------------------------- */

/* Whether this libvips has the saver. */
static bool is_supported(const struct format *format)
{
    return vips_type_find("VipsForeignSave", format->saver) != 0;
}

/* Whether `word` is one of the words of `list`, in upper or lower case. */
static bool is_in_list(const char *word, const char *list)
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
        if (is_in_list(extension, formats[i].extensions) && is_supported(&formats[i]))
            return &formats[i];
    return NULL;
}

const struct format *destination_format(const struct destination *destination, abbe_type type)
{
    return destination->path ? destination->format : &formats[type == ABBE_F32 ? TIFF : PNG];
}

abbe_type destination_type(const struct destination *destination, abbe_type wanted)
{
    const struct format *format = destination_format(destination, wanted);
    abbe_type type = wanted > format->widest ? format->widest : wanted;
    return type < format->narrowest ? format->narrowest : type;
}

bool destination_is_tiff(const struct destination *destination)
{
    return destination_format(destination, ABBE_F32) == &formats[TIFF];
}

/* ---- Names --------------------------------------------------------------------------------------------- */

const char *destination_find_options(const char *text)
{
    size_t length = strlen(text);
    const char *bracket = length > 1 && text[length - 1] == ']' ? strrchr(text, '[') : NULL;
    return bracket && !strchr(bracket, '/') ? bracket : NULL;
}

/* The extension of a path without its dot, or "". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    return dot ? dot + 1 : "";
}

bool destination_parse(const char *text, struct destination *destination)
{
    *destination = (struct destination){ .name = "standard output" };
    if (!strcmp(text, "-"))
        return true;
    const char *bracket = destination_find_options(text);
    destination->path = strndup(text, bracket ? (size_t)(bracket - text) : strlen(text));
    destination->options = bracket ? strndup(bracket + 1, strlen(bracket) - 2) : NULL;
    if (!destination->path || (bracket && !destination->options)) {
        say_error("out of memory");
        return false;
    }
    destination->name = destination->path;
    destination->format = find_format(extension_of(destination->path));
    return true;
}

void destination_free(struct destination *destination)
{
    free(destination->path);
    free(destination->options);
    *destination = (struct destination){ 0 };
}

static void say_unknown_format(const char *path)
{
    const char *extension = extension_of(path);
    char list[256] = "";
    for (int i = 0; i < FORMATS; i++) {
        size_t used = strlen(list);
        if (is_supported(&formats[i]))
            snprintf(list + used, sizeof list - used, " %.*s", (int)strcspn(formats[i].extensions, " "),
                     formats[i].extensions);
    }
    if (*extension)
        say_error("%s: unknown extension '.%s'; use one of:%s", path, extension, list);
    else
        say_error("%s: the extension, which chooses the format, is missing; use one of:%s", path, list);
}

/* ---- Options ------------------------------------------------------------------------------------------- */

/* The property of the saver that an option sets; NULL for an unknown one. Options that choose what is written
 * and where are not allowed: libvips would open any file that they name. */
static GParamSpec *find_property(VipsObject *saver, const char *key)
{
    GParamSpec *spec = NULL;
    VipsArgumentClass *class = NULL;
    VipsArgumentInstance *instance = NULL;
    if (vips_object_get_argument(saver, key, &spec, &class, &instance) != 0) {
        vips_error_clear();
        return NULL;
    }
    bool is_optional = (class->flags & VIPS_ARGUMENT_INPUT) && !(class->flags & VIPS_ARGUMENT_REQUIRED);
    bool is_object = g_type_is_a(G_PARAM_SPEC_VALUE_TYPE(spec), G_TYPE_OBJECT);
    return is_optional && !is_object ? spec : NULL;
}

/* Checks the range: GLib only logs a warning and uses the default. */
static bool check_number(const GParamSpec *spec, const char *key, const char *value)
{
    double least, most;
    bool is_whole = G_IS_PARAM_SPEC_INT(spec);
    if (is_whole) {
        least = ((const GParamSpecInt *)spec)->minimum;
        most = ((const GParamSpecInt *)spec)->maximum;
    } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
        least = ((const GParamSpecDouble *)spec)->minimum;
        most = ((const GParamSpecDouble *)spec)->maximum;
    } else {
        return true;
    }
    char *end = NULL;
    double number = g_ascii_strtod(value, &end);
    bool fine = end != value && *end == 0 && number >= least && number <= most &&
                (!is_whole || number == (double)(long long)number);
    if (!fine)
        vips_error("options", "'%s' must be a %s from %.10g to %.10g, not '%s'", key,
                   is_whole ? "whole number" : "number", least, most, value);
    return fine;
}

static bool check_switch(const GParamSpec *spec, const char *key, const char *value)
{
    static const char *const known[] = { "true", "false", "yes", "no", "1", "0" };
    if (!G_IS_PARAM_SPEC_BOOLEAN(spec))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (!g_ascii_strcasecmp(value, known[i]))
            return true;
    vips_error("options", "'%s' must be true or false, not '%s'", key, value);
    return false;
}

/* Sets "key=value", or a bare "key" for true. Modifies the text. */
static bool set_option(VipsObject *saver, char *option)
{
    char *equals = strchr(option, '=');
    const char *value = equals ? g_strstrip(equals + 1) : "true";
    if (equals)
        *equals = 0;
    const char *key = g_strchomp(option);
    GParamSpec *spec = find_property(saver, key);
    if (!spec) {
        vips_error("options", "there is no option '%s'", key);
        return false;
    }
    if (!*value || (!equals && !G_IS_PARAM_SPEC_BOOLEAN(spec))) {
        vips_error("options", "'%s' has no value; write %s=…", key, key);
        return false;
    }
    return check_number(spec, key, value) && check_switch(spec, key, value) &&
           vips_object_set_argument_from_string(saver, key, value) == 0;
}

/* Sets "key=value,…"; on failure the reason is among libvips's errors. */
static bool set_options(VipsOperation *saver, const char *options)
{
    char **list = g_strsplit(options, ",", -1);
    bool fine = true;
    for (char **option = list; fine && *option; option++)
        if (*g_strstrip(*option))
            fine = set_option(VIPS_OBJECT(saver), *option);
    g_strfreev(list);
    return fine;
}

/* ---- Savers -------------------------------------------------------------------------------------------- */

/* Sets the defaults of a format for pixels of that type and size in bytes. */
static bool set_defaults(VipsOperation *saver, const struct format *format, abbe_type type, size_t bytes)
{
    bool is_tiff = format == &formats[TIFF];
    bool fine = (!is_tiff || set_options(saver, type == ABBE_F32 ? tiff_floats : tiff_integers)) &&
                (!is_tiff || bytes <= classic_tiff_max || set_options(saver, "bigtiff=true"));
    return fine && (!format->defaults || set_options(saver, format->defaults));
}

VipsOperation *destination_create_saver(const struct destination *destination, abbe_type type, size_t bytes)
{
    const struct format *format = destination_format(destination, type);
    const char *options = destination->options;
    VipsOperation *saver = vips_operation_new(format->saver);
    /* The options of the name come last and so replace defaults. */
    if (saver && set_defaults(saver, format, type, bytes) && (!options || set_options(saver, options)))
        return saver;
    const char *reason = picture_reason("unknown reason");
    if (options)
        say_error("%s: wrong options [%s] for %s: %s", destination->name, options, format->title, reason);
    else
        say_error("%s: cannot be written as %s: %s", destination->name, format->title, reason);
    if (saver)
        g_object_unref(saver);
    return NULL;
}

bool destination_check(const struct destination *destination)
{
    if (!destination->path) {
        if (isatty(STDOUT_FILENO))
            say_error("standard output is a terminal; redirect it to a file or a program");
        return !isatty(STDOUT_FILENO);
    }
    if (!destination->format) {
        /* For a folder, a device or an empty name, target_check prints a better error. */
        if (*extension_of(destination->path) || target_check(destination->path))
            say_unknown_format(destination->path);
        return false;
    }
    /* Whether an option is valid depends neither on the type nor on the size. */
    VipsOperation *saver = destination_create_saver(destination, destination->format->widest, 0);
    if (!saver)
        return false;
    g_object_unref(saver);
    return target_check(destination->path);
}
