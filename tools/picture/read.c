/* Reads a picture: opens the file, checks the declared size, then decodes into memory, upright. */
#include "progress.h"
#include "say.h"
#include "vips_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First bytes of a file, by which loaders recognise a format. */
enum { SNIFFED = 4096 };

/* ---- The file ------------------------------------------------------------------------------------------ */

/* Checks a file before libvips sees it. Devices are refused because some never end. */
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

/* Opens a file by descriptor. When libvips knows a name, it calls loaders that look at names, such as
 * libopenslide's, before it checks whether they are safe for untrusted files. Trusted files may be opened by
 * name. */
static VipsSource *open_source(const char *path, bool by_name)
{
    if (by_name)
        return vips_source_new_from_file(path);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    VipsSource *source = descriptor < 0 ? NULL : vips_source_new_from_descriptor(descriptor);
    if (descriptor >= 0)
        close(descriptor); /* libvips has duplicated it */
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
        say_error("standard input is a terminal; redirect a picture to it: abbe … < photo.jpg");
    else if (fstat(STDIN_FILENO, &entry) != 0)
        say_error("standard input: %s", strerror(errno));
    else if (check_file("standard input", &entry))
        return vips_source_new_from_descriptor(STDIN_FILENO);
    return NULL;
}

static const char *input_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

static VipsSource *open_input(const char *path, bool by_name)
{
    VipsSource *source = strcmp(path, "-") ? open_file(path, by_name) : open_stdin();
    unsigned char *start = NULL;
    if (source && vips_source_sniff_at_most(source, &start, 1) <= 0) {
        say_error("%s: is empty", input_name(path));
        g_object_unref(source);
        return NULL;
    }
    return source;
}

/* ---- The format ---------------------------------------------------------------------------------------- */

/* When the TIFF loader does not recognise a damaged file, libvips tries other loaders, which are blocked. */
static void say_unreadable(const char *name, bool tiff)
{
    const char *reason = picture_reason("damaged, or of an impossible size");
    bool unknown = strstr(reason, "not a known") || strstr(reason, "not in a known");
    if (tiff && (unknown || strstr(reason, "blocked")))
        say_error("%s: damaged TIFF, possibly truncated", name);
    else if (unknown)
        say_error("%s: is not a picture in a known format", name);
    else
        say_error("%s: cannot be read: %s", name, reason);
}

/* The title of a format that is read only with --allow-untrusted-formats; NULL for unknown formats. Text
 * formats are recognised by their first two letters, because their loaders do not look at bytes in memory. */
static const char *untrusted_format(const unsigned char *start, gint64 size, const char *loader)
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

/* Whether a loader that is safe for untrusted files recognises the first bytes. libvips refuses the other
 * loaders too, but some of them, such as that for PDF, do part of their work before it does, and some search
 * for the end of a line, which a pipe may not have. */
static bool check_format(const char *name, VipsSource *source)
{
    unsigned char *start = NULL;
    /* The directory of a TIFF may be at its end, so no loader recognises the file by its beginning. */
    if (inspect_is_tiff(source))
        return true;
    gint64 size = vips_source_sniff_at_most(source, &start, SNIFFED);
    const char *loader = size > 0 ? vips_foreign_find_load_buffer(start, (size_t)size) : NULL;
    GType type = loader ? g_type_from_name(loader) : 0;
    const VipsOperationClass *class = type ? g_type_class_peek(type) : NULL;
    if (class && !(class->flags & VIPS_OPERATION_UNTRUSTED))
        return true;
    const char *format = untrusted_format(start, size, class ? VIPS_OBJECT_CLASS(class)->nickname : NULL);
    if (format)
        say_error("%s: is %s; libvips marks this decoder as unsafe for untrusted files; pass "
                  "--allow-untrusted-formats to use it",
                  name, format);
    else
        say_error("%s: is not a picture in a known format; --allow-untrusted-formats adds some formats",
                  name);
    return false;
}

/* Reads a whole pipe into memory; NULL after printing an error. */
static VipsSource *buffer_pipe(const char *name, VipsSource *pipe)
{
    enum { CHUNK = 1 << 16 };
    static const guint most = 1u << 30; /* bytes */
    GByteArray *bytes = g_byte_array_new();
    /* vips_source_decode makes libvips stop keeping a copy of what it reads. */
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
        say_error("%s: a PNG or TIFF from a pipe may have 1 GB at most; save it to a file and name that",
                  name);
    else
        say_unreadable(name, true);
    return NULL;
}

/* Buffers a PNG or TIFF that comes from a pipe, because both are read at random offsets: inspect_png walks
 * over chunks, and libtiff seeks. libvips can buffer a pipe itself, but then passes short reads on to
 * libtiff, which takes them for the end of the file. */
static VipsSource *make_seekable(const char *name, VipsSource *source)
{
    if (vips_source_is_mappable(source) || !(inspect_is_tiff(source) || inspect_is_png(source)))
        return source;
    VipsSource *buffered = buffer_pipe(name, source);
    g_object_unref(source);
    return buffered;
}

/* Checks the bytes of a file before a decoder sees them. */
static bool check_content(const char *name, VipsSource *source, const struct reading *reading)
{
    return (!inspect_is_png(source) || inspect_png(name, source)) &&
           (reading->allow_untrusted || check_format(name, source)) &&
           (!inspect_is_tiff(source) || inspect_tiff(name, source));
}

/* A truncated file and errors of the decoder are failures: a filter would spread the damage over the picture.
 * Warnings of the decoder (odd tags, faulty profiles, flaws in JPEG data) are ignored. */
static VipsImage *open_image(const char *path, const struct reading *reading)
{
    const char *name = input_name(path);
    VipsSource *source = open_input(path, reading->allow_untrusted);
    VipsImage *image = NULL;
    if (source)
        source = make_seekable(name, source);
    if (!source)
        return NULL;
    vips_block_untrusted_set(!reading->allow_untrusted);
    if (check_content(name, source, reading)) {
        image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                           VIPS_FAIL_ON_ERROR, NULL);
        if (!image)
            say_unreadable(name, inspect_is_tiff(source));
    }
    g_object_unref(source);
    return image;
}

/* ---- The header ---------------------------------------------------------------------------------------- */

/* Number of pages. In JPEG 2000, libvips counts each resolution of the one picture as a page. */
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
        say_error("%s: declares %d x %d pixels, %lld in all; --max-pixels allows %lld", name, width, height,
                  pixels, reading->max_pixels);
    else if (width > ABBE_SIDE_MAX || height > ABBE_SIDE_MAX)
        say_error("%s: declares %d x %d pixels; the limit is %d on each side", name, width, height,
                  ABBE_SIDE_MAX);
    else if (image->Bands > ABBE_CHANNELS_MAX)
        say_error("%s: has %d channels; the limit is %d", name, image->Bands, ABBE_CHANNELS_MAX);
    else if (vips_band_format_iscomplex(image->BandFmt))
        say_error("%s: contains complex numbers, which cannot be filtered", name);
    else {
        if (pages > 1)
            say_warning("%s: has %d pages; only the first is read", name, pages);
        return true;
    }
    return false;
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

/* Keeps UCHAR, USHORT and FLOAT; converts other formats to FLOAT. */
static VipsImage *convert_samples(VipsImage *image)
{
    VipsImage *next = NULL;
    image = then(image, vips_image_decode(image, &next), &next);
    image = image ? convert_colours(image) : NULL;
    if (!image || image->BandFmt == VIPS_FORMAT_UCHAR || image->BandFmt == VIPS_FORMAT_USHORT ||
        image->BandFmt == VIPS_FORMAT_FLOAT)
        return image;
    if (image->BandFmt != VIPS_FORMAT_DOUBLE)
        image = then(image, vips_linear1(image, &next, 1 / full_scale(image->BandFmt), 0, NULL), &next);
    return image ? then(image, vips_cast_float(image, &next, NULL), &next) : NULL;
}

/* ---- The pixels ---------------------------------------------------------------------------------------- */

static int store_rows(VipsRegion *region, VipsRect *area, void *turned)
{
    const VipsPel *rows = VIPS_REGION_ADDR(region, area->left, area->top);
    turn_in(turned, area, (const char *)rows, VIPS_REGION_LSKIP(region));
    return 0;
}

/* Metadata of an image without its pixels; NULL on failure. */
static VipsImage *copy_metadata(VipsImage *image)
{
    VipsImage *header = vips_image_new();
    if (vips_image_pipelinev(header, VIPS_DEMAND_STYLE_ANY, image, NULL) == 0)
        return header;
    g_object_unref(header);
    return NULL;
}

/* Decodes strip by strip, each pixel straight to its place, so that the picture is in memory only once. */
static bool decode_pixels(const char *name, VipsImage *image, struct stage *stage, struct picture *picture)
{
    int orientation = vips_image_get_orientation(image);
    bool swaps = turn_swaps(orientation);
    abbe_type type = image->BandFmt == VIPS_FORMAT_UCHAR    ? ABBE_U8
                     : image->BandFmt == VIPS_FORMAT_USHORT ? ABBE_U16
                                                            : ABBE_F32;
    if (!picture_create(swaps ? image->Ysize : image->Xsize, swaps ? image->Xsize : image->Ysize,
                        image->Bands, type, NULL, picture))
        return false;
    picture->orientation = orientation;
    picture->pages = pages_of(image);
    picture->has_alpha = vips_image_hasalpha(image) && image->Bands == picture_colours(image->Type) + 1;
    picture->origin = copy_metadata(image);
    struct turned turned = turn_picture(&picture->view, orientation);
    picture_watch(image, stage);
    /* One thread, because libvips 8.14 may lose the error of the last of several threads. */
    vips_image_set_int(image, VIPS_META_CONCURRENCY, 1);
    if (picture->origin && vips_sink_disc(image, store_rows, &turned) == 0)
        return true;
    say_error("%s: damaged or truncated: %s", name, picture_reason("unknown reason"));
    picture_free(picture);
    return false;
}

bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture)
{
    *picture = (struct picture){ 0 };
    const char *name = input_name(path);
    struct stage stage = { "reading", from, to };
    progress_show(stage.what, from);
    VipsImage *image = open_image(path, reading);
    bool done = image && check_header(name, image, reading);
    if (done) {
        image = convert_samples(image);
        if (!image)
            say_error("%s: cannot be read: %s", name, picture_reason("unknown reason"));
        done = image && decode_pixels(name, image, &stage, picture);
    }
    if (image)
        g_object_unref(image);
    vips_error_clear();
    return done;
}
