/* PFM files: floats, bottom row first. */
#include "support/pfm.h"
#include "support/test.h"

#include <stdio.h>

struct picture pfm_read(const char *folder, const char *name)
{
    char path[4096];
    int width, height;
    snprintf(path, sizeof path, "%s/%s.pfm", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "PF %d %d -1.0", &width, &height), 2);
    assert_int_equal(fgetc(file), '\n');
    struct picture picture = picture_create(width, height, 3);
    for (int y = height - 1; y >= 0; y--)
        for (int i = 0; i < width * 3; i++) {
            float sample;
            assert_int_equal(fread(&sample, sizeof sample, 1, file), 1);
            *picture_at(&picture, 0, y, i) = sample;
        }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return picture;
}
