/* Writes linear light to files: PFM stores all of it, PNG what a screen can show. */
#include "files.h"
#include "png.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The value of a binary16 number. */
static float half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float size = exponent ? ldexpf((float)(fraction + 1024), exponent - 25) : ldexpf((float)fraction, -24);
    return half & 0x8000 ? -size : size;
}

/* Converts to floats: red, green and blue of each pixel, top row first. Returns NULL if memory runs out. */
static float *convert_to_floats(const void *pixels, size_t count, bool halves)
{
    const uint16_t *half = pixels;
    const float *single = pixels;
    float *rgb = malloc(count * 3 * sizeof *rgb);
    for (size_t i = 0; rgb && i < count * 3; i++) {
        size_t at = i / 3 * 4 + i % 3;
        rgb[i] = halves ? half_value(half[at]) : single[at];
    }
    return rgb;
}

/* PFM stores rows from bottom to top; the scale −1 means little-endian floats. */
static bool write_pfm(const char *path, int width, int height, const float *rgb)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    size_t row = (size_t)width * 3;
    bool written = fprintf(file, "PF\n%d %d\n-1.0\n", width, height) > 0;
    for (int y = height; y-- > 0 && written;)
        written = fwrite(rgb + row * (size_t)y, sizeof *rgb, row, file) == row;
    return fclose(file) == 0 && written;
}

/* Like film, bright light saturates slowly. The sRGB curve is approximated by a power of 1 / 2.2. */
static uint8_t tone_byte(float light)
{
    float exposed = 1 - expf(-1.5f * fmaxf(light, 0));
    return (uint8_t)lrintf(255 * powf(exposed, 1 / 2.2f));
}

static bool write_png(const char *path, int width, int height, const float *rgb)
{
    size_t count = (size_t)width * (size_t)height * 3;
    uint8_t *bytes = malloc(count);
    for (size_t i = 0; bytes && i < count; i++)
        bytes[i] = tone_byte(rgb[i]);
    bool written = bytes && !png_write(path, width, height, bytes);
    free(bytes);
    return written;
}

bool files_save(const char *folder, const char *name, int width, int height, const void *pixels, bool halves)
{
    char pfm[4096], png[4096];
    snprintf(pfm, sizeof pfm, "%s/%s.pfm", folder, name);
    snprintf(png, sizeof png, "%s/%s.png", folder, name);
    float *rgb = convert_to_floats(pixels, (size_t)width * (size_t)height, halves);
    bool saved = rgb && (!mkdir(folder, 0777) || errno == EEXIST) && write_pfm(pfm, width, height, rgb) &&
                 write_png(png, width, height, rgb);
    if (!saved)
        fprintf(stderr, "%s/%s: %s\n", folder, name, strerror(errno));
    free(rgb);
    return saved;
}
