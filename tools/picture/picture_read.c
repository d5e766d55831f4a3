/* Reads a picture: finds its file, checks what the header declares, then decodes into memory, upright. */
#include "picture_parts.h"
#include "progress.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a pipe that tell its format. */
enum { SNIFFED = 4096 };

/* ---- The file ------------------------------------------------------------------------------------------- */

/* Names what is wrong with a file before libvips sees it; devices are refused, for some never end. */
static bool check_file(const char *name, const struct stat *entry)
{
    if (S_ISDIR(entry->st_mode))
        say_error("%s: is a folder, not a picture", name);
    else if (S_ISREG(entry->st_mode) && entry->st_size == 0)
        say_error("%s: is empty", name);
    else if (S_ISCHR(entry->st_mode) || S_ISBLK(entry->st_mode))
        say_error("%s: is a device, not a picture", name);
    else
        return true;
    return false;
}

/* By descriptor: files that libvips knows by name it shows to loaders that look at names, libopenslide's among them,
 * before it asks whether they are fit for files from strangers. Those that are trusted may be known by name. */
static VipsSource *open_source(const char *path, bool by_name)
{
    if (by_name)
        return vips_source_new_from_file(path);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    VipsSource *source = descriptor < 0 ? NULL : vips_source_new_from_descriptor(descriptor);
    if (descriptor >= 0)
        close(descriptor); /* libvips has its own copy */
    return source;
}

static VipsSource *open_file(const char *path, bool by_name)
{
    struct stat entry;
    if (stat(path, &entry) != 0 || access(path, R_OK) != 0) {
        say_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!check_file(path, &entry))
        return NULL;
    VipsSource *source = open_source(path, by_name);
    if (!source)
        say_error("%s: %s", path, picture_reason("cannot be opened"));
    return source;
}

static VipsSource *open_stdin(void)
{
    struct stat entry;
    if (isatty(STDIN_FILENO))
        say_error("standard input is a terminal; send it a picture: abbe … < photo.jpg");
    else if (fstat(STDIN_FILENO, &entry) != 0)
        say_error("standard input: %s", strerror(errno));
    else if (check_file("standard input", &entry))
        return vips_source_new_from_descriptor(STDIN_FILENO);
    return NULL;
}

static VipsSource *open_input(const char *path, bool by_name)
{
    VipsSource *source = strcmp(path, "-") ? open_file(path, by_name) : open_stdin();
    unsigned char *start = NULL;
    if (source && vips_source_sniff_at_most(source, &start, 1) <= 0) {
        say_error("%s: is empty", picture_input_name(path));
        g_object_unref(source);
        return NULL;
    }
    return source;
}

/* ---- The format ----------------------------------------------------------------------------------------- */

static bool is_tiff(VipsSource *source)
{
    static const char *const marks[] = { "II*\0", "MM\0*", "II+\0", "MM\0+" };
    unsigned char *start = NULL;
    bool found = false;
    if (vips_source_sniff_at_most(source, &start, 4) == 4)
        for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
            found = found || !memcmp(start, marks[i], 4);
    return found;
}

/* Where the loader of TIFF takes a damaged file for none of its own, libvips asks others, and they are blocked. */
static void say_unreadable(const char *name, bool tiff)
{
    const char *reason = picture_reason("damaged, or of a size that no picture has");
    bool unknown = strstr(reason, "not a known") || strstr(reason, "not in a known");
    if (tiff && (unknown || strstr(reason, "blocked")))
        say_error("%s: is a damaged TIFF, or one cut short", name);
    else if (unknown)
        say_error("%s: is not a picture in a known format", name);
    else
        say_error("%s: cannot be read: %s", name, reason);
}

/* The name of a format that is read only when asked for; NULL for none. The text formats are told by their first two
 * letters: their loaders do not look at bytes in memory. */
static const char *unfit_format(const unsigned char *start, gint64 size, const char *loader)
{
    static const char *const titles[][2] = { { "jp2k", "JPEG 2000" }, { "jxl", "JPEG XL" },
                                             { "rad", "Radiance" },   { "openexr", "OpenEXR" },
                                             { "fits", "FITS" },      { "pdf", "PDF" },
                                             { "svg", "SVG" },        { "ppm", "PPM" } };
    static char other[32];
    if (size > 2 && start[0] == 'P' && strchr("123456fF", start[1]) && g_ascii_isspace(start[2]))
        return start[1] == 'f' || start[1] == 'F' ? "PFM" : "PPM, PGM or PBM";
    if (!loader || !strncmp(loader, "magick", 6))
        return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
        if (g_str_has_prefix(loader, titles[i][0]))
            return titles[i][1];
    const char *end = strstr(loader, "load");
    g_snprintf(other, sizeof other, "%.*s", (int)(end ? end - loader : 0), loader);
    return other;
}

/* Whether a loader that is fit for files from strangers knows the format from the first bytes. libvips would refuse
 * the others too, but some, such as that of PDF, do part of their work before it does; and some look for the end of
 * a line, which a pipe may not have. */
static bool check_format(const char *name, VipsSource *source)
{
    unsigned char *start = NULL;
    if (is_tiff(source)) /* its directory may lie at the end, and no loader would know it by its beginning */
        return true;
    gint64 size = vips_source_sniff_at_most(source, &start, SNIFFED);
    const char *loader = size > 0 ? vips_foreign_find_load_buffer(start, (size_t)size) : NULL;
    GType type = loader ? g_type_from_name(loader) : 0;
    const VipsOperationClass *class = type ? g_type_class_peek(type) : NULL;
    if (class && !(class->flags & VIPS_OPERATION_UNTRUSTED))
        return true;
    const char *format = unfit_format(start, size, class ? VIPS_OBJECT_CLASS(class)->nickname : NULL);
    if (format)
        say_error("%s: is %s, which is read by code unfit for files from strangers; "
                  "--allow-untrusted-formats reads it all the same",
                  name, format);
    else
        say_error("%s: is not a picture in a known format; some more are read with --allow-untrusted-formats",
                  name);
    return false;
}

/* Everything a pipe brings, as a source in memory; NULL after saying that it is too much, or why it cannot be. */
static VipsSource *gather(const char *name, VipsSource *pipe)
{
    enum { CHUNK = 1 << 16 };
    static const guint most = 1u << 30;
    GByteArray *bytes = g_byte_array_new();
    /* Told that decoding begins, libvips stops keeping a copy of what it reads. */
    gint64 got = vips_source_rewind(pipe) == 0 && vips_source_decode(pipe) == 0 ? 1 : -1;
    while (got > 0 && bytes->len < most - CHUNK) {
        guint length = bytes->len;
        g_byte_array_set_size(bytes, length + CHUNK);
        got = vips_source_read(pipe, bytes->data + length, CHUNK);
        g_byte_array_set_size(bytes, length + (got > 0 ? (guint)got : 0));
    }
    if (got == 0) {
        size_t size = bytes->len;
        VipsBlob *blob = vips_blob_new((VipsCallbackFn)vips_area_free_cb, g_byte_array_free(bytes, FALSE),
                                       size);
        VipsSource *source = vips_source_new_from_blob(blob);
        vips_area_unref(VIPS_AREA(blob));
        return source;
    }
    g_byte_array_free(bytes, TRUE);
    if (got > 0)
        say_error("%s: a PNG or TIFF through a pipe is held in memory, and this one is larger than 1 GB; "
                  "name a file",
                  name);
    else
        say_unreadable(name, true);
    return NULL;
}

/* A TIFF is read here and there, for which libvips keeps a pipe in memory as it goes; but it gives libtiff what one
 * read of the pipe brought, less than was asked for, and that takes it for the end. The chunks of a PNG are looked
 * at before a decoder is. So both are all read first. */
static VipsSource *gather_pipe(const char *name, VipsSource *source)
{
    if (vips_source_is_mappable(source) || !(is_tiff(source) || picture_is_png(source)))
        return source;
    VipsSource *held = gather(name, source);
    g_object_unref(source);
    return held;
}

/* Whether the bytes may be shown to the decoder that they ask for; says why not. */
static bool is_fit(const char *name, VipsSource *source, const struct reading *reading)
{
    return (!picture_is_png(source) || picture_png_check(name, source)) &&
           (reading->allow_untrusted || check_format(name, source)) &&
           (!is_tiff(source) || picture_tiff_check(name, source));
}

/* A file cut short is an error, as is damage that the decoder is sure of: a filter would spread it over the
 * picture and nobody could tell. What it calls a warning (odd tags, faulty profiles, a flaw in the data of a JPEG)
 * stops nobody. */
static VipsImage *open_image(const char *path, const struct reading *reading)
{
    const char *name = picture_input_name(path);
    VipsSource *source = open_input(path, reading->allow_untrusted);
    VipsImage *image = NULL;
    if (source)
        source = gather_pipe(name, source);
    if (!source)
        return NULL;
    vips_block_untrusted_set(!reading->allow_untrusted);
    if (is_fit(name, source, reading)) {
        image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                           VIPS_FAIL_ON_ERROR, NULL);
        if (!image)
            say_unreadable(name, is_tiff(source));
    }
    g_object_unref(source);
    return image;
}

/* ---- The header ----------------------------------------------------------------------------------------- */

/* Pages that a person would call so; in JPEG 2000 libvips calls each resolution of the one picture a page. */
static int pages_of(VipsImage *image)
{
    const char *loader = "";
    if (vips_image_get_typeof(image, VIPS_META_LOADER) != 0)
        vips_image_get_string(image, VIPS_META_LOADER, &loader);
    return strncmp(loader, "jp2k", 4) ? vips_image_get_n_pages(image) : 1;
}

static bool check_header(const char *name, VipsImage *image, const struct reading *reading)
{
    int width = image->Xsize, height = image->Ysize, pages = pages_of(image);
    long long pixels = (long long)width * height;
    if (pixels > reading->max_pixels)
        say_error("%s: declares %d x %d pixels, %lld in all; the limit is %lld, see --max-pixels", name,
                  width, height, pixels, reading->max_pixels);
    else if (width > ABBE_SIDE_MAX || height > ABBE_SIDE_MAX)
        say_error("%s: declares %d x %d pixels; a side has at most %d", name, width, height, ABBE_SIDE_MAX);
    else if (image->Bands > ABBE_CHANNELS_MAX)
        say_error("%s: has %d channels; at most %d are read", name, image->Bands, ABBE_CHANNELS_MAX);
    else if (vips_band_format_iscomplex(image->BandFmt))
        say_error("%s: holds complex numbers, which are no picture", name);
    else {
        if (pages > 1)
            say_warning("%s: has %d pages, of which only the first is read", name, pages);
        return true;
    }
    return false;
}

/* ---- The samples ---------------------------------------------------------------------------------------- */

/* A step of libvips; takes over the image it is given, NULL after a failure. */
static VipsImage *then(VipsImage *before, int failed, VipsImage **after)
{
    g_object_unref(before);
    return failed ? NULL : *after;
}

/* Colour spaces whose numbers mean nothing on a scale of 0 to 1 become RGB: 16 bits for those made for
 * displays, linear floats for those that measure light. */
static VipsImage *to_colours(VipsImage *image)
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

/* The largest value of an integer format; it stands for 1, as 255 and 65535 do. */
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

/* UCHAR, USHORT and FLOAT stay; everything else becomes FLOAT. */
static VipsImage *to_samples(VipsImage *image)
{
    VipsImage *next = NULL;
    image = then(image, vips_image_decode(image, &next), &next);
    image = image ? to_colours(image) : NULL;
    if (!image || image->BandFmt == VIPS_FORMAT_UCHAR || image->BandFmt == VIPS_FORMAT_USHORT ||
        image->BandFmt == VIPS_FORMAT_FLOAT)
        return image;
    if (image->BandFmt != VIPS_FORMAT_DOUBLE)
        image = then(image, vips_linear1(image, &next, 1 / full_scale(image->BandFmt), 0, NULL), &next);
    return image ? then(image, vips_cast_float(image, &next, NULL), &next) : NULL;
}

/* ---- The pixels ----------------------------------------------------------------------------------------- */

static int take_rows(VipsRegion *region, VipsRect *area, void *turned)
{
    const VipsPel *rows = VIPS_REGION_ADDR(region, area->left, area->top);
    picture_turn_in(turned, area, (const char *)rows, VIPS_REGION_LSKIP(region));
    return 0;
}

/* Decodes strip by strip, straight to where each pixel belongs: nothing is held twice. */
static bool decode(const char *name, VipsImage *image, struct stage *stage, struct picture *picture)
{
    int orientation = vips_image_get_orientation(image);
    bool swaps = picture_turn_swaps(orientation);
    abbe_type type = image->BandFmt == VIPS_FORMAT_UCHAR    ? ABBE_U8
                     : image->BandFmt == VIPS_FORMAT_USHORT ? ABBE_U16
                                                            : ABBE_F32;
    if (!picture_create(swaps ? image->Ysize : image->Xsize, swaps ? image->Xsize : image->Ysize,
                        image->Bands, type, NULL, picture))
        return false;
    picture->orientation = orientation;
    picture->pages = pages_of(image);
    picture->has_alpha = vips_image_hasalpha(image) && image->Bands == picture_colours(image->Type) + 1;
    picture->origin = picture_header_copy(image);
    struct turned turned = picture_turn(&picture->view, orientation);
    picture_watch(image, stage);
    /* One thread: of several, libvips 8.14 may lose the error of the last one to find the file damaged. */
    vips_image_set_int(image, VIPS_META_CONCURRENCY, 1);
    if (picture->origin && vips_sink_disc(image, take_rows, &turned) == 0)
        return true;
    say_error("%s: is damaged or cut short: %s", name, picture_reason("no reason given"));
    picture_free(picture);
    return false;
}

bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture)
{
    *picture = (struct picture){ 0 };
    const char *name = picture_input_name(path);
    struct stage stage = { "reading", from, to };
    progress_show(stage.what, from);
    VipsImage *image = open_image(path, reading);
    bool done = image && check_header(name, image, reading);
    if (done) {
        image = to_samples(image);
        if (!image)
            say_error("%s: cannot be read: %s", name, picture_reason("no reason given"));
        done = image && decode(name, image, &stage, picture);
    }
    if (image)
        g_object_unref(image);
    vips_error_clear();
    return done;
}
