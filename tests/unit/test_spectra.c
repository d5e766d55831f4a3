/* H in the layout of an engine, against the naive Fourier sum: columns and rows in any order, some of them
 * left out, lanes without a column, in memory that is not zero. */
#include "filter/sampling/spectra.h"

#include "support/random.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

/* Fills memory with floats of −1.6e38, because nothing may rely on memory that happens to be zero. */
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    int error = __real_posix_memalign(memory, alignment, size);
    if (!error)
        memset(*memory, 0xfe, size);
    return error;
}

/* The order of frequencies along an axis. */
enum order { ORDER_RISING, ORDER_FALLING, ORDER_RANDOM, ORDERS };

static void number(struct random *random, enum order order, int count, int *numbers)
{
    for (int i = 0; i < count; i++)
        numbers[i] = order == ORDER_FALLING ? count - 1 - i : i;
    for (int i = count - 1; i > 0 && order == ORDER_RANDOM; i--) {
        int j = random_int(random, 0, i), kept = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = kept;
    }
}

/* Σ tap(k) e^(−j2π f·k) · scale. */
static void naive(const struct kernel *kernel, int u, int v, const struct spectrum_grid *grid, double scale,
                  double sum[2])
{
    sum[0] = sum[1] = 0;
    for (int k = 0; k < kernel->width * kernel->height; k++) {
        int x = k % kernel->width, y = k / kernel->width;
        double turns = (double)(u * (x - kernel->centre_x) % grid->width) / grid->width +
                       (double)(v * (y - kernel->centre_y) % grid->height) / grid->height;
        sum[0] += scale * kernel_tap(kernel, x, y) * cos(2 * M_PI * turns);
        sum[1] -= scale * kernel_tap(kernel, x, y) * sin(2 * M_PI * turns);
    }
}

/* The frequency whose column has a given position in the layout, or −1. */
static int column_at(const struct spectrum_layout *layout, int width, int place)
{
    for (int u = 0; u < width; u++)
        if (layout->column[u] == place)
            return u;
    return -1;
}

static void check_layout(const struct kernel *kernel, const struct spectrum_grid *grid,
                         const struct spectrum_layout *layout, bool real, const float *h)
{
    int parts = real ? 1 : 2, each = layout->rows ? layout->rows : grid->height;
    int rows = layout->blocks * each;
    for (int i = 0; i < rows * layout->lanes; i++) {
        int row = i / layout->lanes, lane = i % layout->lanes, at = row % each;
        int u = column_at(layout, grid->width, row / each * layout->lanes + lane);
        double expected[2] = { 0, 0 };
        if (u >= 0)
            naive(kernel, u, layout->order[at], grid, layout->scale, expected);
        for (int part = 0; part < 2; part++) {
            double found = part < parts ? h[(row * parts + part) * layout->lanes + lane] : 0;
            if (!(fabs(found - expected[part]) <= 1e-6))
                fail_msg("%d x %d, %d lanes: part %d of H(%d, %d) is %g, not %g", grid->width, grid->height,
                         layout->lanes, part, u, layout->order[at], found, expected[part]);
        }
    }
}

/* Makes a layout with two blocks more than the columns need; with `half`, the second halves of the
 * columns and of the rows are left out. */
static struct spectrum_layout make_layout(struct random *random, const struct spectrum_grid *grid, int lanes,
                                          enum order order, bool half)
{
    int *columns = malloc((size_t)grid->width * sizeof *columns);
    int *rows = malloc((size_t)grid->height * sizeof *rows);
    assert_non_null(columns);
    assert_non_null(rows);
    number(random, order, grid->width, columns);
    int kept = half ? grid->height / 2 + 1 : grid->height;
    number(random, order, kept, rows);
    int shift = random_int(random, 0, lanes);
    for (int u = 0; u < grid->width; u++)
        columns[u] = half && u > grid->width / 2 ? -1 : columns[u] + shift;
    return (struct spectrum_layout){ .blocks = grid->width / lanes + 3,
                                     .lanes = lanes,
                                     .column = columns,
                                     .order = rows,
                                     .scale = 0.25,
                                     .rows = half ? kept : 0 };
}

static void free_layout(struct spectrum_layout *layout)
{
    free((int *)layout->column);
    free((int *)layout->order);
}

static void check(struct random *random, const abbe_filter *filter, int width, int height, int lanes)
{
    const struct response *response = &filter->component[0];
    const struct spectrum_grid grid = { width, height, false, 3, core_level_best() };
    for (int order = 0; order < ORDERS; order++) {
        struct spectrum spectrum = { 0 };
        struct spectrum_layout pair = make_layout(random, &grid, lanes, (enum order)order, false);
        struct spectrum_layout single = make_layout(random, &grid, lanes, (enum order)order, true);
        assert_int_equal(spectrum_create(&grid, response, &pair, &single, &spectrum), ABBE_OK);
        assert_int_equal(spectrum.real, response_is_real(response));
        check_layout(&response->kernel, &grid, &pair, spectrum.real, spectrum.pair);
        check_layout(&response->kernel, &grid, &single, spectrum.real, spectrum.single);
        spectrum_free(&spectrum);
        free_layout(&single);
        free_layout(&pair);
    }
}

static void every_column_has_its_place(void **state)
{
    (void)state;
    struct random random = { 1 };
    const int sizes[][2] = { { 1, 1 }, { 2, 5 }, { 15, 4 }, { 32, 9 }, { 33, 8 }, { 100, 12 }, { 131, 3 } };
    const char *const texts[] = { "disk:radius=2", "gaussian:sigma=1", "sobel:axis=x", "emboss" };
    for (int t = 0; t < 4; t++) {
        abbe_filter *filter = NULL;
        assert_int_equal(abbe_filter_parse(texts[t], NULL, &filter), ABBE_OK);
        for (int i = 0; i < 7 * 4; i++)
            check(&random, filter, sizes[i % 7][0], sizes[i % 7][1], 1 << 2 * (i / 7));
        abbe_filter_destroy(&filter);
    }
}

/* Responses large enough for several threads, in rows and in columns. */
static float *sample_large(const abbe_filter *filter, int threads, const struct spectrum_layout *layout)
{
    const struct response *response = &filter->component[0];
    const struct spectrum_grid grid = { 1000, 600, false, threads, core_level_best() };
    bool real = response_is_real(response);
    float *h = malloc(spectrum_numbers(&grid, layout, real) * sizeof *h);
    assert_non_null(h);
    assert_int_equal(spectrum_fill(&grid, response, real, layout, h), ABBE_OK);
    return h;
}

static void check_threads(const abbe_filter *filter)
{
    struct random random = { 5 };
    const struct spectrum_grid grid = { 1000, 600, false, 1, core_level_best() };
    bool real = response_is_real(&filter->component[0]);
    struct spectrum_layout layout = make_layout(&random, &grid, 4, ORDER_RISING, false);
    float *one = sample_large(filter, 1, &layout), *five = sample_large(filter, 5, &layout);
    assert_memory_equal(one, five, spectrum_numbers(&grid, &layout, real) * sizeof *one);
    for (int i = 0; i < 40; i++) {
        int u = random_int(&random, 0, grid.width - 1), v = random_int(&random, 0, grid.height - 1);
        int place = layout.column[u], parts = real ? 1 : 2;
        double expected[2];
        naive(&filter->component[0].kernel, u, layout.order[v], &grid, layout.scale, expected);
        float *h = one + (place / 4 * grid.height + v) * parts * 4 + place % 4;
        for (int part = 0; part < parts; part++)
            assert_true(fabs(h[4 * part] - expected[part]) <= 1e-5);
    }
    free(five);
    free(one);
    free_layout(&layout);
}

/* A dense kernel of 501 rows, once with a real H and once with a complex H. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { WIDTH = 31, HEIGHT = 501 };
    static double taps[HEIGHT][WIDTH];
    struct random random = { 8 };
    for (int even = 0; even < 2; even++) {
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                taps[y][x] = random_unit(&random) / WIDTH / HEIGHT;
        for (int i = 0; i < WIDTH * HEIGHT / 2 && even; i++)
            (&taps[0][0])[WIDTH * HEIGHT - 1 - i] = (&taps[0][0])[i];
        abbe_filter *filter = NULL;
        const abbe_matrix matrix = { WIDTH, HEIGHT, &taps[0][0] };
        assert_int_equal(abbe_filter_from_kernel(&(abbe_kernel_params){ .taps = &matrix }, &filter), ABBE_OK);
        assert_int_equal(response_is_real(&filter->component[0]), even);
        check_threads(filter);
        abbe_filter_destroy(&filter);
    }
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(every_column_has_its_place),
                                           cmocka_unit_test(threads_change_no_bit) };

TEST_MAIN(tests)
