/* A program that fills every parameter struct of the public header and reads every struct of the library. It
 * is linked with a library whose structs have other sizes than those it was compiled with. */
#include <abbe/abbe.h>
#include <abbe/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIDE = 5, PIXELS = SIDE * SIDE };

static void check(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "growth: %s: %s\n", what, abbe_last_error());
    exit(1);
}

/* Copies a parameter struct to the end of a page that is followed by one that cannot be read: a library that
 * reads beyond the struct ends the program. The copies of this short program are not freed. */
static void *at_the_edge(const void *params, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE), "mmap");
    return memcpy(pages + page - size, params, size);
}

static abbe_device *open_device(size_t size)
{
    const abbe_device_params params = { .size = size, .threads = 1, .cache_dir = "" };
    abbe_device_params *edge = at_the_edge(&params, sizeof params);
    abbe_device *device = NULL;
    check(!abbe_device_open("cpu", edge, &device), "abbe_device_open");
#ifdef GROWN
    if (size) {
        abbe_device *other = NULL;
        edge->grown[2] = 1;
        check(abbe_device_open("cpu", edge, &other) == ABBE_ERR_UNSUPPORTED && !other &&
                  strstr(abbe_last_error(), "newer library"),
              "a field of the future");
    }
#endif
    return device;
}

static abbe_filter *make_box(size_t size)
{
    double ones[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const abbe_matrix taps = { 3, 3, ones };
    const abbe_kernel_params params = { .size = size, .taps = &taps, .normalize = true };
    abbe_filter *box = NULL;
    check(!abbe_filter_from_kernel(at_the_edge(&params, sizeof params), &box), "abbe_filter_from_kernel");
    const abbe_filter_info *info = abbe_filter_describe(box);
    check(info->components == 1 && !info->in_frequency && info->width == 3 && info->centre_y == 1,
          "abbe_filter_describe");
    return box;
}

static abbe_plan *make_plan(abbe_device *device, const abbe_filter *filter, size_t size)
{
    const abbe_plan_params params = { .size = size,
                                      .width = SIDE,
                                      .height = SIDE,
                                      .channels = 1,
                                      .source_type = ABBE_F32,
                                      .result_type = ABBE_F32,
                                      .filters = &filter,
                                      .filter_count = 1,
                                      .border = ABBE_BORDER_WRAP,
                                      .runs = 1 };
    abbe_plan *plan = NULL;
    check(!abbe_plan_create(device, at_the_edge(&params, sizeof params), &plan), "abbe_plan_create");
    return plan;
}

static int count_calls(void *user, double done)
{
    (void)done;
    ++*(int *)user;
    return 0;
}

/* The mean of the 3 × 3 pixels around each pixel of a picture that repeats. */
static void check_run(const abbe_plan *plan, size_t size)
{
    float in[PIXELS], out[PIXELS];
    int calls = 0;
    const abbe_watch watch = { .size = size, .progress = count_calls, .user = &calls };
    for (int i = 0; i < PIXELS; i++)
        in[i] = (float)(i * i % 17);
    const abbe_image source = { .data = in, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_F32 };
    abbe_image result = source;
    result.data = out;
    check(!abbe_run_watched(plan, &source, &result, at_the_edge(&watch, sizeof watch)) && calls > 0,
          "abbe_run_watched");
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double sum = 0;
            for (int i = 0; i < 9; i++)
                sum += (double)in[(y + SIDE + i / 3 - 1) % SIDE * SIDE + (x + SIDE + i % 3 - 1) % SIDE];
            check(fabs((double)out[y * SIDE + x] - sum / 9) < 1e-4, "the result");
        }
}

/* Every element of the library's lists is where its pointer says. */
static void check_lists(const abbe_plan *plan)
{
    size_t count;
    const abbe_candidate *const *candidates = abbe_plan_explain(plan, &count);
    check(count == ABBE_METHOD_COUNT - 1, "abbe_plan_explain");
    for (size_t i = 0; i < count; i++)
        check(candidates[i]->method == (abbe_method)(i + 1) && candidates[i]->reason, "a candidate");
    check(abbe_plan_choice(plan)->chosen, "abbe_plan_choice");
    const abbe_device_entry *const *devices = abbe_device_catalogue(&count);
    check(count == 4 && !strcmp(devices[1]->name, "cuda") && *devices[3]->summary, "abbe_device_catalogue");
    const abbe_filter_entry *const *filters = abbe_filter_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        check(*filters[i]->name && *filters[i]->summary, "abbe_filter_catalogue");
        for (size_t j = 0; j < filters[i]->key_count; j++)
            check(*filters[i]->keys[j]->name, "a key");
    }
    const abbe_adapter *const *adapters = NULL;
    check(!abbe_device_list(&adapters, &count) && !strcmp(adapters[0]->name, "cpu"), "abbe_device_list");
    abbe_device_list_free(&adapters);
}

/* The checkerboard of single pixels is one component, at Nyquist. */
static void check_peaks(abbe_device *device, size_t size)
{
    enum { CELLS = 64 };
    static float board[CELLS][CELLS];
    const abbe_image picture = {
        .data = board, .width = CELLS, .height = CELLS, .channels = 1, .type = ABBE_F32
    };
    const abbe_peak_params params = { .size = size, .prominence = 100 };
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    for (int i = 0; i < CELLS * CELLS; i++)
        board[i / CELLS][i % CELLS] = (float)((i + i / CELLS) % 2);
    check(!abbe_peaks_find(device, &picture, at_the_edge(&params, sizeof params), &peaks, &count),
          "abbe_peaks_find");
    check(count == 1 && peaks[0]->x == 1 && fabs(peaks[0]->amplitude - 0.5) < 1e-3 && peaks[0]->harmonic == 1,
          "a peak");
    abbe_peaks_free(&peaks);
}

/* With the size 0, which stands for version 0.2, and with the sizes that this program was compiled with. */
int main(void)
{
    for (int sized = 0; sized < 2; sized++) {
        abbe_device *device = open_device(sized ? sizeof(abbe_device_params) : 0);
        abbe_filter *box = make_box(sized ? sizeof(abbe_kernel_params) : 0);
        abbe_plan *plan = make_plan(device, box, sized ? sizeof(abbe_plan_params) : 0);
        check_run(plan, sized ? sizeof(abbe_watch) : 0);
        check_lists(plan);
        check_peaks(device, sized ? sizeof(abbe_peak_params) : 0);
        abbe_plan_destroy(&plan);
        abbe_filter_destroy(&box);
        abbe_device_close(&device);
    }
    puts("a program and a library with structs of different sizes understand each other");
    return 0;
}
