/* Puts many pictures on one sheet, each with its label below.
 *
 *     contact_sheet OUT.png COLUMNS SHRINK LABEL=PICTURE.ppm…
 *
 * Pictures are binary PPM or PGM files of one size. This command makes them from any other format:
 *
 *     abbe filter PICTURE.png -f identity -o PICTURE.ppm
 *
 * Each is shown at 1/SHRINK of its size. */
#include "png.h"
#include "sheet.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 1 << 13 };

struct frame {
    int width, height;
    uint8_t *rgb;
};

static int complain(const char *what, const char *reason)
{
    fprintf(stderr, "contact_sheet: %s: %s\n", what, reason);
    return -1;
}

/* Reads a whole number after spaces and comment lines; −1 if there is none. */
static int read_number(FILE *file)
{
    int value, c = fgetc(file);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#') {
        while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
            c = '#';
        c = fgetc(file);
    }
    ungetc(c, file);
    return fscanf(file, "%6d", &value) == 1 ? value : -1;
}

/* "P5" is grey and "P6" is RGB; then width, height, the largest sample and one space. */
static int read_head(FILE *file, struct frame *frame, int *channels, int *bytes)
{
    if (fgetc(file) != 'P')
        return -1;
    int kind = fgetc(file);
    frame->width = read_number(file);
    frame->height = read_number(file);
    int largest = read_number(file);
    fgetc(file);
    bool fits = frame->width >= 1 && frame->width <= SIDE_MAX && frame->height >= 1 &&
                frame->height <= SIDE_MAX;
    *channels = kind == '5' ? 1 : 3;
    *bytes = largest == 65535 ? 2 : 1;
    return (kind == '5' || kind == '6') && fits && (largest == 255 || largest == 65535) ? 0 : -1;
}

/* Expands the grey samples at the front of `rgb` to pixels in place, the last one first. */
static void expand_grey(uint8_t *rgb, size_t pixels)
{
    while (pixels-- > 0)
        rgb[3 * pixels] = rgb[3 * pixels + 1] = rgb[3 * pixels + 2] = rgb[pixels];
}

static int read_frame(const char *path, struct frame *frame)
{
    int channels, bytes;
    FILE *file = fopen(path, "rb");
    if (!file)
        return complain(path, strerror(errno));
    int error = read_head(file, frame, &channels, &bytes);
    if (error) {
        fclose(file);
        return complain(path, "not a binary PPM or PGM picture of 8 or 16 bits");
    }
    size_t pixels = (size_t)frame->width * (size_t)frame->height, samples = pixels * (size_t)channels;
    frame->rgb = malloc(6 * pixels);
    if (!frame->rgb || fread(frame->rgb, (size_t)bytes, samples, file) != samples)
        error = complain(path, "the file is truncated");
    for (size_t i = 0; !error && bytes == 2 && i < samples; i++)
        frame->rgb[i] = frame->rgb[2 * i]; /* the high byte comes first */
    if (!error && channels == 1)
        expand_grey(frame->rgb, pixels);
    fclose(file);
    return error;
}

/* Puts the picture of "LABEL=FILE" into cell `index` of a sheet that the first picture creates. */
static int place_picture(struct sheet *sheet, int index, int count, int columns, int shrink, char *argument)
{
    struct frame frame = { 0 };
    char *equals = strrchr(argument, '=');
    if (!equals)
        return complain(argument, "not LABEL=PICTURE.ppm");
    *equals = '\0';
    int error = read_frame(equals + 1, &frame);
    if (!error && index == 0 &&
        sheet_create(columns, (count + columns - 1) / columns, frame.width, frame.height, shrink, sheet))
        error = complain("sheet", "out of memory");
    bool fits = frame.width == sheet->picture_width && frame.height / shrink == sheet->cell_height;
    if (!error && !fits)
        error = complain(equals + 1, "its size differs from that of the first picture");
    if (!error)
        sheet_place(sheet, index, frame.rgb, argument);
    free(frame.rgb);
    return error;
}

int main(int count, char **arguments)
{
    struct sheet sheet = { 0 };
    int columns = count > 4 ? atoi(arguments[2]) : 0, shrink = count > 4 ? atoi(arguments[3]) : 0;
    if (columns < 1 || columns > 100 || shrink < 1 || shrink > 100) {
        fputs("usage: contact_sheet OUT.png COLUMNS SHRINK LABEL=PICTURE.ppm...\n", stderr);
        return 2;
    }
    int error = 0;
    for (int i = 4; !error && i < count; i++)
        error = place_picture(&sheet, i - 4, count - 4, columns, shrink, arguments[i]);
    const char *reason = error ? NULL : png_write(arguments[1], sheet.width, sheet.height, sheet.rgb);
    if (reason)
        error = complain(arguments[1], reason);
    sheet_free(&sheet);
    return error ? 1 : 0;
}
