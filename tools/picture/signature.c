/* Formats of pictures that can be read: the table of their first bytes, and the one loader that each gets.
 *
 * libvips's own search calls a function of every loader, blocked ones included, and one of these never returns
 * on some files. The table decides instead, and no other loader sees the file. */
#include "signature.h"

#include "bitmap.h"

#include <string.h>

/* ---- Formats of text ----------------------------------------------------------------------------------- */

static bool begins_with_netpbm(const unsigned char *start, size_t size, const char *letters)
{
    return size > 2 && start[0] == 'P' && memchr(letters, start[1], strlen(letters)) &&
           g_ascii_isspace(start[2]);
}

static bool is_ppm(const unsigned char *start, size_t size)
{
    return begins_with_netpbm(start, size, "123456");
}

static bool is_pfm(const unsigned char *start, size_t size)
{
    return begins_with_netpbm(start, size, "fF");
}

/* A document without zero bytes that soon opens the element; comments and declarations may come first. */
static bool is_svg(const unsigned char *start, size_t size)
{
    for (size_t i = 0; i + 4 <= size && start[i]; i++)
        if (!g_ascii_strncasecmp((const char *)start + i, "<svg", 4))
            return true;
    return false;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

#define AT(place, text) .offset = (place), .length = sizeof(text) - 1, .bytes = (text)

/* The first row that fits counts. */
static const struct signature signatures[] = {
    { "PNG", "pngload_source", FROM_SOURCE, AT(0, "\211PNG\r\n\032\n") },
    { "JPEG", "jpegload_source", FROM_SOURCE, AT(0, "\377\330\377") },
    { "TIFF", "tiffload_source", FROM_SOURCE, AT(0, "II*\0") },
    { "TIFF", "tiffload_source", FROM_SOURCE, AT(0, "MM\0*") },
    { "TIFF", "tiffload_source", FROM_SOURCE, AT(0, "II+\0") },
    { "TIFF", "tiffload_source", FROM_SOURCE, AT(0, "MM\0+") },
    { "WebP", "webpload_source", FROM_SOURCE, AT(8, "WEBPVP8") },
    { "GIF", "gifload_source", FROM_SOURCE, AT(0, "GIF8") },
    { "AVIF", "heifload_source", FROM_SOURCE, AT(4, "ftypavif") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypheic") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypheix") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftyphevc") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypheim") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypheis") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftyphevm") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftyphevs") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypmif1") },
    { "HEIF", "heifload_source", FROM_SOURCE, AT(4, "ftypmsf1") },
    { "JPEG XL", "jxlload_source", FROM_SOURCE, AT(0, "\377\n") },
    { "JPEG XL", "jxlload_source", FROM_SOURCE, AT(0, "\0\0\0\014JXL \r\n\207\n") },
    { "JPEG 2000", "jp2kload_source", FROM_SOURCE, AT(0, "\0\0\0\014jP  \r\n\207\n") },
    { "JPEG 2000", "jp2kload_source", FROM_SOURCE, AT(0, "\r\n\207\n") },
    { "JPEG 2000", "jp2kload_source", FROM_SOURCE, AT(0, "\377O\377Q") },
    { "PPM, PGM or PBM", "ppmload_source", FROM_SOURCE, .matches = is_ppm },
    { "PFM", NULL, OURS, .matches = is_pfm, .load = pfm_load },
    { "Radiance", "radload_source", FROM_SOURCE, AT(0, "#?RADIANCE") },
    { "PDF", "pdfload_source", FROM_SOURCE, AT(0, "%PDF") },
    { "OpenEXR", "openexrload", FROM_NAME, AT(0, "v/1\001") },
    { "FITS", "fitsload", FROM_NAME, AT(0, "SIMPLE  =") },
    { "MATLAB", "matload", FROM_NAME, AT(0, "MATLAB 5.0") },
    { "VIPS", "vipsload", FROM_NAME, AT(0, "\266\246\362\010") },
    { "VIPS", "vipsload", FROM_NAME, AT(0, "\010\362\246\266") },
    { "NIfTI", "niftiload", FROM_NAME, AT(344, "n+1\0") },
    { "Analyze", "analyzeload", FROM_NAME, AT(0, "\134\001\0\0") },
    { "Analyze", "analyzeload", FROM_NAME, AT(0, "\0\0\001\134") },
    { "BMP", NULL, OURS, AT(0, "BM"), .load = bmp_load },
    { "Windows icon", "magickload_buffer", FROM_BYTES, AT(0, "\0\0\001\0") },
    { "Photoshop", "magickload_buffer", FROM_BYTES, AT(0, "8BPS") },
    { "XCF", "magickload_buffer", FROM_BYTES, AT(0, "gimp xcf") },
    { "DDS", "magickload_buffer", FROM_BYTES, AT(0, "DDS ") },
    { "DPX", "magickload_buffer", FROM_BYTES, AT(0, "SDPX") },
    { "DPX", "magickload_buffer", FROM_BYTES, AT(0, "XPDS") },
    { "SGI", "magickload_buffer", FROM_BYTES, AT(0, "\001\332") },
    { "PCX", "magickload_buffer", FROM_BYTES, AT(0, "\n\005\001") },
    { "compressed SVG", "svgload_source", FROM_SOURCE, AT(0, "\037\213") },
    { "SVG", "svgload_source", FROM_SOURCE, .matches = is_svg },
};

const struct signature *signature_find(const unsigned char *start, size_t size)
{
    for (size_t i = 0; i < G_N_ELEMENTS(signatures); i++) {
        const struct signature *row = &signatures[i];
        bool fits = row->matches ? row->matches(start, size)
                                 : size >= (size_t)(row->offset + row->length) &&
                                       !memcmp(start + row->offset, row->bytes, (size_t)row->length);
        if (fits)
            return row;
    }
    return NULL;
}

/* ---- The loader ---------------------------------------------------------------------------------------- */

bool signature_is_available(const struct signature *signature)
{
    return signature->supply == OURS || vips_type_find("VipsOperation", signature->loader) != 0;
}

bool signature_is_untrusted(const struct signature *signature)
{
    if (signature->supply == OURS)
        return false;
    gpointer class = g_type_class_ref(vips_type_find("VipsOperation", signature->loader));
    bool untrusted = VIPS_OPERATION_CLASS(class)->flags & VIPS_OPERATION_UNTRUSTED;
    g_type_class_unref(class);
    return untrusted;
}

bool signature_has_pages(const struct signature *signature)
{
    static const char *const loaders[] = { "tiffload", "gifload", "webpload" };
    for (size_t i = 0; i < G_N_ELEMENTS(loaders); i++)
        if (signature->supply != OURS && g_str_has_prefix(signature->loader, loaders[i]))
            return true;
    return false;
}

bool signature_has_page(const struct signature *signature)
{
    if (signature->supply == OURS)
        return false;
    gpointer class = g_type_class_ref(vips_type_find("VipsOperation", signature->loader));
    bool has_page = g_object_class_find_property(class, "page") != NULL;
    g_type_class_unref(class);
    return has_page;
}

/* The option of the page is given only where it is needed, because few loaders have it. */
static VipsImage *call_loader(const char *loader, const void *input, int page)
{
    VipsImage *image = NULL;
    if (page == 0)
        vips_call(loader, input, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                  NULL);
    else
        vips_call(loader, input, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                  page > 0 ? "page" : "n", page, NULL);
    return image;
}

VipsImage *signature_load(const struct signature *signature, VipsSource *source, const char *path, int page)
{
    VipsImage *image = NULL;
    VipsBlob *bytes = signature->supply == FROM_BYTES ? vips_source_map_blob(source) : NULL;
    const void *input = signature->supply == FROM_NAME    ? path
                        : signature->supply == FROM_BYTES ? (const void *)bytes
                                                          : (const void *)source;
    if (signature->supply == OURS)
        image = signature->load(source);
    else if (input)
        image = call_loader(signature->loader, input, page);
    if (bytes)
        vips_area_unref(VIPS_AREA(bytes));
    return image;
}
