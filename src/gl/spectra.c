/* Textures with the spectra of the filters and with the twiddle factors of both axes. */
#include "filter/sampling/spectra.h"
#include "core/error.h"
#include "core/memory.h"
#include "fft/twiddle.h"
#include "gl/engine.h"
#include "spectrum/packed.h"

/* The order of frequencies along both axes: 0, 1, 2, … */
static int *natural_order(const struct work *work)
{
    int count = work->x.length > work->y.length ? work->x.length : work->y.length;
    int *order = core_alloc((size_t)count, sizeof *order);
    for (int i = 0; order && i < count; i++)
        order[i] = i;
    return order;
}

/* Uploads rows of [re | im] as pairs (re, im). */
static void upload_pairs(struct gl *gl, const struct gl_texture *texture, const float *parts, float *pairs)
{
    size_t width = (size_t)texture->shape.width;
    for (int v = 0; v < texture->shape.height; v++, parts += 2 * width) {
        for (size_t u = 0; u < width; u++) {
            pairs[2 * u] = parts[u];
            pairs[2 * u + 1] = parts[width + u];
        }
        gl_texture_fill(gl, texture, v, 1, 0, pairs);
    }
}

/* MORELAND: the packed spectrum of eq. 10, one float for each place. Returns NULL if memory is full. */
static float *pack_spectrum(const struct work *work, const struct spectrum *spectrum)
{
    size_t width = (size_t)work->x.length, parts = spectrum->real ? 1 : 2;
    float *packed = core_alloc_zero(width * (size_t)work->y.length, sizeof *packed);
    for (int v = 0; v < work->y.length && packed; v++)
        for (int u = 0; u < work->x.length; u++) {
            struct packed_place place = packed_place(work->x.length, work->y.length, u, v);
            const float *re = (const float *)spectrum->pair + (size_t)v * parts * width + u;
            if (place.im_sign > 0)
                continue;
            packed[(size_t)place.re_v * width + place.re_u] = *re;
            if (place.im_sign < 0)
                packed[(size_t)place.im_v * width + place.im_u] = spectrum->real ? 0 : -re[width];
        }
    return packed;
}

static int upload_packed(struct gl *gl, struct engine *engine, const struct spectrum *spectrum, int number)
{
    const struct work *work = engine->work;
    const struct gl_shape shape = { work->x.length, work->y.length, 1, ABGL_FORMAT_R32F };
    float *packed = pack_spectrum(work, spectrum);
    if (!packed)
        return core_fail_memory(gl);
    int error = gl_texture_create(gl, &shape, &engine->spectra[number]);
    if (!error)
        gl_texture_fill(gl, &engine->spectra[number], 0, work->y.length, 0, packed);
    core_free(packed);
    return error ? error : gl_check(gl, "uploading a spectrum");
}

static int upload_spectrum(struct gl *gl, struct engine *engine, const struct spectrum *spectrum, int number)
{
    const struct work *work = engine->work;
    if (engine->geometry.engine == ABGL_MORELAND)
        return upload_packed(gl, engine, spectrum, number);
    const struct gl_shape shape = { work->x.length, work->y.length, 1,
                                    spectrum->real ? ABGL_FORMAT_R32F : ABGL_FORMAT_RG32F };
    struct gl_texture *texture = &engine->spectra[number];
    int error = gl_texture_create(gl, &shape, texture);
    float *pairs = core_alloc((size_t)work->x.length, 2 * sizeof *pairs);
    if (!error && !pairs)
        error = core_fail_memory(gl);
    if (!error && spectrum->real)
        gl_texture_fill(gl, texture, 0, work->y.length, 0, spectrum->pair);
    else if (!error)
        upload_pairs(gl, texture, spectrum->pair, pairs);
    core_free(pairs);
    return error ? error : gl_check(gl, "uploading a spectrum");
}

static int create_spectrum_texture(struct gl *gl, struct engine *engine, const int *order, int number)
{
    const struct work *work = engine->work;
    const struct spectrum_grid grid = { .width = work->x.length,
                                        .height = work->y.length,
                                        .correlate = work->correlate,
                                        .threads = gl->head.threads,
                                        .level = core_level_best() };
    /* Transforming forward and back multiplies by M · N, which the spectrum undoes. With 16 bits, and in the
     * engine of 2003, the steps themselves scale. */
    bool scaled = gl->format == ABGL_FORMAT_RGBA16F || engine->geometry.engine == ABGL_MORELAND;
    double scale = scaled ? 1 : 1 / ((double)work->x.length * work->y.length);
    const struct spectrum_layout layout = { 1, work->x.length, order, order, scale };
    struct spectrum spectrum = { 0 };
    int error = spectrum_create(&grid, &work->filters[number].response, &layout, NULL, &spectrum);
    if (error == ABBE_ERR_NONFINITE)
        core_fail(gl, error, "filter %d has a gain that is not finite", number + 1);
    else if (error)
        core_fail_memory(gl);
    else
        error = upload_spectrum(gl, engine, &spectrum, number);
    spectrum_free(&spectrum);
    return error;
}

/* Creates a texture of W_N^n for n = 0 … N − 1. */
static int create_twiddle_texture(struct gl *gl, struct engine *engine, bool down)
{
    int length = down ? engine->work->y.length : engine->work->x.length;
    struct gl_texture *texture = &engine->twiddles[down];
    const struct gl_shape shape = { length, 1, 1, ABGL_FORMAT_RG32F };
    float *pairs = core_alloc((size_t)length, 2 * sizeof *pairs);
    if (!pairs)
        return core_fail_memory(gl);
    for (int n = 0; n < length; n++) {
        double value[2];
        fft_twiddle(n, length, value);
        pairs[2 * n] = (float)value[0];
        pairs[2 * n + 1] = (float)value[1];
    }
    int error = gl_texture_create(gl, &shape, texture);
    if (!error)
        gl_texture_fill(gl, texture, 0, 1, 0, pairs);
    core_free(pairs);
    return error ? error : gl_check(gl, "uploading twiddles");
}

int gl_spectra_create(struct gl *gl, struct engine *engine)
{
    const struct work *work = engine->work;
    int *order = natural_order(work);
    engine->spectra = core_alloc_zero((size_t)work->filter_count, sizeof *engine->spectra);
    int error = order && engine->spectra ? ABBE_OK : core_fail_memory(gl);
    for (int down = 0; down < 2 && !error; down++)
        error = create_twiddle_texture(gl, engine, down);
    for (int i = 0; i < work->filter_count && !error; i++)
        error = create_spectrum_texture(gl, engine, order, i);
    core_free(order);
    return error;
}
