/* A contact sheet: many pictures of one size, at half of it, each over its label. */
#ifndef EXAMPLES_SHEET_H
#define EXAMPLES_SHEET_H

#include <stdint.h>

struct sheet {
    int columns, rows;
    int cell_width, cell_height; /* of a picture on the sheet: half its size */
    int width, height;
    uint8_t *rgb;
};

/* A sheet for columns × rows pictures of width × height. 0, or −1 without memory. */
int sheet_create(int columns, int rows, int width, int height, struct sheet *sheet);
void sheet_free(struct sheet *sheet);

/* Puts a picture into cell `index`, counted row by row. */
void sheet_place(struct sheet *sheet, int index, const uint8_t *rgb, const char *label);

#endif
