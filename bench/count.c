/* abbe-count: runs one filter, for tools that count instructions; scripts/count runs it under callgrind.
 *
 * Arguments: METHOD CHANNELS FILTER. The picture has 256 x 256 pixels: F32 with one channel, U8 with more. */
#include <abbe/abbe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };

/* Callgrind counts the instructions of this function, which it finds by name. */
__attribute__((noinline)) int counted_run(const abbe_plan *plan, const abbe_image *source,
                                          const abbe_image *result);

int counted_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *result)
{
    return abbe_run(plan, source, result);
}

static int print_error(const abbe_device *device)
{
    fprintf(stderr, "abbe-count: %s\n", abbe_error_text(device));
    return EXIT_FAILURE;
}

/* The first run allocates the plan's scratch memory, and is not counted. */
static int run_twice(const abbe_device *device, const abbe_plan *plan, int channels, abbe_type type)
{
    size_t row = (size_t)SIDE * (size_t)channels * abbe_type_size(type);
    unsigned char *pixels = calloc(2 * SIDE, row);
    if (!pixels)
        return EXIT_FAILURE;
    abbe_image source = { .data = pixels,
                          .width = SIDE,
                          .height = SIDE,
                          .channels = channels,
                          .stride = (ptrdiff_t)row,
                          .type = type },
               result = source;
    result.data = pixels + SIDE * row;
    for (size_t i = 0; i < SIDE * row / abbe_type_size(type); i++)
        if (type == ABBE_U8)
            pixels[i] = (unsigned char)(i * 2654435761u >> 24);
        else
            ((float *)(void *)pixels)[i] = (float)(i * 2654435761u >> 24 & 255) / 255;
    int error = abbe_run(plan, &source, &result) || counted_run(plan, &source, &result);
    free(pixels);
    return error ? print_error(device) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    abbe_method method;
    if (argc != 4 || abbe_method_from_name(argv[1], &method) || method == ABBE_METHOD_AUTO) {
        fputs("usage: abbe-count METHOD CHANNELS FILTER\n", stderr);
        return 2;
    }
    abbe_device *device = NULL;
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    int channels = atoi(argv[2]);
    abbe_type type = channels == 1 ? ABBE_F32 : ABBE_U8;
    if (abbe_device_open("cpu", &(abbe_device_params){ .threads = 1 }, &device) ||
        abbe_filter_parse(argv[3], NULL, &filter))
        return print_error(NULL);
    const abbe_filter *bank = filter;
    if (abbe_plan_create(device,
                         &(abbe_plan_params){ .width = SIDE,
                                              .height = SIDE,
                                              .channels = channels,
                                              .source_type = type,
                                              .result_type = type,
                                              .filters = &bank,
                                              .filter_count = 1,
                                              .border = ABBE_BORDER_WRAP,
                                              .method = method },
                         &plan))
        return print_error(device);
    int status = run_twice(device, plan, channels, type);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
    return status;
}
