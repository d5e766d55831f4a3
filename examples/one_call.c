/* Blurs a red square with one call of the library, and prints what became of it. */
#include <abbe/abbe.h>

#include <stdint.h>
#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 480 };

static uint8_t pixels[HEIGHT][WIDTH][3];

int main(void)
{
    for (int i = 0; i < 400; i++)
        pixels[230 + i / 20][310 + i % 20][0] = 255;

    abbe_image picture = { .data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 3, .type = ABBE_U8 };
    if (abbe_apply(NULL, "disk:radius=9", ABBE_BORDER_REFLECT, &picture, &picture)) {
        fprintf(stderr, "one_call: %s\n", abbe_last_error());
        return 1;
    }
    printf("level %d in the middle of the blurred square, %d at its corner\n", pixels[240][320][0],
           pixels[230][310][0]);
    return 0;
}
