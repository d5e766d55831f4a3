/* A contact sheet: many pictures of one size, made smaller, each over its label. */
#ifndef EXAMPLES_SHEET_H
#define EXAMPLES_SHEET_H

#include <stdint.h>

struct sheet {
    int columns, rows;
    int picture_width;           /* as it comes */
    int shrink;                  /* a picture on the sheet has 1/shrink of its size */
    int cell_width, cell_height; /* of a picture on the sheet */
    int width, height;
    uint8_t *rgb;
};

/* A sheet for columns × rows pictures of width × height, shown at 1/shrink. 0, or −1 without memory. */
int sheet_create(int columns, int rows, int width, int height, int shrink, struct sheet *sheet);
void sheet_free(struct sheet *sheet);

/* Puts a picture into cell `index`, counted row by row. A label too long for its cell is cut. */
void sheet_place(struct sheet *sheet, int index, const uint8_t *rgb, const char *label);

#endif
