/* abbe-count: one filter once, for tools that count instructions: scripts/count runs it under callgrind.
 *
 * Arguments: METHOD CHANNELS FILTER, on 256 x 256 pixels, float for one channel and bytes for more. */
#include <abbe/abbe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };

/* What is counted, by its name. */
__attribute__((noinline)) int counted_run(const abbe_plan *plan, const abbe_image *source,
                                          const abbe_image *result);

int counted_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *result)
{
    return abbe_run(plan, source, result);
}

/* AUTO when no method is called that: what is counted is always one that was asked for. */
static abbe_method method_named(const char *name)
{
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
        if (!strcmp(name, abbe_method_name((abbe_method)method)))
            return (abbe_method)method;
    return ABBE_METHOD_AUTO;
}

static int fail(const abbe_device *device)
{
    fprintf(stderr, "abbe-count: %s\n", abbe_error_text(device));
    return EXIT_FAILURE;
}

/* The first run finds the plan's memory, and is not counted. */
static int run(const abbe_device *device, const abbe_plan *plan, int channels, abbe_type type)
{
    size_t row = (size_t)SIDE * (size_t)channels * abbe_type_size(type);
    unsigned char *pixels = calloc(2 * SIDE, row);
    if (!pixels)
        return EXIT_FAILURE;
    abbe_image source = { pixels, SIDE, SIDE, channels, (ptrdiff_t)row, type }, result = source;
    result.data = pixels + SIDE * row;
    for (size_t i = 0; i < SIDE * row / abbe_type_size(type); i++)
        if (type == ABBE_U8)
            pixels[i] = (unsigned char)(i * 2654435761u >> 24);
        else
            ((float *)(void *)pixels)[i] = (float)(i * 2654435761u >> 24 & 255) / 255;
    int error = abbe_run(plan, &source, &result) || counted_run(plan, &source, &result);
    free(pixels);
    return error ? fail(device) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc != 4 || method_named(argv[1]) == ABBE_METHOD_AUTO) {
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
        return fail(NULL);
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
                                              .method = method_named(argv[1]) },
                         &plan))
        return fail(device);
    int status = run(device, plan, channels, type);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
    return status;
}
