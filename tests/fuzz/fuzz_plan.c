/* Fuzz target: plans from hostile numbers; small plans are run.
 *
 * An input is a sequence of numbers, then a filter text. The first byte of a number selects its kind, so that
 * extremes are one mutation away from any input:
 *     0 … 191     a small number, the byte itself
 *     192 … 223   an extreme: powers of two and their neighbours, the limits of int and ptrdiff_t
 *     224 … 255   any number, in the eight bytes that follow
 * In order: width, height, channels, source type, result type, border, method, tile width, tile height,
 * alpha, non-finite policy, flags (linear light, correlate, in place, flipped rows), border value, stride
 * excess, count of filters, kernel width, kernel height, kernel centre; then four taps, repeated over the
 * kernel. The seeds in corpus/fuzz_plan are such sequences: a valid small plan of each method and border, and
 * plans with one extreme in each position. */
#include "core/memory.h"
#include "device/device.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE_MAX = 64, RUN_CHANNELS_MAX = 8, BANK = 3, TEXT_MAX = 48 };

/* The memory limit of plans, which keeps grids so small that one input takes milliseconds. */
static const size_t MEMORY = (size_t)2 << 20;

static abbe_device *device;

/* ---- Numbers from bytes ------------------------------------------------------------------------------- */

struct input {
    const uint8_t *data;
    size_t size;
};

static int64_t any_bytes(struct input *input)
{
    int64_t value = 0;
    size_t length = input->size < sizeof value ? input->size : sizeof value;
    memcpy(&value, input->data, length);
    input->data += length;
    input->size -= length;
    return value;
}

static int64_t number(struct input *input)
{
    static const int64_t extremes[] = {
        -1,
        -2,
        INT_MIN,
        INT_MIN + 1,
        INT_MAX,
        INT_MAX - 1,
        PTRDIFF_MIN,
        PTRDIFF_MAX,
        PTRDIFF_MAX / 2,
        PTRDIFF_MAX / 3,
        PTRDIFF_MIN / 2,
        ABBE_SIDE_MAX,
        ABBE_SIDE_MAX + 1,
        ABBE_SIDE_MAX - 1,
        1072076519,
        1 << 17,
        (1 << 17) + 1,
        1 << 20,
        65535,
        65536,
        65537,
        1000003,
        1 << 24,
        1LL << 31,
        1LL << 32,
        1LL << 33,
        1LL << 62,
        4096,
        1021,
        256,
        -65536,
        3 << 20,
    };
    if (!input->size)
        return 0;
    uint8_t kind = *input->data++;
    input->size--;
    return kind < 192 ? kind : kind < 224 ? extremes[kind - 192] : any_bytes(input);
}

static int integer(struct input *input)
{
    return (int)number(input);
}

/* A number in hundredths, or the float that eight bytes hold, which may be huge, denormal or not finite. */
static float real(struct input *input)
{
    bool bits = input->size && *input->data >= 224;
    int64_t value = number(input);
    float result;
    memcpy(&result, &value, sizeof result);
    return bits ? result : (float)value / 100;
}

/* ---- Filters ------------------------------------------------------------------------------------------ */

static int clamp_side(int64_t value)
{
    return (int)(1 + (uint64_t)value % 40);
}

/* A filter of taps that repeat with a period of four; NULL when the library refuses them. */
static abbe_filter *kernel_filter(struct input *input)
{
    abbe_matrix matrix;
    abbe_filter *filter = NULL;
    int width = clamp_side(number(input)), height = clamp_side(number(input));
    int64_t centre = number(input);
    float taps[4];
    for (int i = 0; i < 4; i++)
        taps[i] = real(input);
    if (abbe_matrix_create(width, height, &matrix))
        abort();
    for (int i = 0; i < width * height; i++)
        matrix.values[i] = (double)taps[i % 4];
    const int position[2] = { (int)((uint64_t)centre % 41) - 1, (int)((uint64_t)centre / 41 % 41) - 1 };
    abbe_kernel_params params = { .taps = &matrix,
                                  .centre = centre ? position : NULL,
                                  .normalize = centre & 1 };
    int error = abbe_filter_from_kernel(&params, &filter);
    if (error && !*abbe_error_text(NULL))
        abort();
    abbe_matrix_free(&matrix);
    return filter;
}

/* The filter of the text at the end of the input; NULL when it does not parse or is too large to run
 * quickly. */
static abbe_filter *text_filter(const struct input *input)
{
    char text[TEXT_MAX + 1] = { 0 };
    abbe_filter *filter = NULL;
    memcpy(text, input->data, input->size < TEXT_MAX ? input->size : TEXT_MAX);
    if (abbe_filter_parse(text, NULL, &filter))
        return NULL;
    const abbe_filter_info *info = abbe_filter_describe(filter);
    if (info->width > 100 || info->height > 100)
        abbe_filter_destroy(&filter);
    return filter;
}

/* Σ |tap| of a component, or its largest gain on a coarse grid when it has no taps. */
static double strength(const abbe_filter *filter, int component)
{
    enum { GRID = 16 };
    abbe_matrix taps = { 0 };
    double sum = 0, largest = 0, gain[2];
    if (!abbe_filter_taps(filter, component, &taps)) {
        for (int i = 0; i < taps.width * taps.height; i++)
            sum += fabs(taps.values[i]);
        abbe_matrix_free(&taps);
        return sum;
    }
    for (int i = 0; i < GRID * GRID; i++) {
        if (abbe_filter_gain(filter, component, (double)(i % GRID) / GRID - 0.5,
                             (double)(i / GRID) / GRID - 0.5, gain))
            abort();
        largest = fmax(largest, hypot(gain[0], gain[1]));
    }
    return largest;
}

/* Whether filters and border are so moderate that no result may be infinite. */
static bool is_moderate(const abbe_plan_params *params)
{
    for (size_t i = 0; i < params->filter_count; i++) {
        const abbe_filter_info *info = abbe_filter_describe(params->filters[i]);
        for (int component = 0; component < info->components; component++)
            if (!(strength(params->filters[i], component) < 1e6))
                return false;
    }
    return fabs(params->border_value) < 1e6;
}

/* ---- Runs ------------------------------------------------------------------------------------------ */

/* Makes a view that fills its memory exactly, so that the sanitizer reports the first access outside. */
static abbe_image view_create(const abbe_plan_params *params, abbe_type type, int64_t excess, bool flipped,
                              void **memory)
{
    abbe_image view = {
        .width = params->width, .height = params->height, .channels = params->channels, .type = type
    };
    size_t row = (size_t)params->width * params->channels * abbe_type_size(type);
    size_t stride = row + (size_t)((uint64_t)excess % 9), last = stride * (size_t)(params->height - 1);
    *memory = malloc(last + row);
    if (!*memory)
        abort();
    memset(*memory, 0x2b, last + row); /* as halves 0.056, as floats 6e-13 */
    view.data = flipped ? (char *)*memory + last : *memory;
    view.stride = flipped ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    return view;
}

static void check_finite(const abbe_image *view)
{
    for (int y = 0; view->type == ABBE_F32 && y < view->height; y++)
        for (int i = 0; i < view->width * view->channels; i++) {
            float sample;
            memcpy(&sample, (char *)view->data + y * view->stride + i * (ptrdiff_t)sizeof sample,
                   sizeof sample);
            if (!isfinite(sample)) {
                printf("sample %d of row %d is not finite\n", i, y);
                abort();
            }
        }
}

static void run(const abbe_plan *plan, const abbe_plan_params *params, int64_t excess, int flags,
                bool moderate)
{
    void *memory[1 + BANK];
    abbe_image results[BANK];
    abbe_image source = view_create(params, params->source_type, excess, flags & 8, &memory[0]);
    abbe_type result_type = params->result_type ? params->result_type : params->source_type;
    for (size_t i = 0; i < params->filter_count; i++)
        results[i] = view_create(params, result_type, excess / 9, flags & 16, &memory[1 + i]);
    bool in_place = flags & 4 && params->source_type == result_type && params->filter_count == 1;
    const abbe_image *written = in_place ? &source : results;
    int error = abbe_run(plan, &source, written);
    if (error) {
        printf("%s: %s\n", abbe_error_name(error), abbe_error_text(device));
        abort();
    }
    for (size_t i = 0; i < params->filter_count && moderate; i++)
        check_finite(&written[i]);
    for (size_t i = 0; i <= params->filter_count; i++)
        free(memory[i]);
}

/* Checks that a view whose stride cannot be valid is refused. 0 is packed. */
static void check_bad_stride_refused(const abbe_plan *plan, const abbe_plan_params *params, int64_t excess)
{
    char byte = 0;
    abbe_image bad = { .data = &byte,
                       .width = params->width,
                       .height = params->height,
                       .channels = params->channels,
                       .stride = (ptrdiff_t)excess,
                       .type = params->source_type };
    size_t row = (size_t)params->width * params->channels * abbe_type_size(params->source_type);
    size_t stride = excess < 0 ? (size_t)0 - (size_t)excess : (size_t)excess, span;
    bool valid = stride >= row && core_multiply(stride, (size_t)params->height, &span) && span <= PTRDIFF_MAX;
    if (!valid && excess && params->height > 1 && abbe_run(plan, &bad, &bad) >= 0)
        abort();
}

static bool is_small(const abbe_plan_params *params)
{
    return params->width <= SIDE_MAX && params->height <= SIDE_MAX && params->channels <= RUN_CHANNELS_MAX;
}

static abbe_plan_params read_params(struct input *input, int *flags)
{
    abbe_plan_params params = {
        .width = integer(input),
        .height = integer(input),
        .channels = integer(input),
        .source_type = (abbe_type)integer(input),
        .result_type = (abbe_type)integer(input),
        .border = (abbe_border)integer(input),
        .method = (abbe_method)integer(input),
        .tile_width = integer(input),
        .tile_height = integer(input),
        .alpha = (abbe_alpha)integer(input),
        .nonfinite = (abbe_nonfinite)integer(input),
    };
    *flags = integer(input);
    params.linear_light = *flags & 1;
    params.correlate = *flags & 2;
    params.border_value = real(input);
    return params;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!device && abbe_device_open("cpu", &(abbe_device_params){ .threads = 1 }, &device))
        abort();
    device->memory = MEMORY;
    struct input input = { data, size };
    int flags;
    abbe_plan_params params = read_params(&input, &flags);
    int64_t excess = number(&input), count = number(&input);
    abbe_filter *kernel = kernel_filter(&input), *text = text_filter(&input);
    const abbe_filter *bank[BANK] = { text ? text : kernel, kernel, text };
    params.filters = bank;
    params.filter_count = count <= BANK ? (size_t)count : BANK;
    abbe_plan *plan = NULL;
    int error = abbe_plan_create(device, &params, &plan);
    if ((error && (plan || !*abbe_error_text(device))) || (!error && !plan))
        abort();
    if (plan)
        check_bad_stride_refused(plan, &params, excess);
    if (plan && is_small(&params))
        run(plan, &params, excess, flags, is_moderate(&params));
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&kernel);
    abbe_filter_destroy(&text);
    return 0;
}
