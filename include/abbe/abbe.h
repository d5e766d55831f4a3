/* Abbe: filters images in the Fourier plane, and knows when not to.
 *
 * Four nouns:
 *   device   where work runs             abbe_device_open / abbe_device_close
 *   filter   what to do to a picture     abbe_filter_*    / abbe_filter_destroy
 *   plan     how to do it                abbe_plan_create / abbe_plan_destroy
 *   image    a view of pixels            abbe_image, a plain struct that owns nothing
 *
 * and one hot call, abbe_run(), or abbe_submit() and abbe_wait() for a GPU that is to have no pause.
 *
 *     abbe_device *device = NULL;
 *     abbe_filter *blur = NULL;
 *     abbe_plan *plan = NULL;
 *     abbe_device_open("auto", NULL, &device);
 *     abbe_filter_parse("gaussian:sigma=12", NULL, &blur);
 *     abbe_plan_create(device, &(abbe_plan_params){
 *         .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_U8, .result_type = ABBE_U8,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *     abbe_run(plan, &source, &result);
 *
 * Conventions that hold for every function here:
 *   - A function that can fail returns ABBE_OK (0) or a negative ABBE_ERR_* code. On failure nothing is
 *     written through its output arguments, nothing leaks, and abbe_error_text() has one sentence about it.
 *   - Destroy and close functions take the address of the pointer, accept NULL and clear it.
 *   - Strings returned belong to the library; strings passed in are copied.
 *   - A pixel sample has one unit whatever its type: U8 0…255 and U16 0…65535 stand for 0…1, F16 and F32
 *     are taken as they are. Rows run top to bottom, x to the right, channels are interleaved.
 *   - Arithmetic is F32, and errors are relative to the picture, not to the sample: methods in the Fourier plane
 *     carry two channels (or two rows) in one complex number, so a channel a million times darker than its
 *     neighbour keeps few digits. Sums over the picture must stay below the range of F32.
 *   - Angles are degrees, counter-clockwise as seen on the screen, 0 along x.
 *   - Transforms are scaled as in Moreland & Angel 2003: W = e^(−j2π/N), the forward transform carries
 *     1/(M·N), the inverse carries none.
 */
#ifndef ABBE_ABBE_H
#define ABBE_ABBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ABBE_API __attribute__((visibility("default")))
#else
#define ABBE_API
#endif

#define ABBE_VERSION_MAJOR 0
#define ABBE_VERSION_MINOR 1
#define ABBE_VERSION_PATCH 0

/* Largest width or height of an image, and of a kernel. */
#define ABBE_SIDE_MAX (1 << 30)
#define ABBE_KERNEL_SIDE_MAX (1 << 17)
#define ABBE_CHANNELS_MAX 64

typedef struct abbe_device abbe_device;
typedef struct abbe_filter abbe_filter;
typedef struct abbe_plan abbe_plan;
typedef struct abbe_ticket abbe_ticket;

/* ---- Errors and version ------------------------------------------------------------------------------- */

typedef enum abbe_error {
    ABBE_OK = 0,
    ABBE_ERR_INVALID = -1,     /* an argument breaks a documented rule: null, below 1, unknown enum value */
    ABBE_ERR_SYNTAX = -2,      /* a filter or matrix text cannot be read */
    ABBE_ERR_RANGE = -3,       /* a filter parameter is outside its range */
    ABBE_ERR_SIZE = -4,        /* a size is above its limit, or a product of sizes overflows */
    ABBE_ERR_MEMORY = -5,      /* no memory */
    ABBE_ERR_UNSUPPORTED = -6, /* this device, method or build cannot do it */
    ABBE_ERR_NONFINITE = -7,   /* the source holds a NaN or an infinity */
    ABBE_ERR_FILE = -8,        /* the loader could not bring a file that a filter names */
    ABBE_ERR_DEVICE = -9       /* the device or its driver failed */
} abbe_error;

/* The library's version as "major.minor.patch"; compare with ABBE_VERSION_* to find a stale library. */
ABBE_API const char *abbe_version(void);

/* The name of a code, "ABBE_ERR_SIZE" for instance; "unknown error" for a number that is none. */
ABBE_API const char *abbe_error_name(int code);

/* The sentence for the last failure on `device` in the calling thread; "" when there was none.
 * Functions that take no device (filters, matrices, abbe_device_open itself) report under NULL.
 * The text stays valid until the next failure in this thread. Each thread remembers the last four devices
 * that failed in it. */
ABBE_API const char *abbe_error_text(const abbe_device *device);

/* ---- Images ------------------------------------------------------------------------------------------- */

typedef enum abbe_type {
    ABBE_U8 = 1,
    ABBE_U16 = 2,
    ABBE_F16 = 3, /* IEEE 754 binary16 */
    ABBE_F32 = 4
} abbe_type;

/* A view of pixels that somebody else owns. Sample (x, y, c) lies at
 *     (char *)data + y·stride + (x·channels + c)·size of type.
 * `stride` is in bytes, may be negative (data then points at the top row, which lies last in memory), need
 * not be a multiple of the sample size, and is at least one row long in magnitude when height > 1. */
typedef struct abbe_image {
    void *data;
    int width, height;
    int channels;
    ptrdiff_t stride;
    abbe_type type;
} abbe_image;

/* Bytes of one sample: 1, 2, 2, 4; 0 for an unknown type. */
ABBE_API size_t abbe_type_size(abbe_type type);

/* ---- Devices ------------------------------------------------------------------------------------------ */

typedef struct abbe_device_params {
    int threads; /* inside one run, at most 1024; 0 takes every processor. A plan's results do not depend on it. */
} abbe_device_params;

/* Opens a device by name. "cpu" always opens. "auto" (or NULL) is the CPU with a GPU beside it, "vulkan", which is opened
 * when the first plan comes whose runs are worth the time that takes; abbe_plan_device says where a plan went. A GPU that
 * fails under such a plan, at once or later, leaves its work to the CPU, but for a run that abbe_wait waits for.
 * "cpu:avx2" asks for one instruction set: plain (portable C), baseline, avx2 or avx512 on x86-64, plain or neon on
 * ARM. Without one, the environment variable ABBE_CPU may name it; without both it is the best of this machine.
 * "vulkan" is the best GPU of Vulkan, "vulkan:1" one by its number, "vulkan:NAME" the first whose name or driver has NAME
 * in it; "gl", "gl:NAME" the same of OpenGL ES, with the engine "gl:fast", "gl:fialka" or "gl:moreland" and "gl:f16" for
 * textures of 16 bits. Software drivers are taken by name only.
 * `params` may be NULL. A device may be used by many threads at once and must outlive its plans.
 * Errors (under NULL): INVALID, UNSUPPORTED for a name this build does not have or an instruction set this machine
 * lacks, MEMORY. */
ABBE_API int abbe_device_open(const char *name, const abbe_device_params *params, abbe_device **device);
ABBE_API void abbe_device_close(abbe_device **device);

/* The device's own name, "cpu" for instance. */
ABBE_API const char *abbe_device_name(const abbe_device *device);

/* What it is made of, for people: "avx512, 8 threads". Belongs to the device. */
ABBE_API const char *abbe_device_detail(const abbe_device *device);

/* The section of a file of measured prices that this device's are in, "cpu:avx512" for instance. Belongs to the device. */
ABBE_API const char *abbe_device_section(const abbe_device *device);

typedef struct abbe_device_entry {
    const char *name;
    const char *summary;
} abbe_device_entry;

/* The devices of this build, best first; whether one opens on this machine only abbe_device_open tells. */
ABBE_API const abbe_device_entry *abbe_device_catalogue(size_t *count);

/* ---- Matrices: kernels and masks in memory ------------------------------------------------------------ */

/* `height` rows of `width` numbers. Made by the functions below and released by abbe_matrix_free. */
typedef struct abbe_matrix {
    int width, height;
    double *values;
} abbe_matrix;

/* A matrix of zeros. Errors (under NULL): INVALID, SIZE, MEMORY. */
ABBE_API int abbe_matrix_create(int width, int height, abbe_matrix *matrix);

typedef enum abbe_matrix_form {
    ABBE_MATRIX_AUTO, /* VIPS where the lines cannot all be rows, else ROWS; SYNTAX error where both fit */
    ABBE_MATRIX_ROWS, /* every line is a row */
    ABBE_MATRIX_VIPS  /* a first line "width height [scale [offset]]" that matches the rows below it: their
                         numbers are divided by scale; an offset other than 0 is UNSUPPORTED, because it is
                         for results (abbe_plan_params.offset). vips correlates: ask for correlate */
} abbe_matrix_form;

/* Reads numbers from text: a line is a row, numbers are separated by spaces, tabs, commas or semicolons,
 * '#' starts a comment, empty lines are skipped, and every row must have the same length.
 * With AUTO "3 2 1", "2 4 2", "1 2 3" is refused: three rows, or a header for 3 × 2 numbers? "3 2", "2 4 2",
 * "1 2 3" is not: its first line is too short for a row.
 * `text` need not end in a zero byte. Errors (under NULL): INVALID, SYNTAX (with line and column), SIZE,
 * MEMORY. */
ABBE_API int abbe_matrix_parse(const char *text, size_t length, abbe_matrix_form form, abbe_matrix *matrix);

/* The mean of an image's channels as a matrix. Errors (under NULL): INVALID, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_matrix_from_image(const abbe_image *image, abbe_matrix *matrix);

/* Releases the values and clears the struct; a cleared or zero struct is fine. */
ABBE_API void abbe_matrix_free(abbe_matrix *matrix);

/* ---- Filters ------------------------------------------------------------------------------------------ */

/* Brings the matrices that "kernel:file=NAME" and "mask:file=NAME" ask for. `load` fills `matrix` with one
 * of the functions above and returns ABBE_OK, or returns an error code after which parsing fails with
 * ABBE_ERR_FILE. The library frees the matrix. */
typedef struct abbe_loader {
    int (*load)(void *user, const char *name, abbe_matrix *matrix);
    void *user;
} abbe_loader;

/* Builds a filter from "name:key=value:key=value,name:…", the catalogue's grammar. A chain of linear filters
 * becomes one filter. `loader` may be NULL when no file is named.
 * Filters are immutable and may be shared by threads; they belong to no device.
 * Errors (under NULL): INVALID, SYNTAX and RANGE (with the token, its position and the nearest known name),
 * UNSUPPORTED (a gradient magnitude before the end of a chain), FILE, SIZE, MEMORY. */
ABBE_API int abbe_filter_parse(const char *text, const abbe_loader *loader, abbe_filter **filter);

typedef struct abbe_kernel_params {
    const abbe_matrix *taps; /* copied */
    bool normalize;          /* divide by the sum of the taps; RANGE error when the sum is nearly zero */
    const int *centre;       /* column and row of the tap over the pixel; NULL: { width / 2, height / 2 } */
} abbe_kernel_params;

/* A filter from taps, applied as a convolution: out(x,y) = Σ taps(i,j) · in(x − i + centre, y − j + centre).
 * Errors (under NULL): INVALID, RANGE, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_filter_from_kernel(const abbe_kernel_params *params, abbe_filter **filter);

/* A filter from a painted mask: real gains over the frequency plane, zero frequency at column width / 2, row
 * height / 2, upward frequencies at the top. Sampled bilinearly at sizes other than its own and averaged
 * with its point reflection, so that the result stays real. Errors (under NULL): as above. */
ABBE_API int abbe_filter_from_mask(const abbe_matrix *mask, abbe_filter **filter);

/* A transfer function: writes the complex gain { re, im } at (fx, fy) cycles per pixel, each within ±0.5,
 * fy pointing down like y. Called while plans are created, from the creating thread only, and by
 * abbe_filter_gain from its caller's. Only its Hermitian
 * part ½(H(f) + H*(−f)) acts, which is all of it when the filter is to give real pictures.
 * A gain that no float holds makes abbe_plan_create fail with NONFINITE. */
typedef void (*abbe_transfer)(void *user, double fx, double fy, double gain[2]);

/* A filter from a transfer function. `user` must stay valid while plans are made from the filter.
 * Errors (under NULL): INVALID, MEMORY. */
ABBE_API int abbe_filter_from_transfer(abbe_transfer transfer, void *user, abbe_filter **filter);

/* One filter that does `count` filters one after the other. All but the last must be linear (UNSUPPORTED
 * otherwise: "sobel" with axis=both is not). The border acts once, on the source.
 * Errors (under NULL): INVALID, UNSUPPORTED, RANGE (taps that no float holds), SIZE, MEMORY. */
ABBE_API int abbe_filter_chain(const abbe_filter *const *filters, size_t count, abbe_filter **filter);

ABBE_API void abbe_filter_destroy(abbe_filter **filter);

typedef struct abbe_filter_info {
    int components;    /* linear filters inside: 1, or 2 whose magnitude sqrt(a² + b²) is the result */
    bool in_frequency; /* has a transfer function: acts on the Fourier plane only, has no finite kernel */
    int width, height; /* the kernel's size; 1 × 1 for a pure transfer function */
    int centre_x, centre_y;
} abbe_filter_info;

/* What a filter is made of. Errors (under NULL): INVALID. */
ABBE_API int abbe_filter_describe(const abbe_filter *filter, abbe_filter_info *info);

/* The taps of component `component`, as every method uses them. The caller frees the matrix.
 * Errors (under NULL): INVALID, UNSUPPORTED when the filter is in_frequency, SIZE, MEMORY. */
ABBE_API int abbe_filter_taps(const abbe_filter *filter, int component, abbe_matrix *taps);

/* The complex gain of component `component` at (fx, fy) cycles per pixel, kernel and transfer function
 * together: Σ taps(k) e^(−j2π f·k), k counted from the centre, times the transfer.
 * Errors (under NULL): INVALID. */
ABBE_API int abbe_filter_gain(const abbe_filter *filter, int component, double fx, double fy, double gain[2]);

typedef struct abbe_filter_entry {
    const char *name;
    const char *summary;
    const char *parameters; /* keys with their defaults: "sigma=2 truncate=4" */
} abbe_filter_entry;

/* The catalogue of named filters. */
ABBE_API const abbe_filter_entry *abbe_filter_catalogue(size_t *count);

/* ---- Plans -------------------------------------------------------------------------------------------- */

typedef enum abbe_border {
    ABBE_BORDER_REFLECT,  /* dcba|abcd|dcba, the edge repeats */
    ABBE_BORDER_MIRROR,   /* dcb|abcd|cba, the edge does not */
    ABBE_BORDER_CLAMP,    /* aaa|abcd|ddd */
    ABBE_BORDER_ZERO,     /* 000|abcd|000 */
    ABBE_BORDER_CONSTANT, /* kkk|abcd|kkk, k is border_value in every channel */
    ABBE_BORDER_WRAP      /* bcd|abcd|abc */
} abbe_border;

typedef enum abbe_method {
    ABBE_METHOD_AUTO,
    ABBE_METHOD_DIRECT,    /* taps, one by one */
    ABBE_METHOD_SEPARABLE, /* rows, then columns, once per rank of the kernel */
    ABBE_METHOD_FFT,       /* the whole picture in one transform */
    ABBE_METHOD_TILES      /* overlapping tiles (overlap-save), one transform each */
} abbe_method;

typedef enum abbe_alpha {
    ABBE_ALPHA_NONE, /* every channel is a plane of its own */
    ABBE_ALPHA_PREMULTIPLY, /* the last channel is straight alpha: multiplied in first, divided out after; see below */
    ABBE_ALPHA_INDEPENDENT /* the last channel is alpha, filtered beside the others; no light curve on it */
} abbe_alpha;

/* PREMULTIPLY: alpha is filtered by the filter divided by its gain of constants, so that it stays a coverage and
 * colours keep the gain. A filter that takes constants away (laplacian, highpass, sobel, …) has no such gain: it
 * acts on the premultiplied colours, which are not divided after, and alpha stays the source's. */

typedef enum abbe_nonfinite {
    ABBE_NONFINITE_ERROR, /* a NaN or infinity in the source: ABBE_ERR_NONFINITE, nothing is written */
    ABBE_NONFINITE_ZERO,  /* it counts as 0 */
    ABBE_NONFINITE_TRUST  /* the caller promises there is none: not looked for */
} abbe_nonfinite;

/* How a device may keep what lies between the passes of a transform. Arithmetic is F32 in both. */
typedef enum abbe_precision {
    ABBE_PRECISION_FULL, /* as F32 */
    ABBE_PRECISION_HALF /* as F16 where that is faster: half of the memory, errors up to 2·10⁻³ of the picture's mean
                            square (√Σerror² / √Σsample²), samples up to about 500. The CPU stays with F32 */
} abbe_precision;

/* Zero in a field is the default. */
typedef struct abbe_plan_params {
    int width, height, channels;
    abbe_type source_type, result_type;
    const abbe_filter *const *filters; /* the bank: one forward transform, filter_count results */
    size_t filter_count;
    abbe_border border;
    float border_value; /* for CONSTANT: the sample outside, in every channel, before alpha and light curve */
    abbe_method method;
    int tile_width, tile_height; /* for TILES: pixels a tile yields at least; 0 lets the planner choose */
    abbe_alpha alpha;
    abbe_nonfinite nonfinite;
    float offset;      /* added to results (not to alpha) as they are stored: 0.5 shows high passes in U8 */
    bool linear_light; /* samples are sRGB-coded: decode before filtering, encode after */
    bool correlate;    /* kernels are not flipped, spectra are conjugated */
    abbe_precision precision;
    int runs; /* that are expected of the plan, 0 for one: "auto" weighs them against the start of a GPU */
} abbe_plan_params;

/* Chooses a method for the shape, the border and the bank, and prepares all that does not depend on pixels.
 * Keeps no reference to `params` or the filters; `device` must outlive the plan.
 * A plan is immutable: any number of threads may run it at once.
 * Transfer functions act on the picture's own size with WRAP, on the exact even extension with REFLECT and
 * MIRROR, and on the picture extended by the effective radius of the bank's longest response with the others.
 * One method serves the whole bank: small kernels beside a transfer function ride through the Fourier plane.
 * Errors: INVALID, SIZE, NONFINITE (border_value, offset, or a gain), UNSUPPORTED (the method asked for cannot do
 * these filters), MEMORY (none is left, or no method fits the device's). */
ABBE_API int abbe_plan_create(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan);
ABBE_API void abbe_plan_destroy(abbe_plan **plan);

/* Where a plan runs, for abbe_device_name and abbe_device_detail: the device it was made with, or the GPU beside "auto";
 * and why it is there, in one line for people, "" where there was nothing to choose. Both belong to the library. */
ABBE_API const abbe_device *abbe_plan_device(const abbe_plan *plan);
ABBE_API const char *abbe_plan_reason(const abbe_plan *plan);

/* A part of a price: units of one primitive of the device, "row_flop" for instance, at so many seconds each. The
 * primitives are listed in docs/prices.md. */
typedef struct abbe_charge {
    const char *name;
    double units; /* on the thread that has the most to do */
    double seconds;
} abbe_charge;

typedef struct abbe_candidate {
    abbe_method method;
    bool possible; /* else `reason` says why not and the figures are 0 */
    bool chosen;
    double seconds;              /* predicted time of one run */
    size_t bytes;                /* scratch memory of one run */
    int fft_width, fft_height;   /* transform size, 0 for methods in space */
    int tile_width, tile_height; /* pixels a transform yields, 0 for methods in space */
    int passes;                  /* separable passes, the sum of the ranks; 0 for others */
    const char *reason;
    const abbe_charge *charges; /* what `seconds` is the sum of; they belong to the plan */
    size_t charge_count;
} abbe_candidate;

/* Every method with its price and the choice. Prices are those of the device's threads; the choice is what is cheapest on
 * one thread and on every processor taken together, so that no result depends on threads. The array belongs to the plan.
 * Errors: INVALID. */
ABBE_API int abbe_plan_explain(const abbe_plan *plan, const abbe_candidate **candidates, size_t *count);

/* Filters `source` into `results`, one view per filter of the bank, all of the plan's shape and types.
 * A result may be the source itself (same data, stride and type); any other overlap among the views is
 * INVALID. Never writes outside the views. On failure a source that is its own result is as it was and the CPU has
 * written nothing; a GPU may have written some results, or parts of a picture larger than its memory.
 * Integer results are rounded and saturated, F16 results saturated to ±65504.
 * Allocates scratch, at most abbe_candidate.bytes plus a copy of the source when a method other than FFT, or a bank
 * on the device gl, works in place. The plan may keep the scratch of its runs for later ones; it is released with
 * the plan.
 * Errors: INVALID, NONFINITE, MEMORY, DEVICE. */
ABBE_API int abbe_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results);

#define ABBE_PASSES_MAX 8

/* What abbe_run_watched tells while it works, and when it has worked. */
typedef struct abbe_watch {
    void (*progress)(void *user,
                     double done); /* may be NULL; `done` rises from 0 to 1, anew when a GPU failed */
    void *user;
    int pass_count; /* written by the run: what it spent its time on */
    struct abbe_pass {
        const char *name; /* "rows", "columns", "rows back", "tiles", "direct", "separable" */
        double seconds;
    } passes[ABBE_PASSES_MAX];
} abbe_watch;

/* abbe_run with somebody watching: `progress` is called now and then, by one of the run's threads at a time, and
 * must not call the library. `watch` must not be shared by runs at the same time. Errors: as abbe_run. */
ABBE_API int abbe_run_watched(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                              abbe_watch *watch);

/* abbe_run in two steps: begins a run and returns; abbe_wait ends it. In between the caller may begin others, of this
 * plan or of any, so that a GPU copies for one while it computes another: two or three at a time keep it busy.
 *   - The source has been read when abbe_submit returns, and may be changed.
 *   - Results must stay where they are, unread and unwritten, until abbe_wait has returned; the views are copied.
 *   - A run under way has scratch of its own, abbe_candidate.bytes of it, which the plan keeps for later runs.
 *   - The CPU runs at once, inside abbe_submit, on all of its threads; so does a GPU whose memory does not hold the
 *     whole picture. The ticket is then one for a run that is over.
 * Errors: as abbe_run; there is no ticket then, and nothing has been written. */
ABBE_API int abbe_submit(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                         abbe_ticket **ticket);

/* Waits for the end of a run, whose results are then there, and clears the ticket in any case. Every ticket must be
 * waited for before its plan is destroyed; in any order, by any thread. NULL and a cleared ticket are no error.
 * Errors (under the plan's device): MEMORY, DEVICE; nothing has been written then. A GPU that its driver lost under way
 * is one; what is submitted after finds a new device. */
ABBE_API int abbe_wait(abbe_ticket **ticket);

/* "reflect", "mirror", …; "auto", "direct", …; "full", "half"; NULL for a value that is none. */
ABBE_API const char *abbe_border_name(abbe_border border);
ABBE_API const char *abbe_method_name(abbe_method method);
ABBE_API const char *abbe_precision_name(abbe_precision precision);

/* ---- Spectra, for those who want to see them ---------------------------------------------------------- */

/* Complex transform of width × height samples in natural order, interleaved { re, im }; height 1 is a 1-D
 * transform. Any size. `in` and `out` may be the same array, and may not overlap otherwise.
 * Errors: INVALID, SIZE, MEMORY. */
ABBE_API int abbe_fft_forward(abbe_device *device, int width, int height, const float *in, float *out);
ABBE_API int abbe_fft_inverse(abbe_device *device, int width, int height, const float *in, float *out);

/* The packed spectrum (Moreland & Angel 2003, eq. 9 and 10, extended to odd sizes; docs/maths.md): the
 * spectrum of a real width × height picture as width × height real numbers, one array per channel,
 * interleaved like the picture. Lossless but for rounding.
 * `packed` is an F32 view of the picture's shape; source and result may have any type. Same view in and out
 * is allowed. Errors: INVALID, NONFINITE, SIZE, MEMORY. */
ABBE_API int abbe_spectrum_forward(abbe_device *device, const abbe_image *source, const abbe_image *packed);
ABBE_API int abbe_spectrum_inverse(abbe_device *device, const abbe_image *packed, const abbe_image *result);

/* F(u, v) of a channel, any 0 ≤ u < width, 0 ≤ v < height, as { re, im }. Errors (under NULL): INVALID, SIZE. */
ABBE_API int abbe_spectrum_at(const abbe_image *packed, int channel, int u, int v, float value[2]);

/* result = a · b, frequency by frequency (the 2003 paper's multiply program): the spectrum of the circular
 * convolution divided by width · height. `b` may have one channel, which then serves all of `a`.
 * result may be a or b. Errors (under NULL): INVALID, SIZE. */
ABBE_API int abbe_spectrum_multiply(const abbe_image *a, const abbe_image *b, const abbe_image *result);

/* Between a full complex spectrum of width × height (interleaved { re, im }, of a real picture, so only its
 * Hermitian half is read) and the packed one. No overlap. Errors (under NULL): INVALID, SIZE. */
ABBE_API int abbe_spectrum_pack(int width, int height, const float *spectrum, float *packed);
ABBE_API int abbe_spectrum_unpack(int width, int height, const float *packed, float *spectrum);

#ifdef __cplusplus
}
#endif

#endif
