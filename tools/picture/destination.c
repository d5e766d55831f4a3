/* Output names: the format that an extension means, the options in brackets, and libvips's saver for both. */
#include "bitmap.h"
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The rows of the table below. */
enum { PNG, JPEG, TIFF, WEBP, JXL, AVIF, HEIC, JP2, GIF, PPM, PGM, PNM, PFM, HDR, BMP, FORMATS };

/* Qualities are those at which a photograph shows no loss; libvips's own defaults are for the web. JPEG puts
 * transparent pixels on white. */
static const struct format formats[FORMATS] = {
    [PNG] = { "png", "PNG", "pngsave_target", ABBE_U8, ABBE_U16, 3, TURN_IN_EXIF, "compression=3,filter=all",
              KEEPS_MOST, false, NULL, NULL },
    [JPEG] = { "jpg jpeg jpe", "JPEG", "jpegsave_target", ABBE_U8, ABBE_U8, 4, TURN_KEPT,
               "Q=92,background=255", KEEPS_ALL, false, NULL, NULL },
    [TIFF] = { "tif tiff", "TIFF", "tiffsave_target", ABBE_U8, ABBE_F32, ABBE_CHANNELS_MAX, TURN_KEPT, NULL,
               KEEPS_ALL, true, metadata_finish_tiff, NULL },
    [WEBP] = { "webp", "WebP", "webpsave_target", ABBE_U8, ABBE_U8, 3, TURN_KEPT, "Q=92",
               KEEPS_MOST | KEEPS_DELAYS, true, NULL, NULL },
    [JXL] = { "jxl", "JPEG XL", "jxlsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "Q=92", KEEPS_MOST, false,
              metadata_finish_jxl, NULL },
    [AVIF] = { "avif", "AVIF", "heifsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "compression=av1,Q=80",
               KEEPS_MOST, false, NULL, NULL },
    [HEIC] = { "heic heif", "HEIC", "heifsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "Q=80", KEEPS_MOST,
               false, NULL, NULL },
    [JP2] = { "jp2 j2k jpc j2c", "JPEG 2000", "jp2ksave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST,
              "lossless=true", KEEPS_MOST, false, metadata_finish_jp2, NULL },
    [GIF] = { "gif", "GIF", "gifsave_target", ABBE_U8, ABBE_U8, 3, TURN_LOST, NULL, KEEPS_DELAYS, true, NULL,
              NULL },
    [PPM] = { "ppm", "PPM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=ppm", 0, false, NULL,
              NULL },
    [PGM] = { "pgm", "PGM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=pgm", 0, false, NULL,
              NULL },
    [PNM] = { "pnm", "PNM", "ppmsave_target", ABBE_U8, ABBE_U16, 3, TURN_LOST, "format=pnm", 0, false, NULL,
              NULL },
    [PFM] = { "pfm", "PFM", NULL, ABBE_F32, ABBE_F32, 3, TURN_LOST, NULL, 0, false, NULL, pfm_save },
    [HDR] = { "hdr", "Radiance", "radsave_target", ABBE_F32, ABBE_F32, 3, TURN_LOST, NULL, 0, false, NULL,
              NULL },
    [BMP] = { "bmp dib", "BMP", NULL, ABBE_U8, ABBE_U8, 3, TURN_LOST, NULL, 0, false, NULL, bmp_save },
};

/* The longest side of a tile of a TIFF that is kept. */
enum { TILE_MAX = 1 << 15 };

/* Samples of 16 bits keep 12 in AVIF (see check_bits), and 10 in HEIC, which most decoders in hardware read. */
static const char avif_deep[] = "bitdepth=12";
static const char heic_deep[] = "bitdepth=10";

/* Classic TIFF has 32-bit offsets. Compression may not help, and tags need space. */
static const size_t classic_tiff_max = 3500000000u;

/* ---- Formats ------------------------------------------------------------------------------------------- */

/* Whether there is code of ours, or this libvips has the saver. */
static bool is_supported(const struct format *format)
{
    return format->write || vips_type_find("VipsForeignSave", format->saver) != 0;
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
    bool is_chosen = destination->path || destination->format;
    return is_chosen ? destination->format : &formats[type == ABBE_F32 ? TIFF : PNG];
}

abbe_type destination_type(const struct destination *destination, abbe_type wanted)
{
    const struct format *format = destination_format(destination, wanted);
    abbe_type type = wanted > format->widest ? format->widest : wanted;
    return type < format->narrowest ? format->narrowest : type;
}

bool destination_has_pages(const struct destination *destination)
{
    const struct format *format = destination_format(destination, ABBE_U8);
    return format && format->has_pages;
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

/* The format of "FORMAT:-", standard output in that format; NULL for other names. Works before libvips is
 * started. */
static const struct format *find_stdout_format(const char *text)
{
    const char *bracket = destination_find_options(text);
    size_t length = bracket ? (size_t)(bracket - text) : strlen(text);
    char extension[8] = "";
    if (length < 3 || length - 2 >= sizeof extension || strncmp(text + length - 2, ":-", 2) != 0)
        return NULL;
    memcpy(extension, text, length - 2);
    for (int i = 0; i < FORMATS; i++)
        if (is_in_list(extension, formats[i].extensions))
            return &formats[i];
    return NULL;
}

bool destination_is_stdout(const char *text)
{
    return !strcmp(text, "-") || find_stdout_format(text);
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
    destination->format = find_stdout_format(text);
    if (destination->format && is_supported(destination->format)) {
        free(destination->path);
        destination->path = NULL;
        return true;
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

static const char storage_field[] = "abbe-tiff-compression", tile_width_field[] = "abbe-tiff-tile-width",
                  tile_height_field[] = "abbe-tiff-tile-height";

void destination_note_storage(VipsImage *image, const struct tiff_storage *storage)
{
    vips_image_set_int(image, storage_field, storage->compression);
    vips_image_set_int(image, tile_width_field, storage->tile_width);
    vips_image_set_int(image, tile_height_field, storage->tile_height);
}

/* A field that was noted; 0 without. */
static int noted(VipsImage *origin, const char *field)
{
    int value = 0;
    if (origin && vips_image_get_typeof(origin, field) != 0)
        vips_image_get_int(origin, field, &value);
    return value;
}

int destination_tile_height(VipsImage *origin)
{
    return noted(origin, tile_height_field);
}

/* Whether a TIFF made from that picture has smaller copies of it (SubIFDs), because its source has. */
static bool keeps_pyramid(VipsImage *origin)
{
    return noted(origin, VIPS_META_N_SUBIFDS) > 0;
}

/* Whether the options of a name choose about a pyramid themselves. */
static bool choose_pyramid(const char *options)
{
    return options && (strstr(options, "pyramid") || strstr(options, "subifd"));
}

bool destination_drop_pyramid(const struct destination *destination, VipsImage *origin, VipsOperation *saver)
{
    if (!destination_is_tiff(destination) || !keeps_pyramid(origin) || choose_pyramid(destination->options))
        return false;
    g_object_set(saver, "pyramid", FALSE, "subifd", FALSE, NULL);
    return true;
}

/* The options for a compression of TIFF that loses nothing; NULL for others. Floats hardly compress, and many readers
 * do not know the predictor that would help. */
static const char *compression_options(int compression, bool floats)
{
    switch (compression) {
    case 1: return "compression=none";
    case 5: return floats ? "compression=lzw,predictor=none" : "compression=lzw,predictor=horizontal";
    case 8:
    case 32946:
        return floats ? "compression=deflate,predictor=none" : "compression=deflate,predictor=horizontal";
    case 32773: return "compression=packbits";
    case 50000: return floats ? "compression=zstd,predictor=none" : "compression=zstd,predictor=horizontal";
    default: return NULL;
    }
}

/* A TIFF keeps compression, tiles and pyramid of the TIFF that it was made from; the compression unless its samples are
 * of another kind. */
static bool set_storage(VipsOperation *saver, abbe_type type, VipsImage *origin, bool has_choice)
{
    bool floats = type == ABBE_F32;
    bool alike = origin && floats == (vips_band_format_isfloat(origin->BandFmt) != 0);
    const char *options = alike ? compression_options(noted(origin, storage_field), floats) : NULL;
    if (!options)
        options = compression_options(floats ? 1 : 8, floats);
    int width = noted(origin, tile_width_field), height = noted(origin, tile_height_field);
    /* As libtiff demands of writers, and not more than libvips can write. */
    bool tiles = width > 0 && width <= TILE_MAX && width % 16 == 0 && height > 0 && height <= TILE_MAX &&
                 height % 16 == 0;
    char text[64];
    snprintf(text, sizeof text, "tile,tile_width=%d,tile_height=%d", width, height);
    return set_options(saver, options) && (!tiles || set_options(saver, text)) &&
           (has_choice || !keeps_pyramid(origin) || set_options(saver, "tile,pyramid,subifd"));
}

/* Sets the defaults of a format for pixels of that type and size in bytes; `options` are those of the name. */
static bool set_defaults(VipsOperation *saver, const struct format *format, abbe_type type, size_t bytes,
                         VipsImage *origin, const char *options)
{
    bool is_tiff = format == &formats[TIFF];
    bool is_deep = type == ABBE_U16;
    bool fine = (format != &formats[AVIF] || !is_deep || set_options(saver, avif_deep)) &&
                (format != &formats[HEIC] || !is_deep || set_options(saver, heic_deep)) &&
                (!is_tiff || set_storage(saver, type, origin, choose_pyramid(options))) &&
                (!is_tiff || bytes <= classic_tiff_max || set_options(saver, "bigtiff=true"));
    return fine && (!format->defaults || set_options(saver, format->defaults));
}

/* With 10 bits, libheif 1.15 asks libaom for a profile without whole chroma, and libaom ends the process. */
static bool check_bits(const struct format *format, VipsOperation *saver)
{
    int depth = 0;
    if (format == &formats[AVIF])
        g_object_get(saver, "bitdepth", &depth, NULL);
    if (depth == 10)
        vips_error("options", "the encoder of AVIF fails with 10 bits; write bitdepth=12 or bitdepth=8");
    return depth != 10;
}

static bool fail_options(const struct destination *destination, const struct format *format,
                         const char *reason)
{
    if (destination->options)
        say_error("%s: wrong options [%s] for %s: %s", destination->name, destination->options, format->title,
                  reason);
    else
        say_error("%s: cannot be written as %s: %s", destination->name, format->title, reason);
    return false;
}

bool destination_create_saver(const struct destination *destination, abbe_type type, size_t bytes,
                              VipsImage *origin, VipsOperation **saver)
{
    const struct format *format = destination_format(destination, type);
    const char *options = destination->options;
    *saver = NULL;
    if (format->write)
        return !options || !*options || fail_options(destination, format, "the format has none");
    *saver = vips_operation_new(format->saver);
    /* The options of the name come last and so replace defaults. */
    if (*saver && set_defaults(*saver, format, type, bytes, origin, options) &&
        (!options || set_options(*saver, options)) && check_bits(format, *saver))
        return true;
    fail_options(destination, format, picture_reason("unknown reason"));
    if (*saver)
        g_object_unref(*saver);
    return false;
}

/* Savers of these formats take rows in order. BMP and PFM begin with the lowest row. */
static bool is_in_order(const struct format *format)
{
    static const int formats_in_order[] = { PNG, JPEG, TIFF, PPM, PGM, PNM, HDR };
    for (size_t i = 0; i < G_N_ELEMENTS(formats_in_order); i++)
        if (format == &formats[formats_in_order[i]])
            return true;
    return false;
}

bool destination_takes_rows(const struct destination *destination, abbe_type type, char *reason, size_t size)
{
    const struct format *format = destination_format(destination, type);
    VipsOperation *saver;
    gboolean interlaces = FALSE;
    *reason = 0;
    if (!destination->path) {
        snprintf(reason, size, "nothing is written to standard output before all of it is known");
        return false;
    }
    if (!is_in_order(format)) {
        snprintf(reason, size, "%s is written as a whole", format->title);
        return false;
    }
    if (!destination_create_saver(destination, type, 0, NULL, &saver))
        return false;
    if (format == &formats[PNG] || format == &formats[JPEG])
        g_object_get(saver, "interlace", &interlaces, NULL);
    if (interlaces)
        snprintf(reason, size, "an interlaced or progressive %s is written as a whole", format->title);
    g_object_unref(saver);
    return !interlaces;
}

/* Whether an option is valid depends neither on the type nor on the size. */
static bool check_options(const struct destination *destination)
{
    VipsOperation *saver;
    if (!destination_create_saver(destination, destination->format->widest, 0, NULL, &saver))
        return false;
    if (saver)
        g_object_unref(saver);
    return true;
}

bool destination_check(const struct destination *destination)
{
    if (!destination->path) {
        if (isatty(STDOUT_FILENO))
            say_error("standard output is a terminal; redirect it to a file or a program");
        return !isatty(STDOUT_FILENO) && (!destination->format || check_options(destination));
    }
    if (destination->format && !strncmp(destination->path, "-.", 2) && !strchr(destination->path, '/')) {
        say_error("%s: would be a file of that name; write %s:- for standard output in that format, or ./%s",
                  destination->path, extension_of(destination->path), destination->path);
        return false;
    }
    if (!destination->format) {
        /* For a folder, a device or an empty name, target_check prints a better error. */
        if (*extension_of(destination->path) || target_check(destination->path))
            say_unknown_format(destination->path);
        return false;
    }
    return check_options(destination) && target_check(destination->path);
}
