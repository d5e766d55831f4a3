/* Metadata and formats that the command parses itself: EXIF blocks and directories of TIFF, Photoshop's resources,
 * XMP, BMP, PFM, and files to which metadata are added. The first byte chooses the parser. */
#define _GNU_SOURCE /* memfd_create */
#include "bitmap.h"
#include "exif.h"
#include "target.h"
#include "vips_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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
    resources_join("fuzz", image, size & 1);
    g_object_unref(image);
}

/* Adds a field to a file that a saver wrote. One byte chooses both, and the next is the length of the file. */
static void try_finish(const uint8_t *data, size_t size)
{
    static bool (*const finish[])(const char *, VipsImage *,
                                  int) = { metadata_finish_tiff, metadata_finish_jxl, metadata_finish_jp2 };
    static const char *const fields[] = { VIPS_META_EXIF_NAME, VIPS_META_XMP_NAME, VIPS_META_ICC_NAME };
    if (size < 2 || size - 2 < data[1])
        return;
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    VipsImage *image = vips_image_new();
    vips_image_set_blob_copy(image, fields[data[0] / 3 % 3], data + 2 + data[1], size - 2 - data[1]);
    if (descriptor >= 0 && target_write(descriptor, data + 2, data[1]))
        finish[data[0] % 3]("fuzz", image, descriptor);
    g_object_unref(image);
    close(descriptor);
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
    switch (data[0] % 8) {
    case 0: try_exif(exif_from_block(data + 1, size - 1)); break;
    case 1: try_exif(exif_from_tiff(source)); break;
    case 2: try_field(VIPS_META_IPTC_NAME, data + 1, size - 1); break;
    case 3: try_field(VIPS_META_PHOTOSHOP_NAME, data + 1, size - 1); break;
    case 4: try_field(VIPS_META_XMP_NAME, data + 1, size - 1); break;
    case 5: try_image(bmp_load(source)); break;
    case 6: try_image(pfm_load(source)); break;
    case 7: try_finish(data + 1, size - 1); break;
    default: break;
    }
    g_object_unref(source);
    vips_error_clear();
    return 0;
}
