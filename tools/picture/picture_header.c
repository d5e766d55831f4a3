/* What comes with the pixels: colour space, profile, EXIF and the rest, from the file read to the file written. */
#include "picture_parts.h"

#include <string.h>

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

VipsImage *picture_header_copy(VipsImage *image)
{
    VipsImage *header = vips_image_new();
    if (vips_image_pipelinev(header, VIPS_DEMAND_STYLE_ANY, image, NULL) == 0)
        return header;
    g_object_unref(header);
    return NULL;
}

/* Colours of the result, alpha and channels beyond apart: those of the file read where channels are as they were,
 * so that a stack of grey layers does not turn into RGB because it has four. */
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

/* Tags that were true of the file read and are not of the result. The thumbnail shows the picture before it was
 * filtered, and may show what was to be hidden; the others would make savers cut pages, animate or quantise. */
static void remove_stale(VipsImage *image)
{
    static const char *const stale[] = {
        "jpeg-thumbnail-data",
        VIPS_META_PAGE_HEIGHT,
        VIPS_META_N_PAGES,
        VIPS_META_N_SUBIFDS,
        "delay",
        "gif-delay",
        "loop",
        "gif-loop",
        "gif-palette",
        "palette",
        "bits-per-sample",
        "palette-bit-depth",
        "heif-bitdepth",
        "heif-primary",
        "background",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(stale); i++)
        vips_image_remove(image, stale[i]);
}

static void set_orientation(VipsImage *image, int orientation)
{
    if (orientation > 1)
        vips_image_set_int(image, VIPS_META_ORIENTATION, orientation);
    else
        vips_autorot_remove_angle(image); /* in EXIF too */
}

static void set_description(VipsImage *image, const char *description)
{
    if (description && *description)
        vips_image_set_string(image, VIPS_META_IMAGEDESCRIPTION, description);
    else if (description)
        vips_image_remove(image, VIPS_META_IMAGEDESCRIPTION);
}

/* libvips 8.14 writes the tag into PNG only where there is EXIF to hold it. */
int picture_kept_turn(const struct picture *picture, const struct format *format)
{
    bool has_exif = picture->origin && vips_image_get_typeof(picture->origin, VIPS_META_EXIF_NAME) != 0;
    bool keeps = format->keeps_turn && (has_exif || strcmp(format->title, "PNG") != 0);
    return keeps ? picture->orientation : 1;
}

VipsImage *picture_header_create(const struct picture *picture, const struct format *format,
                                 const char *description)
{
    const abbe_image *view = &picture->view;
    VipsImage *origin = picture->origin;
    int orientation = picture_kept_turn(picture, format);
    bool swaps = picture_turn_swaps(orientation);
    VipsImage *image = vips_image_new();
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, origin, NULL) != 0) {
        g_object_unref(image);
        return NULL;
    }
    VipsInterpretation interpretation = interpretation_of(picture);
    /* A profile describes colours of one kind: a grey result has no use for that of an RGB picture. */
    if (origin && picture_colours(origin->Type) != picture_colours(interpretation))
        vips_image_remove(image, VIPS_META_ICC_NAME);
    vips_image_init_fields(image, swaps ? view->height : view->width, swaps ? view->width : view->height,
                           view->channels, picture_band_format(view->type), VIPS_CODING_NONE, interpretation,
                           origin ? origin->Xres : 1.0, origin ? origin->Yres : 1.0);
    remove_stale(image);
    set_orientation(image, orientation);
    set_description(image, description);
    return image;
}
