/* A program of a user, valid as C11 and as C++17: filters a small picture and checks the result. */
#include <abbe/abbe.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 6 };

static int fail(const char *what, const abbe_device *device)
{
    fprintf(stderr, "%s: %s\n", what, abbe_error_text(device));
    return 1;
}

/* The header that was compiled and the library that was found are of one version. */
static int check_version(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR,
             ABBE_VERSION_PATCH);
    if (strcmp(expected, abbe_version()) == 0)
        return 0;
    fprintf(stderr, "header %s, library %s\n", expected, abbe_version());
    return 1;
}

/* A box of radius 1 turns one white pixel into a square of nine ninths: 255 / 9 = 28.3. */
static int check_picture(const uint8_t *pixels)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            int expected = x >= 3 && x <= 5 && y >= 2 && y <= 4 ? 28 : 0;
            if (pixels[y * WIDTH + x] != expected) {
                fprintf(stderr, "pixel %d,%d is %d, not %d\n", x, y, pixels[y * WIDTH + x], expected);
                return 1;
            }
        }
    }
    return 0;
}

static abbe_image view(uint8_t *pixels)
{
    abbe_image image;
    memset(&image, 0, sizeof image);
    image.data = pixels;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.channels = 1;
    image.stride = WIDTH;
    image.type = ABBE_U8;
    return image;
}

static int run(abbe_device *device, abbe_method method, const abbe_filter *filter)
{
    uint8_t in[WIDTH * HEIGHT] = { 0 }, out[WIDTH * HEIGHT];
    abbe_image source = view(in), result = view(out);
    abbe_plan_params params;
    abbe_plan *plan = NULL;
    memset(&params, 0, sizeof params);
    params.width = WIDTH;
    params.height = HEIGHT;
    params.channels = 1;
    params.source_type = params.result_type = ABBE_U8;
    params.filters = &filter;
    params.filter_count = 1;
    params.method = method;
    in[3 * WIDTH + 4] = 255;
    int failed = abbe_plan_create(device, &params, &plan) || abbe_run(plan, &source, &result);
    if (failed)
        fail(abbe_method_name(method), device);
    abbe_plan_destroy(&plan);
    return failed || check_picture(out);
}

int main(void)
{
    const abbe_method methods[] = { ABBE_METHOD_AUTO, ABBE_METHOD_DIRECT, ABBE_METHOD_SEPARABLE,
                                    ABBE_METHOD_FFT, ABBE_METHOD_TILES };
    abbe_device *device = NULL;
    abbe_filter *filter = NULL;
    int failed = check_version();
    if (abbe_device_open("auto", NULL, &device))
        return fail("abbe_device_open", NULL);
    if (abbe_filter_parse("box:radius=1", NULL, &filter))
        return fail("abbe_filter_parse", NULL);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        failed |= run(device, methods[i], filter);
    printf("abbe %s on %s: %s\n", abbe_version(), abbe_device_name(device), failed ? "wrong" : "right");
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
    return failed;
}
