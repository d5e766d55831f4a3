/* Taps of an engine that works in space, four at a time.
 *
 * Every pass makes four results that are neighbours: along a column, or along a row in the first half of a separable
 * convolution. A texel t places behind the first that the kernel looks at has, in result n of the four, the tap that is
 * t − n places from the kernel's far end; so a kernel of h taps is h + 3 quads of them. Quads are cut in pieces of what a
 * uniform block holds. */
#include "core/error.h"
#include "core/memory.h"
#include "gl/gl.h"

static const struct kernel *component(const struct work *work, int r, int i)
{
    const struct work_filter *filter = &work->filters[work->results[r].first + i];
    return work->method == ABBE_METHOD_DIRECT ? &filter->dense : &filter->factors;
}

/* Pieces while they are counted, and then laid out. */
struct layout {
    struct gl_piece *pieces; /* NULL while they are counted */
    float (*taps)[4];
    int count;
};

/* tap(far − (at − n)), and 0 beyond the kernel. */
static void lay_quad(const double *taps, int count, size_t stride, int at, float quad[4])
{
    for (int n = 0; n < 4; n++) {
        int tap = count - 1 - (at - n);
        quad[n] = tap >= 0 && tap < count ? (float)taps[(size_t)tap * stride] : 0;
    }
}

static struct gl_piece *add_piece(struct layout *layout, const struct gl_piece *piece)
{
    struct gl_piece *place = layout->pieces ? &layout->pieces[layout->count] : NULL;
    if (place)
        *place = *piece;
    layout->count++;
    return place;
}

static float (*quads_of(const struct layout *layout))[4]
{
    return layout->taps + (size_t)(layout->count - 1) * GL_PIECE;
}

/* One factor of a term, along a row or a column. */
static void lay_factor(struct layout *layout, struct gl_piece piece, const double *taps, int count)
{
    int all = count + 3;
    bool more = piece.more;
    for (int first = 0; first < all; first += GL_PIECE) {
        int end = first + GL_PIECE < all ? first + GL_PIECE : all;
        *(piece.across ? &piece.column : &piece.row) = first;
        *(piece.across ? &piece.column_end : &piece.row_end) = end;
        piece.more = more || first > 0;
        if (!add_piece(layout, &piece))
            continue;
        for (int i = first; i < end; i++)
            lay_quad(taps, count, 1, i, quads_of(layout)[i - first]);
    }
}

static void lay_separable(struct layout *layout, const struct kernel *kernel, struct gl_piece piece)
{
    for (int term = 0; term < kernel->rank; term++) {
        piece.across = true;
        piece.more = false;
        lay_factor(layout, piece, kernel->rows + (size_t)term * kernel->width, kernel->width);
        piece.across = false;
        piece.more = term > 0;
        lay_factor(layout, piece, kernel->columns + (size_t)term * kernel->height, kernel->height);
    }
}

/* Columns of the kernel, as many whole ones as a piece holds, or parts of one. */
static void lay_dense(struct layout *layout, const struct kernel *kernel, struct gl_piece piece)
{
    int all = kernel->height + 3, rows = all < GL_PIECE ? all : GL_PIECE, columns = GL_PIECE / rows;
    for (int column = 0; column < kernel->width; column += columns)
        for (int row = 0; row < all; row += rows) {
            piece.column = column;
            piece.column_end = column + columns < kernel->width ? column + columns : kernel->width;
            piece.row = row;
            piece.row_end = row + rows < all ? row + rows : all;
            piece.more = column > 0 || row > 0;
            float(*quad)[4] = add_piece(layout, &piece) ? quads_of(layout) : NULL;
            for (int i = column; i < piece.column_end && quad; i++)
                for (int j = row; j < piece.row_end; j++)
                    lay_quad(kernel->taps + kernel->width - 1 - i, kernel->height, (size_t)kernel->width, j,
                             *quad++);
        }
}

static void lay_result(const struct work *work, int r, struct layout *layout)
{
    for (int i = 0; i < work->results[r].components; i++) {
        const struct kernel *kernel = component(work, r, i);
        struct gl_piece piece = { .component = i,
                                  .reach_x = work->left + kernel->centre_x - (kernel->width - 1),
                                  .reach_y = work->above + kernel->centre_y - (kernel->height - 1) };
        if (work->method == ABBE_METHOD_DIRECT)
            lay_dense(layout, kernel, piece);
        else
            lay_separable(layout, kernel, piece);
        if (layout->pieces)
            layout->pieces[layout->count - 1].last = true;
    }
}

static int lay_all(struct engine *engine, struct layout *layout)
{
    layout->count = 0;
    for (int r = 0; r < engine->work->result_count; r++) {
        engine->first_piece[r] = layout->count;
        lay_result(engine->work, r, layout);
    }
    return engine->first_piece[engine->work->result_count] = layout->count;
}

int gl_kernels_create(struct gl *gl, struct engine *engine)
{
    struct layout layout = { 0 };
    engine->first_piece = core_alloc((size_t)engine->work->result_count + 1, sizeof(int));
    if (!engine->first_piece)
        return core_fail_memory(gl);
    size_t count = (size_t)lay_all(engine, &layout);
    layout.pieces = engine->pieces = core_alloc(count, sizeof *engine->pieces);
    layout.taps = core_alloc_zero(count, GL_PIECE * sizeof *layout.taps);
    int error = layout.pieces && layout.taps ? ABBE_OK : core_fail_memory(gl);
    if (!error) {
        lay_all(engine, &layout);
        gl->f.GenBuffers(1, &engine->taps);
        gl->f.BindBuffer(GL_UNIFORM_BUFFER, engine->taps);
        gl->f.BufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)(count * GL_PIECE * sizeof *layout.taps), layout.taps,
                         GL_STATIC_DRAW);
        error = gl_check(gl, "keeping taps");
    }
    core_free(layout.taps);
    return error;
}
