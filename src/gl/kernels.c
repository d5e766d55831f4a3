/* Taps of a convolution in space, in quads, divided into passes.
 *
 * Every pass computes four neighbouring results: along a column, or along a row in the first half of a
 * separable convolution. The texel t places behind the first one that the kernel reads meets, in result n of
 * the four, the tap that is t − n places before the kernel's last; so a kernel of h taps takes h + 3 quads. A
 * pass takes at most the quads that a uniform block holds. */
#include "core/error.h"
#include "core/memory.h"
#include "gl/engine.h"

/* Passes of an engine while they are counted, and then filled. */
struct pass_list {
    struct gl_kernel_pass *passes; /* NULL while they are counted */
    float (*quads)[4];             /* ABGL_PASS_TAPS for each pass */
    int count;
};

/* Sets quad[n] to tap count − 1 − (at − n), or 0 beyond the kernel. */
static void fill_quad(const double *taps, int count, size_t stride, int at, float quad[4])
{
    for (int n = 0; n < 4; n++) {
        int tap = count - 1 - (at - n);
        quad[n] = tap >= 0 && tap < count ? (float)taps[(size_t)tap * stride] : 0;
    }
}

/* Appends a pass and returns its quads, or NULL while passes are counted. */
static float (*add_pass(struct pass_list *list, const struct gl_kernel_pass *pass))[4]
{
    int number = list->count++;
    if (!list->passes)
        return NULL;
    list->passes[number] = *pass;
    return list->quads + (size_t)number * ABGL_PASS_TAPS;
}

/* Appends the passes of one factor of a term, along rows or columns. */
static void add_factor_passes(struct pass_list *list, struct gl_kernel_pass pass, const double *taps,
                              int count)
{
    int all = count + 3;
    bool accumulates = pass.accumulates;
    for (int first = 0; first < all; first += ABGL_PASS_TAPS) {
        int end = first + ABGL_PASS_TAPS < all ? first + ABGL_PASS_TAPS : all;
        *(pass.across ? &pass.column : &pass.row) = first;
        *(pass.across ? &pass.column_end : &pass.row_end) = end;
        pass.accumulates = accumulates || first > 0;
        float(*quads)[4] = add_pass(list, &pass);
        for (int i = first; i < end && quads; i++)
            fill_quad(taps, count, 1, i, quads[i - first]);
    }
}

static void add_separable_passes(struct pass_list *list, const struct kernel *kernel,
                                 struct gl_kernel_pass pass)
{
    for (int term = 0; term < kernel->terms; term++) {
        pass.across = true;
        pass.accumulates = false;
        add_factor_passes(list, pass, kernel->rows + (size_t)term * kernel->width, kernel->width);
        pass.across = false;
        pass.accumulates = term > 0;
        add_factor_passes(list, pass, kernel->columns + (size_t)term * kernel->height, kernel->height);
    }
}

/* Each pass takes as many whole columns of the kernel as fit, or a part of one column. */
static void add_dense_passes(struct pass_list *list, const struct kernel *kernel, struct gl_kernel_pass pass)
{
    int all = kernel->height + 3, rows = all < ABGL_PASS_TAPS ? all : ABGL_PASS_TAPS;
    int columns = ABGL_PASS_TAPS / rows;
    for (int column = 0; column < kernel->width; column += columns)
        for (int row = 0; row < all; row += rows) {
            pass.column = column;
            pass.column_end = column + columns < kernel->width ? column + columns : kernel->width;
            pass.row = row;
            pass.row_end = row + rows < all ? row + rows : all;
            pass.accumulates = column > 0 || row > 0;
            float(*quad)[4] = add_pass(list, &pass);
            int count = quad ? (pass.column_end - column) * (pass.row_end - row) : 0;
            for (int k = 0; k < count; k++) {
                int i = column + k / (pass.row_end - row), j = row + k % (pass.row_end - row);
                fill_quad(kernel->taps + kernel->width - 1 - i, kernel->height, (size_t)kernel->width, j,
                          quad[k]);
            }
        }
}

static void add_result_passes(const struct work *work, int r, struct pass_list *list)
{
    bool direct = work->method == ABBE_METHOD_DIRECT;
    for (int i = 0; i < work->results[r].components; i++) {
        const struct work_filter *filter = &work->filters[work->results[r].first + i];
        const struct kernel *kernel = direct ? &filter->dense : &filter->factors;
        struct gl_kernel_pass pass = { .component = i,
                                       .reach_x = work->left + kernel->centre_x - (kernel->width - 1),
                                       .reach_y = work->above + kernel->centre_y - (kernel->height - 1) };
        if (direct)
            add_dense_passes(list, kernel, pass);
        else
            add_separable_passes(list, kernel, pass);
        if (list->passes)
            list->passes[list->count - 1].last = true;
    }
}

static int add_all_passes(struct engine *engine, struct pass_list *list)
{
    list->count = 0;
    for (int r = 0; r < engine->work->result_count; r++) {
        engine->first_kernel_pass[r] = list->count;
        add_result_passes(engine->work, r, list);
    }
    return engine->first_kernel_pass[engine->work->result_count] = list->count;
}

int gl_kernels_create(struct gl *gl, struct engine *engine)
{
    struct pass_list list = { 0 };
    engine->first_kernel_pass = core_alloc((size_t)engine->work->result_count + 1, sizeof(int));
    if (!engine->first_kernel_pass)
        return core_fail_memory(gl);
    size_t count = (size_t)add_all_passes(engine, &list);
    list.passes = engine->kernel_passes = core_alloc(count, sizeof *engine->kernel_passes);
    list.quads = core_alloc_zero(count, ABGL_PASS_TAPS * sizeof *list.quads);
    int error = list.passes && list.quads ? ABBE_OK : core_fail_memory(gl);
    if (!error) {
        add_all_passes(engine, &list);
        gl->f.GenBuffers(1, &engine->taps);
        gl->f.BindBuffer(GL_UNIFORM_BUFFER, engine->taps);
        gl->f.BufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)(count * ABGL_PASS_TAPS * sizeof *list.quads),
                         list.quads, GL_STATIC_DRAW);
        error = gl_check(gl, "uploading taps");
    }
    core_free(list.quads);
    return error;
}
