/* Taps of an engine that works in space: the components of a result laid into one box, as floats. */
#include "core/error.h"
#include "core/memory.h"
#include "vulkan/vk.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static const struct kernel *component(const struct work *work, int r, int i)
{
    const struct work_filter *filter = &work->filters[work->results[r].first + i];
    return work->method == ABBE_METHOD_DIRECT ? &filter->dense : &filter->factors;
}

/* The box that holds every component of result r. */
static struct vk_kernel box_of(const struct work *work, int r)
{
    struct vk_kernel box = { 0 };
    int right = 0, below = 0;
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component(work, r, i);
        box.centre_x = larger(box.centre_x, kernel->centre_x);
        box.centre_y = larger(box.centre_y, kernel->centre_y);
        right = larger(right, kernel->width - 1 - kernel->centre_x);
        below = larger(below, kernel->height - 1 - kernel->centre_y);
        box.terms += kernel->rank;
        box.first_terms += i ? 0 : kernel->rank;
    }
    box.width = box.centre_x + right + 1;
    box.height = box.centre_y + below + 1;
    return box;
}

static size_t box_floats(const struct work *work, int r, const struct vk_kernel *box)
{
    size_t width = (size_t)box->width, height = (size_t)box->height;
    return work->method == ABBE_METHOD_DIRECT ? (size_t)work->results[r].components * width * height
                                              : (size_t)box->terms * (width + height);
}

static void lay_dense(const struct vk_kernel *box, const struct kernel *kernel, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    for (int j = 0; j < kernel->height; j++)
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(j + down) * box->width + i + right] =
                (float)kernel->taps[(size_t)j * kernel->width + i];
}

/* [term][width], then [term][height]. */
static void lay_factors(const struct vk_kernel *box, const struct kernel *kernel, int first, float *taps)
{
    int right = box->centre_x - kernel->centre_x, down = box->centre_y - kernel->centre_y;
    float *columns = taps + (size_t)box->terms * box->width;
    for (int term = 0; term < kernel->rank; term++) {
        for (int i = 0; i < kernel->width; i++)
            taps[(size_t)(first + term) * box->width + i + right] =
                (float)kernel->rows[(size_t)term * kernel->width + i];
        for (int j = 0; j < kernel->height; j++)
            columns[(size_t)(first + term) * box->height + j + down] =
                (float)kernel->columns[(size_t)term * kernel->height + j];
    }
}

static void lay_result(const struct work *work, int r, const struct vk_kernel *box, float *taps)
{
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component(work, r, i);
        if (work->method == ABBE_METHOD_DIRECT)
            lay_dense(box, kernel, taps + (size_t)i * box->width * box->height);
        else
            lay_factors(box, kernel, i ? box->first_terms : 0, taps);
    }
}

int vk_kernels_create(struct vk *vk, struct engine *engine)
{
    const struct work *work = engine->work;
    engine->kernels = core_alloc_zero((size_t)work->result_count, sizeof *engine->kernels);
    if (!engine->kernels)
        return core_fail_memory(vk);
    size_t count = 0;
    for (int r = 0; r < work->result_count; r++) {
        engine->kernels[r] = box_of(work, r);
        engine->kernels[r].first = count;
        count += box_floats(work, r, &engine->kernels[r]);
    }
    float *taps = core_alloc_zero(count, sizeof *taps);
    if (!taps)
        return core_fail_memory(vk);
    for (int r = 0; r < work->result_count; r++)
        lay_result(work, r, &engine->kernels[r], taps + engine->kernels[r].first);
    int error = vk_upload(vk, taps, count * sizeof *taps, &engine->filters, 0);
    core_free(taps);
    return error;
}
