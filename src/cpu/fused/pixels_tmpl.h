/* Template: stored pixels to complex rows and back, a vector of pixels at a time.
 *
 * FUSED_DIRECT channels at most are loaded and stored straight from the picture; what else a plan asks for goes through
 * rows of interleaved floats, which split() and merge() take apart and together. */
#include "core/sample.h"
#include "cpu/fused/kernels.h"
#include "cpu/vector_tmpl.h"

enum { DIRECT_CHANNELS = FUSED_DIRECT, SAMPLE_MAX = 4 };

/* Where channel c of a vector lies in its row; the last odd one goes to the real or the imaginary part. */
INLINE float *sample_vector(float *const *rows, int channels, int c, int part, size_t at)
{
    bool lone = channels % 2 && c == channels - 1;
    return rows[c / 2] + at + (lone ? part : c % 2) * LANES;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* Four bytes of each lane to four vectors of 0 … 1. */
INLINE void load_bytes_4(const unsigned char *from, VECTOR *out)
{
    INTS pixels;
    memcpy(&pixels, from, sizeof pixels);
    for (int c = 0; c < 4; c++)
        out[c] = __builtin_convertvector(pixels >> 8 * c & 255, VECTOR) * (1 / 255.f);
}

INLINE void load_samples(abbe_type type, const unsigned char *from, int count, float *to)
{
    if (type == ABBE_U8)
        for (int i = 0; i < count; i++)
            to[i] = (float)from[i] * (1 / 255.f);
    else if (type == ABBE_U16)
        for (int i = 0; i < count; i++) {
            unsigned short sample;
            memcpy(&sample, from + 2 * i, sizeof sample);
            to[i] = (float)sample * (1 / 65535.f);
        }
    else if (type == ABBE_F16)
        core_load_samples(type, from, to, (size_t)count);
    else
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* LANES pixels to one vector per channel. */
INLINE void load_vector(abbe_type type, int channels, const unsigned char *from, VECTOR *out)
{
    if (type == ABBE_U8 && channels == 4) {
        load_bytes_4(from, out);
        return;
    }
    if (type == ABBE_F32 && channels == 1) {
        memcpy(out, from, sizeof *out);
        return;
    }
    float samples[LANES * DIRECT_CHANNELS], planes[DIRECT_CHANNELS][LANES];
    load_samples(type, from, LANES * channels, samples);
    for (int c = 0; c < channels; c++) {
        for (int l = 0; l < LANES; l++)
            planes[c][l] = samples[l * channels + c];
        out[c] = load(planes[c]);
    }
}

/* The same of pixels that do not lie side by side; lanes without one are the outside's. */
INLINE void gather_vector(abbe_type type, int channels, size_t size, const unsigned char *from,
                          const int *index, VECTOR *out)
{
    unsigned char pixels[LANES * DIRECT_CHANNELS * SAMPLE_MAX];
    for (int l = 0; l < LANES; l++)
        memcpy(pixels + (size_t)l * channels * size,
               from + (size_t)(index[l] < 0 ? 0 : index[l]) * channels * size, (size_t)channels * size);
    load_vector(type, channels, pixels, out);
}

/* Lanes that are not finite become zero. */
INLINE VECTOR finite_only(VECTOR x)
{
    return (VECTOR)((INTS)x & (x - x == 0));
}

/* Finishes a vector of loaded pixels; bits in `spoilt` where a sample was not finite. */
INLINE void treat_pixels(const struct fused_pixels *how, abbe_type type, int channels, bool treat,
                         VECTOR *out, INTS *spoilt)
{
    for (int c = 0; c < channels && treat && how->zero_nonfinite; c++)
        out[c] = finite_only(out[c]);
    for (int c = 0; c < channels && (type == ABBE_F16 || type == ABBE_F32); c++)
        *spoilt |= (INTS)(out[c] - out[c]); /* 0 or a NaN */
    for (int c = 0; c + 1 < channels && treat && how->premultiply; c++)
        out[c] *= out[channels - 1];
}

INLINE void keep_vector(int channels, int part, int v, const VECTOR *in, float *const *rows)
{
    for (int c = 0; c < channels; c++)
        store(sample_vector(rows, channels, c, part, 2 * LANES * (size_t)v), in[c]);
}

/* Lanes that no pixel stands for. */
static void lay_outside(const struct fused_pixels *how, int v, int part, float *const *rows)
{
    const int *index = how->index + (size_t)v * LANES;
    for (int l = 0; l < LANES; l++)
        for (int c = 0; c < how->channels && index[l] < 0; c++)
            sample_vector(rows, how->channels, c, part, 2 * LANES * (size_t)v)[l] = how->outside[c];
}

/* Vectors of a run whose pixels lie side by side in the picture. */
INLINE void load_run(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                     const unsigned char *from, struct fused_run run, int part, bool treat,
                     float *const *rows, INTS *spoilt)
{
    size_t step = LANES * channels * size;
    from += (size_t)run.pixel * channels * size;
    for (int v = run.vector; v < run.vector + run.count; v++, from += step) {
        VECTOR out[DIRECT_CHANNELS];
        load_vector(type, channels, from, out);
        treat_pixels(how, type, channels, treat, out, spoilt);
        keep_vector(channels, part, v, out, rows);
    }
}

/* Vectors of a run with a border in them. */
INLINE void gather_run(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                       const unsigned char *from, struct fused_run run, int part, float *const *rows,
                       INTS *spoilt)
{
    for (int v = run.vector; v < run.vector + run.count; v++) {
        VECTOR out[DIRECT_CHANNELS];
        gather_vector(type, channels, size, from, how->index + (size_t)v * LANES, out);
        treat_pixels(how, type, channels, true, out, spoilt);
        keep_vector(channels, part, v, out, rows);
        lay_outside(how, v, part, rows);
    }
}

INLINE INTS load_all(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                     const unsigned char *from, int part, bool treat, float *const *rows)
{
    INTS spoilt = { 0 };
    for (int i = 0; i < how->run_count; i++)
        if (how->runs[i].pixel >= 0)
            load_run(how, type, channels, size, from, how->runs[i], part, treat, rows, &spoilt);
        else
            gather_run(how, type, channels, size, from, how->runs[i], part, rows, &spoilt);
    return spoilt;
}

/* The part of the row that will be wanted next which this one was read from. */
static void fetch_row(const struct fused_pixels *how, size_t pixel_bytes, const unsigned char *from)
{
    enum { LINE = 64 };
    for (int i = 0; i < how->run_count; i++) {
        const struct fused_run *run = &how->runs[i];
        const unsigned char *first = from + how->ahead +
                                     (size_t)(run->pixel < 0 ? 0 : run->pixel) * pixel_bytes;
        for (size_t b = 0; run->pixel >= 0 && b < (size_t)run->count * LANES * pixel_bytes; b += LINE)
            __builtin_prefetch(first + b, 0, 2);
    }
}

INLINE bool load_row_of(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                        const unsigned char *from, int part, float *const *rows)
{
    float *own[DIRECT_CHANNELS / 2] = { rows[0], channels > 2 ? rows[1] : NULL };
    if (how->ahead)
        fetch_row(how, channels * size, from);
    INTS spoilt = how->premultiply || how->zero_nonfinite
                      ? load_all(how, type, channels, size, from, part, true, own)
                      : load_all(how, type, channels, size, from, part, false, own);
    int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= spoilt[l];
    return any == 0;
}

INLINE bool load_row_as(const struct fused_pixels *how, abbe_type type, size_t size,
                        const unsigned char *from, int part, float *const *rows)
{
    switch (how->channels) {
    case 1: return load_row_of(how, type, 1, size, from, part, rows);
    case 2: return load_row_of(how, type, 2, size, from, part, rows);
    case 3: return load_row_of(how, type, 3, size, from, part, rows);
    default: return load_row_of(how, type, 4, size, from, part, rows);
    }
}

static bool load_row(const struct fused_pixels *how, const void *from, int part, float *const *rows)
{
    switch (how->type) {
    case ABBE_U8: return load_row_as(how, ABBE_U8, 1, from, part, rows);
    case ABBE_U16: return load_row_as(how, ABBE_U16, 2, from, part, rows);
    case ABBE_F16: return load_row_as(how, ABBE_F16, 2, from, part, rows);
    case ABBE_F32: return load_row_as(how, ABBE_F32, 4, from, part, rows);
    }
    return true;
}

/* ---- Storing ------------------------------------------------------------------------------------------ */

/* 0 … 1 to whole numbers 0 … white, ties to even: they are the last bits of x · white + 2^23. */
INLINE INTS level_of(VECTOR x, float white)
{
    return (INTS)(within(x, (VECTOR){ 0 } + 1) * white + 0x1p23f) & 0x7fffff;
}

INLINE void store_bytes_4(const VECTOR *in, unsigned char *to)
{
    INTS pixels = level_of(in[0], 255);
    for (int c = 1; c < 4; c++)
        pixels |= level_of(in[c], 255) << 8 * c;
    memcpy(to, &pixels, sizeof pixels);
}

/* One vector per channel to LANES pixels. */
INLINE void store_vector(abbe_type type, int channels, const VECTOR *in, unsigned char *to)
{
    if (type == ABBE_U8 && channels == 4) {
        store_bytes_4(in, to);
        return;
    }
    if (type == ABBE_F32 && channels == 1) {
        memcpy(to, in, sizeof *in);
        return;
    }
    float samples[LANES * DIRECT_CHANNELS];
    int levels[LANES];
    for (int c = 0; c < channels; c++) {
        if (type == ABBE_U8 || type == ABBE_U16) {
            INTS level = level_of(in[c], type == ABBE_U8 ? 255 : 65535);
            memcpy(levels, &level, sizeof levels);
            for (int l = 0; l < LANES; l++)
                if (type == ABBE_U8)
                    to[l * channels + c] = (unsigned char)levels[l];
                else {
                    unsigned short sample = (unsigned short)levels[l];
                    memcpy(to + 2 * (l * channels + c), &sample, sizeof sample);
                }
        } else {
            for (int l = 0; l < LANES; l++)
                samples[l * channels + c] = in[c][l];
        }
    }
    if (type == ABBE_F16)
        core_store_samples(type, samples, to, (size_t)LANES * channels);
    else if (type == ABBE_F32)
        memcpy(to, samples, sizeof(float) * LANES * (size_t)channels);
}

/* Below half a level of 16 bits a pixel is transparent and has no colour of its own. */
INLINE void divide_by_alpha(float gain, int channels, VECTOR *x)
{
    VECTOR alpha = x[channels - 1] / gain;
    INTS opaque = alpha > 0.5f / 65535;
    for (int c = 0; c + 1 < channels; c++)
        x[c] = (VECTOR)((INTS)(x[c] / alpha) & opaque);
    x[channels - 1] = alpha;
}

/* The vector of results at sample x of the rows. */
INLINE void store_one(const struct fused_pixels *how, abbe_type type, int channels, float *const *rows,
                      int part, int x, bool treat, unsigned char *to)
{
    VECTOR in[DIRECT_CHANNELS];
    for (int c = 0; c < channels; c++)
        in[c] = load(sample_vector(rows, channels, c, part, 2 * (size_t)x));
    if (treat && how->premultiply)
        divide_by_alpha(how->alpha_gain, channels, in);
    for (int c = 0; c < channels && treat; c++)
        in[c] += how->alpha && c == channels - 1 ? 0 : how->offset;
    store_vector(type, channels, in, to);
}

/* A vector of which not all lanes are results. */
INLINE void store_edge(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                       float *const *rows, int part, int x, unsigned char *to)
{
    unsigned char pixels[LANES * DIRECT_CHANNELS * SAMPLE_MAX];
    int low = x < how->first ? how->first - x : 0, end = how->first + how->count - x;
    store_one(how, type, channels, rows, part, x, true, pixels);
    memcpy(to + (size_t)(x + low - how->first) * channels * size, pixels + (size_t)low * channels * size,
           (size_t)((end < LANES ? end : LANES) - low) * channels * size);
}

INLINE void store_all(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                      float *const *rows, int part, bool treat, unsigned char *to)
{
    int first = how->first, end = first + how->count, x = first / LANES * LANES;
    if (x < first) {
        store_edge(how, type, channels, size, rows, part, x, to);
        x += LANES;
    }
    if (!treat && type == ABBE_F32 && channels == 1 && how->stream &&
        (size_t)(to + (size_t)(x - first) * 4) % VECTOR_BYTES == 0)
        for (; x + LANES <= end; x += LANES)
            stream((float *)(to + (size_t)(x - first) * 4),
                   load(sample_vector(rows, 1, 0, part, 2 * (size_t)x)));
    for (; x + LANES <= end; x += LANES)
        store_one(how, type, channels, rows, part, x, treat, to + (size_t)(x - first) * channels * size);
    if (x < end)
        store_edge(how, type, channels, size, rows, part, x, to);
}

INLINE void store_row_of(const struct fused_pixels *how, abbe_type type, int channels, size_t size,
                         const float *const *rows, int part, unsigned char *to)
{
    float *own[DIRECT_CHANNELS / 2] = { (float *)rows[0], channels > 2 ? (float *)rows[1] : NULL };
    if (how->premultiply || how->offset != 0)
        store_all(how, type, channels, size, own, part, true, to);
    else
        store_all(how, type, channels, size, own, part, false, to);
}

INLINE void store_row_as(const struct fused_pixels *how, abbe_type type, size_t size,
                         const float *const *rows, int part, unsigned char *to)
{
    switch (how->channels) {
    case 1: store_row_of(how, type, 1, size, rows, part, to); break;
    case 2: store_row_of(how, type, 2, size, rows, part, to); break;
    case 3: store_row_of(how, type, 3, size, rows, part, to); break;
    default: store_row_of(how, type, 4, size, rows, part, to); break;
    }
}

static void store_row(const struct fused_pixels *how, const float *const *rows, int part, void *to)
{
    switch (how->type) {
    case ABBE_U8: store_row_as(how, ABBE_U8, 1, rows, part, to); break;
    case ABBE_U16: store_row_as(how, ABBE_U16, 2, rows, part, to); break;
    case ABBE_F16: store_row_as(how, ABBE_F16, 2, rows, part, to); break;
    case ABBE_F32: store_row_as(how, ABBE_F32, 4, rows, part, to); break;
    }
}

/* ---- Rows of interleaved floats ----------------------------------------------------------------------- */

static void split(const float *pixels, int channels, int count, int part, float *const *rows)
{
    for (int c = 0; c < channels; c++) {
        float *to = sample_vector(rows, channels, c, part, 0);
        for (int x = 0; x < count; x++)
            to[2 * (x / LANES * LANES) + x % LANES] = pixels[(size_t)x * channels + c];
    }
}

static void merge(const float *const *rows, int first, int channels, int count, int part, float *pixels)
{
    for (int c = 0; c < channels; c++) {
        const float *from = sample_vector((float *const *)rows, channels, c, part, 0);
        for (int x = 0; x < count; x++)
            pixels[(size_t)x * channels + c] = from[2 * ((first + x) / LANES * LANES) + (first + x) % LANES];
    }
}
