/* Lays out a contact sheet. */
#include "sheet.h"

#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 16, LABEL = 30, PAPER = 24, TEXT_SCALE = 2 };

int sheet_create(int columns, int rows, int width, int height, int shrink, struct sheet *sheet)
{
    *sheet = (struct sheet){ .columns = columns,
                             .rows = rows,
                             .shrink = shrink,
                             .picture_width = width,
                             .cell_width = width / shrink,
                             .cell_height = height / shrink };
    sheet->width = GAP + columns * (sheet->cell_width + GAP);
    sheet->height = GAP + rows * (sheet->cell_height + LABEL + GAP);
    size_t size = 3 * (size_t)sheet->width * (size_t)sheet->height;
    sheet->rgb = malloc(size);
    if (!sheet->rgb)
        return -1;
    memset(sheet->rgb, PAPER, size);
    return 0;
}

void sheet_free(struct sheet *sheet)
{
    free(sheet->rgb);
    sheet->rgb = NULL;
}

/* One pixel of the smaller picture is the mean of a square of pixels. */
static void average_square(const uint8_t *corner, size_t stride, int side, uint8_t out[3])
{
    unsigned sums[3] = { 0 }, count = (unsigned)(side * side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < 3 * side; x++)
            sums[x % 3] += corner[(size_t)y * stride + (size_t)x];
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)((sums[c] + count / 2) / count);
}

void sheet_place(struct sheet *sheet, int index, const uint8_t *rgb, const char *label)
{
    static const uint8_t ink[3] = { 230, 225, 215 };
    int left = GAP + index % sheet->columns * (sheet->cell_width + GAP);
    int top = GAP + index / sheet->columns * (sheet->cell_height + LABEL + GAP);
    size_t stride = 3 * (size_t)sheet->picture_width, shrink = (size_t)sheet->shrink;
    for (int y = 0; y < sheet->cell_height; y++)
        for (int x = 0; x < sheet->cell_width; x++) {
            size_t place = (size_t)(top + y) * (size_t)sheet->width + (size_t)(left + x);
            const uint8_t *corner = rgb + (size_t)y * shrink * stride + 3 * (size_t)x * shrink;
            average_square(corner, stride, sheet->shrink, sheet->rgb + 3 * place);
        }
    char shown[128];
    int letters = sheet->cell_width / (TEXT_ADVANCE * TEXT_SCALE);
    snprintf(shown, sizeof shown, "%.*s", letters, label);
    text_draw(sheet->rgb, sheet->width, sheet->height, left, top + sheet->cell_height + 8, TEXT_SCALE, ink,
              shown);
}
