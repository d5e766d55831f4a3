/* Metadata and formats that the command parses itself: EXIF blocks and directories of TIFF, Photoshop's resources,
 * XMP, BMP, PFM. The first byte chooses the parser. */
#include "bitmap.h"
#include "exif.h"
#include "vips_picture.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written and read again, and must then be complete. */
static void try_exif(struct exif exif)
{
    GByteArray *block = exif_to_block(&exif);
    struct exif again = exif_from_block(block->data, block->len);
    if (exif_has_news(&again) != exif_has_news(&exif) || again.is_cut)
        abort();
    exif_free(&again);
    exif_free(&exif);
    g_byte_array_free(block, TRUE);
}

static void try_field(const char *field, const uint8_t *data, size_t size)
{
    VipsImage *image = vips_image_new();
    vips_image_set_blob_copy(image, field, data, size);
    parts_drop("fuzz", image);
    resources_divide(image);
    resources_join(image, size & 1);
    g_object_unref(image);
}

static void try_image(VipsImage *image)
{
    VipsImage *memory = NULL;
    bool is_small = image && (gint64)image->Xsize * image->Ysize < 1 << 20;
    if (is_small && vips_copy(image, &memory, NULL) == 0) {
        size_t size = 0;
        g_free(vips_image_write_to_memory(memory, &size));
        g_object_unref(memory);
    }
    if (image)
        g_object_unref(image);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!picture_begin("fuzz_metadata", 1))
        abort();
    /* Warnings; the fuzzer and the sanitizers keep the original stream. */
    stderr = fopen("/dev/null", "w");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    VipsSource *source = vips_source_new_from_memory(data + 1, size - 1);
    switch (data[0] % 7) {
    case 0: try_exif(exif_from_block(data + 1, size - 1)); break;
    case 1: try_exif(exif_from_tiff(source)); break;
    case 2: try_field(VIPS_META_IPTC_NAME, data + 1, size - 1); break;
    case 3: try_field(VIPS_META_PHOTOSHOP_NAME, data + 1, size - 1); break;
    case 4: try_field(VIPS_META_XMP_NAME, data + 1, size - 1); break;
    case 5: try_image(bmp_load(source)); break;
    case 6: try_image(pfm_load(source)); break;
    default: break;
    }
    g_object_unref(source);
    vips_error_clear();
    return 0;
}
