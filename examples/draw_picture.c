/* Draws the test picture into a PNG file.
 *
 *     draw_picture OUT.png */
#include "png.h"
#include "test_picture.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: draw_picture OUT.png\n", stderr);
        return 2;
    }
    uint8_t *rgb = malloc(3 * TEST_PICTURE_WIDTH * TEST_PICTURE_HEIGHT);
    if (!rgb) {
        fputs("draw_picture: out of memory\n", stderr);
        return 1;
    }
    test_picture_draw(rgb);
    const char *reason = png_write(arguments[1], TEST_PICTURE_WIDTH, TEST_PICTURE_HEIGHT, rgb);
    if (reason)
        fprintf(stderr, "draw_picture: %s: %s\n", arguments[1], reason);
    free(rgb);
    return reason ? 1 : 0;
}
