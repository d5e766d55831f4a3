/* A contact sheet: pictures of one size, reduced, each with a label below. */
#ifndef EXAMPLES_SHEET_H
#define EXAMPLES_SHEET_H

#include <stdint.h>

struct sheet {
    int columns, rows;
    int picture_width;           /* of the full-size pictures */
    int shrink;                  /* pictures on the sheet have 1/shrink of their size */
    int cell_width, cell_height; /* of a picture on the sheet */
    int width, height;
    uint8_t *rgb;
};

/* Creates a sheet for columns × rows pictures of width × height,
 * shown at 1/shrink. Returns 0, or −1 if memory runs out. */
int sheet_create(int columns, int rows, int width, int height, int shrink, struct sheet *sheet);
void sheet_free(struct sheet *sheet);

/* Puts a picture into cell `index`, counted row by row. A
 * label that is too long for its cell is truncated. */
void sheet_place(struct sheet *sheet, int index, const uint8_t *rgb, const char *label);

#endif
