/* A contact sheet: many pictures of one size, at half of it, each over its label. */
#include "sheet.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 16, LABEL = 30, PAPER = 24 };

int sheet_create(int columns, int rows, int width, int height, struct sheet *sheet)
{
    *sheet = (struct sheet){
        .columns = columns, .rows = rows, .cell_width = width / 2, .cell_height = height / 2
    };
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

/* One row at half size: each sample the mean of four. */
static void halve(const uint8_t *above, const uint8_t *below, int pixels, uint8_t *out)
{
    for (int x = 0; x < pixels; x++, above += 6, below += 6, out += 3)
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)((above[c] + above[c + 3] + below[c] + below[c + 3] + 2) / 4);
}

void sheet_place(struct sheet *sheet, int index, const uint8_t *rgb, const char *label)
{
    static const uint8_t ink[3] = { 230, 225, 215 };
    int left = GAP + index % sheet->columns * (sheet->cell_width + GAP);
    int top = GAP + index / sheet->columns * (sheet->cell_height + LABEL + GAP);
    size_t stride = 6 * (size_t)sheet->cell_width;
    for (int y = 0; y < sheet->cell_height; y++) {
        const uint8_t *row = rgb + 2 * (size_t)y * stride;
        size_t place = (size_t)(top + y) * (size_t)sheet->width + (size_t)left;
        halve(row, row + stride, sheet->cell_width, sheet->rgb + 3 * place);
    }
    text_draw(sheet->rgb, sheet->width, sheet->height, left, top + sheet->cell_height + 8, 2, ink, label);
}
