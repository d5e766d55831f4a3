/* Template: stored pixels to complex rows and back, a vector of pixels at a time.
 *
 * Interleaved pixels of at most FUSED_DIRECT channels are loaded and stored here, one channel and planes in
 * planes_tmpl.h. The others, and pixels that need more treatment, go through rows of interleaved floats,
 * which split_pixels() and merge_pixels() convert. */
#include "core/sample.h"
#include "cpu/fused/kernels.h"
#include "cpu/vector_tmpl.h"

enum { DIRECT_CHANNELS = FUSED_DIRECT, SAMPLE_MAX = 4 };

/* How pixels are stored. Functions are inlined with a constant format. */
struct format {
    abbe_type type;
    int channels;
    size_t size; /* bytes of a sample */
};

/* One instance of `call` for every format of interleaved channels; `call` is a macro of a format. */
#define CASE_OF_FORMAT(type, channels, size, call) \
    case 8 * (type) + (channels):                  \
        call(((struct format){ type, channels, size }));
#define CASES_OF_TYPE(type, size, call) \
    CASE_OF_FORMAT(type, 2, size, call) \
    CASE_OF_FORMAT(type, 3, size, call) \
    CASE_OF_FORMAT(type, 4, size, call)
#define CASES_OF_FORMATS(call)       \
    CASES_OF_TYPE(ABBE_U8, 1, call)  \
    CASES_OF_TYPE(ABBE_U16, 2, call) \
    CASES_OF_TYPE(ABBE_F16, 2, call) \
    CASES_OF_TYPE(ABBE_F32, 4, call)

/* The vector of channel c that begins `at` floats into its row. The last of an odd number of channels takes
 * the real (part 0) or imaginary (part 1) samples. */
INLINE float *sample_vector(float *const *rows, int channels, int c, int part, size_t at)
{
    bool single = channels % 2 && c == channels - 1;
    return rows[c / 2] + at + (single ? part : c % 2) * LANES;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* Converts `count` samples to float; integers to 0 … 1. */
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

/* Loads LANES consecutive samples of one channel. */
INLINE VECTOR load_channel_vector(abbe_type type, const unsigned char *from)
{
    if (type == ABBE_U8)
        return __builtin_convertvector(widen_bytes(from), VECTOR) * (1 / 255.f);
    if (type == ABBE_U16)
        return __builtin_convertvector(widen_words(from), VECTOR) * (1 / 65535.f);
    float samples[LANES];
    load_samples(type, from, LANES, samples);
    return load(samples);
}

/* Loads LANES pixels, one vector per channel. */
INLINE void load_vector(struct format format, const unsigned char *from, VECTOR *out)
{
    if (format.type == ABBE_U8 && format.channels == 4) {
        INTS pixels;
        memcpy(&pixels, from, sizeof pixels);
        for (int c = 0; c < 4; c++)
            out[c] = __builtin_convertvector(pixels >> 8 * c & 255, VECTOR) * (1 / 255.f);
        return;
    }
    if (format.channels == 1) {
        out[0] = load_channel_vector(format.type, from);
        return;
    }
    float samples[LANES * DIRECT_CHANNELS], planes[DIRECT_CHANNELS][LANES];
    load_samples(format.type, from, LANES * format.channels, samples);
    for (int c = 0; c < format.channels; c++) {
        for (int l = 0; l < LANES; l++)
            planes[c][l] = samples[l * format.channels + c];
        out[c] = load(planes[c]);
    }
}

/* Loads LANES pixels that are not consecutive; an index of −1 reads pixel 0. */
INLINE void gather_vector(struct format format, const unsigned char *from, const int *index, VECTOR *out)
{
    unsigned char pixels[LANES * DIRECT_CHANNELS * SAMPLE_MAX];
    size_t bytes = (size_t)format.channels * format.size;
    for (int l = 0; l < LANES; l++)
        memcpy(pixels + (size_t)l * bytes, from + (size_t)(index[l] < 0 ? 0 : index[l]) * bytes, bytes);
    load_vector(format, pixels, out);
}

/* Replaces lanes that are not finite by zero. */
INLINE VECTOR finite_only(VECTOR x)
{
    return (VECTOR)((INTS)x & (x - x == 0));
}

INLINE bool is_all_zero(INTS bits)
{
    int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= bits[l];
    return any == 0;
}

/* Treats loaded pixels, and sets bits in `nonfinite` where a sample is not finite. A pedestal is never
 * subtracted from premultiplied pixels. */
INLINE void treat_pixels(const struct fused_pixels *how, struct format format, bool treat, VECTOR *out,
                         INTS *nonfinite)
{
    int channels = format.channels;
    for (int c = 0; c < channels && treat && how->zero_nonfinite; c++)
        out[c] = finite_only(out[c]);
    for (int c = 0; c < channels && (format.type == ABBE_F16 || format.type == ABBE_F32); c++)
        *nonfinite |= (INTS)(out[c] - out[c]); /* 0 or a NaN */
    for (int c = 0; c + 1 < channels && treat && how->premultiply; c++)
        out[c] *= out[channels - 1];
    for (int c = 0; c < channels && treat && how->pedestal; c++)
        out[c] -= how->pedestal[c];
}

/* Writes vector v of every channel to the rows. */
INLINE void keep_vector(int channels, int part, int v, const VECTOR *in, float *const *rows)
{
    for (int c = 0; c < channels; c++)
        store(sample_vector(rows, channels, c, part, 2 * LANES * (size_t)v), in[c]);
}

/* Loads a span of consecutive pixels, and prefetches those of a later row. `treat` is false where pixels need no treatment beyond conversion. */
INLINE void load_span(const struct fused_pixels *how, struct format format, const unsigned char *from,
                      const struct fused_span *span, bool treat, int part, float *const *rows,
                      INTS *nonfinite)
{
    size_t bytes = (size_t)format.channels * format.size;
    const ptrdiff_t ahead = how->ahead;
    from += (size_t)span->pixel * bytes;
    for (int v = span->vector; v < span->vector + span->count; v++, from += LANES * bytes) {
        VECTOR out[DIRECT_CHANNELS];
        if (ahead)
            __builtin_prefetch(from + ahead, 0, 2);
        load_vector(format, from, out);
        treat_pixels(how, format, treat, out, nonfinite);
        keep_vector(format.channels, part, v, out, rows);
    }
}

/* Writes the outside pixel to the lanes of vector v that have no pixel. */
static void lay_outside(const struct fused_pixels *how, int v, int part, float *const *rows)
{
    const int *index = how->index + (size_t)v * LANES;
    for (int l = 0; l < LANES; l++)
        for (int c = 0; c < how->channels && index[l] < 0; c++)
            sample_vector(rows, how->channels, c, part, 2 * LANES * (size_t)v)[l] = how->outside[c];
}

/* Loads a span in which the border has placed pixels. */
INLINE void gather_span(const struct fused_pixels *how, struct format format, const unsigned char *from,
                        const struct fused_span *span, int part, float *const *rows, INTS *nonfinite)
{
    for (int v = span->vector; v < span->vector + span->count; v++) {
        VECTOR out[DIRECT_CHANNELS];
        gather_vector(format, from, how->index + (size_t)v * LANES, out);
        treat_pixels(how, format, true, out, nonfinite);
        keep_vector(format.channels, part, v, out, rows);
        lay_outside(how, v, part, rows);
    }
}

/* Prefetches the pixels of a later row that lie below the consecutive pixels of this one. */
static void prefetch_row(const struct fused_pixels *how, size_t pixel_bytes, const unsigned char *from)
{
    enum { LINE = 64 };
    for (int i = 0; i < how->span_count; i++) {
        const struct fused_span *span = &how->spans[i];
        const unsigned char *first = from + how->ahead +
                                     (size_t)(span->pixel < 0 ? 0 : span->pixel) * pixel_bytes;
        for (size_t b = 0; span->pixel >= 0 && b < (size_t)span->count * LANES * pixel_bytes; b += LINE)
            __builtin_prefetch(first + b, 0, 2);
    }
}

/* Loads a row whose format is a constant; returns whether all samples were finite. */
INLINE bool load_row_as(const struct fused_pixels *how, struct format format, const unsigned char *from,
                        int part, float *const *rows)
{
    float *own[DIRECT_CHANNELS / 2] = { rows[0], format.channels > 2 ? rows[1] : NULL };
    bool treat = how->premultiply || how->zero_nonfinite || how->pedestal;
    INTS nonfinite = { 0 };
    for (int i = 0; i < how->span_count; i++)
        if (how->spans[i].pixel < 0)
            gather_span(how, format, from, &how->spans[i], part, own, &nonfinite);
        else if (treat)
            load_span(how, format, from, &how->spans[i], true, part, own, &nonfinite);
        else
            load_span(how, format, from, &how->spans[i], false, part, own, &nonfinite);
    return is_all_zero(nonfinite);
}

/* ---- Storing ------------------------------------------------------------------------------------------ */

/* Converts 0 … 1 to integers 0 … white, rounding ties to even: they are the last bits of x · white + 2^23. */
INLINE INTS quantize(VECTOR x, float white)
{
    return (INTS)(within(x, (VECTOR){ 0 } + 1) * white + 0x1p23f) & 0x7fffff;
}

/* Stores LANES consecutive samples of one channel. */
INLINE void store_channel_vector(abbe_type type, VECTOR x, unsigned char *to)
{
    float samples[LANES];
    if (type == ABBE_U8) {
        narrow_to_bytes(quantize(x, 255), to);
    } else if (type == ABBE_U16) {
        narrow_to_words(quantize(x, 65535), to);
    } else if (type == ABBE_F16) {
        store(samples, x);
        core_store_samples(type, samples, to, LANES);
    } else {
        memcpy(to, &x, sizeof x);
    }
}

/* Stores LANES pixels from one vector per channel. */
INLINE void store_vector(struct format format, const VECTOR *in, unsigned char *to)
{
    const int channels = format.channels;
    if (format.type == ABBE_U8 && channels == 4) {
        INTS pixels = quantize(in[0], 255);
        for (int c = 1; c < 4; c++)
            pixels |= quantize(in[c], 255) << 8 * c;
        memcpy(to, &pixels, sizeof pixels);
        return;
    }
    float samples[LANES * DIRECT_CHANNELS];
    int integers[LANES];
    for (int c = 0; c < channels; c++) {
        if (format.type == ABBE_F16 || format.type == ABBE_F32) {
            for (int l = 0; l < LANES; l++)
                samples[l * channels + c] = in[c][l];
            continue;
        }
        INTS quantized = quantize(in[c], format.type == ABBE_U8 ? 255 : 65535);
        memcpy(integers, &quantized, sizeof integers);
        for (int l = 0; l < LANES; l++)
            if (format.type == ABBE_U8) {
                to[l * channels + c] = (unsigned char)integers[l];
            } else {
                unsigned short sample = (unsigned short)integers[l];
                memcpy(to + 2 * (l * channels + c), &sample, sizeof sample);
            }
    }
    if (format.type == ABBE_F16)
        core_store_samples(format.type, samples, to, (size_t)LANES * channels);
    else if (format.type == ABBE_F32)
        memcpy(to, samples, sizeof(float) * LANES * (size_t)channels);
}

/* Below half a step of 16 bits a pixel is transparent and has no colour. */
INLINE void divide_by_alpha(float gain, int channels, VECTOR *x)
{
    VECTOR alpha = x[channels - 1] / gain;
    INTS opaque = alpha > 0.5f / 65535;
    for (int c = 0; c + 1 < channels; c++)
        x[c] = (VECTOR)((INTS)(x[c] / alpha) & opaque);
    x[channels - 1] = alpha;
}

/* Treats and stores the vector of results at sample x of the rows. */
INLINE void store_results(const struct fused_pixels *how, struct format format, float *const *rows, int part,
                          int x, bool treat, unsigned char *to)
{
    VECTOR in[DIRECT_CHANNELS];
    int channels = format.channels;
    for (int c = 0; c < channels; c++)
        in[c] = load(sample_vector(rows, channels, c, part, 2 * (size_t)x));
    if (treat && how->premultiply)
        divide_by_alpha(how->alpha_gain, channels, in);
    for (int c = 0; c < channels && treat && how->offset; c++)
        in[c] += how->offset[c];
    store_vector(format, in, to);
}

/* Stores a vector of which not all lanes are results; `to` is the row's first result. */
INLINE void store_edge(const struct fused_pixels *how, struct format format, float *const *rows, int part,
                       int x, unsigned char *to)
{
    unsigned char pixels[LANES * DIRECT_CHANNELS * SAMPLE_MAX];
    size_t bytes = (size_t)format.channels * format.size;
    int low = x < how->first ? how->first - x : 0, end = how->first + how->count - x;
    store_results(how, format, rows, part, x, true, pixels);
    memcpy(to + (size_t)(x + low - how->first) * bytes, pixels + (size_t)low * bytes,
           (size_t)((end < LANES ? end : LANES) - low) * bytes);
}

/* Stores a row whose format is a constant. */
INLINE void store_row_as(const struct fused_pixels *how, struct format format, const float *const *rows,
                         int part, unsigned char *to)
{
    float *own[DIRECT_CHANNELS / 2] = { (float *)rows[0], format.channels > 2 ? (float *)rows[1] : NULL };
    size_t bytes = (size_t)format.channels * format.size;
    bool treat = how->premultiply || how->offset;
    int first = how->first, end = first + how->count, x = first / LANES * LANES;
    if (x < first) {
        store_edge(how, format, own, part, x, to);
        x += LANES;
    }
    if (treat)
        for (; x + LANES <= end; x += LANES)
            store_results(how, format, own, part, x, true, to + (size_t)(x - first) * bytes);
    else
        for (; x + LANES <= end; x += LANES)
            store_results(how, format, own, part, x, false, to + (size_t)(x - first) * bytes);
    if (x < end)
        store_edge(how, format, own, part, x, to);
}

/* ---- Rows of interleaved floats ----------------------------------------------------------------------- */

static void split_pixels(const float *pixels, int channels, int count, int part, float *const *rows)
{
    for (int c = 0; c < channels; c++) {
        float *to = sample_vector(rows, channels, c, part, 0);
        for (int x = 0; x < count; x++)
            to[2 * (x / LANES * LANES) + x % LANES] = pixels[(size_t)x * channels + c];
    }
}

static void merge_pixels(const float *const *rows, int first, int channels, int count, int part,
                         float *pixels)
{
    for (int c = 0; c < channels; c++) {
        const float *from = sample_vector((float *const *)rows, channels, c, part, 0);
        for (int x = 0; x < count; x++)
            pixels[(size_t)x * channels + c] = from[2 * ((first + x) / LANES * LANES) + (first + x) % LANES];
    }
}
