/* The table of cases. On the CPU a series of sizes and kernels stands for one case per size and kernel. */
#include "cases.h"

#include "options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct bench_group bench_groups[] = {
    { "plane", "One float plane, border wrap, H planned in advance" },
    { "rgba", "RGBA u8, border wrap, H planned in advance, conversion included" },
    { "gaussian", "Gaussian blur of 1024 x 1024 pixels, kernel side 3 to 257" },
    { "filter2d", "Kernels that are not separable, 1024 x 1024 pixels, side 3 to 129" },
    { "border", "Kernels that are not separable with OpenCV's other borders: RGBA u8, 1024 x 1024 pixels" },
    { "odd", "Sizes that are not powers of two: RGBA u8, border reflect, Gaussian of sigma 20" },
    { "sizes",
      "Transforms of the picture's own size: cameras, screens, primes. One float plane, border wrap" },
    { "layouts", "Planes against interleaved pixels, method by method, on the CPU" },
    { "photos",
      "Filters in frequency on a photograph of RGB u8, border reflect, whose gains runs sample on demand" },
    { "double", "Double precision against full precision, method by method, on the CPU. One float plane" },
    { "planner", "The planner's choice compared with every method" },
    { "plans",
      "Creating a plan: choice of method, tables, H. One float plane; one thread in processor time" },
    { "gpu", "On a GPU, timed by its clock: pictures stay in its memory" },
    { "cuda", "On a GPU through CUDA, timed by its clock: pictures stay in its memory" },
    { "gl",
      "Engines of the device gl, and the same work on the CPU: RGBA f32, border wrap, H planned in advance" },
    { "frames", "Frames of the scene, drawn and filtered: RGBA f32, border wrap" },
    { "papers", "What the four papers measured; the command 'papers' writes the page" },
    { NULL, NULL },
};

enum { SIZES_MAX = 12, SIDES_MAX = 12 };

/* Cases of one kind for each size and each side of the kernel. A zero ends a list. Names carry the size and
 * the side where there are several. */
struct series {
    const char *group, *name;
    abbe_type type;
    int channels;
    enum bench_kernel kernel;
    abbe_border border;
    abbe_method method;
    int sizes[SIZES_MAX][2];
    int sides[SIDES_MAX];
    double sigma; /* 0: a sixth of the side, so that the outermost taps are 1 % of the centre */
    enum bench_kind kind;
};

#define SQUARE(n) \
    {             \
        n, n      \
    }
#define GRID                                                                                        \
    {                                                                                               \
        SQUARE(64), SQUARE(128), SQUARE(256), SQUARE(512), SQUARE(1024), SQUARE(2048), SQUARE(4096) \
    }
#define PAYNE_SIZES                                                                   \
    {                                                                                 \
        SQUARE(64), SQUARE(128), SQUARE(256), SQUARE(512), SQUARE(1024), SQUARE(2048) \
    }
#define FIALKA_SIZES                           \
    {                                          \
        SQUARE(256), SQUARE(512), SQUARE(1024) \
    }
#define PODLOZHNYUK_SIZES                                                                               \
    {                                                                                                   \
        SQUARE(256), SQUARE(512), SQUARE(1024), SQUARE(1536), SQUARE(2048), SQUARE(2560), SQUARE(3072), \
            SQUARE(3584)                                                                                \
    }
#define PLANNED                                               \
    {                                                         \
        SQUARE(256), SQUARE(1024), SQUARE(2048), SQUARE(4096) \
    }
#define ODD                                             \
    {                                                   \
        { 2048, 2048 }, { 1920, 1080 }, { 3000, 2000 }, \
        {                                               \
            997, 991                                    \
        }                                               \
    }
#define FORMATS                                                                                         \
    {                                                                                                   \
        { 6000, 4000 }, { 5472, 3648 }, { 6048, 4024 }, { 8256, 5504 }, { 7952, 5304 }, { 9504, 6336 }, \
            { 4032, 3024 }, { 1920, 1080 }, { 1366, 768 }, { 1000, 990 },                               \
        {                                                                                               \
            997, 991                                                                                    \
        }                                                                                               \
    }
#define BLURS                            \
    {                                    \
        3, 5, 7, 9, 15, 31, 65, 129, 257 \
    }
#define KERNELS                     \
    {                               \
        3, 5, 7, 9, 15, 31, 65, 129 \
    }
#define PAYNE_SIDES                \
    {                              \
        3, 5, 7, 9, 15, 17, 19, 29 \
    }
#define FIALKA_SIDES                             \
    {                                            \
        3, 5, 9, 15, 21, 27, 33, 41, 51, 65, 101 \
    }
#define DOUBLING                      \
    {                                 \
        3, 5, 9, 17, 33, 65, 129, 257 \
    }

/* clang-format off */
/* Each method on one type and number of channels. */
#define LAYOUTS(picture, type, channels)                                                                    \
    { "layouts", "layouts-" picture "-direct", type, channels, KERNEL_RANDOM, ABBE_BORDER_REFLECT,          \
      ABBE_METHOD_DIRECT, { SQUARE(512), SQUARE(2048) }, { 3, 9 }, 0 },                                     \
    { "layouts", "layouts-" picture "-gaussian", type, channels, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT,      \
      ABBE_METHOD_SEPARABLE, { SQUARE(512), SQUARE(2048) }, { 19 }, 3 },                                    \
    { "layouts", "layouts-" picture "-disk", type, channels, KERNEL_DISK, ABBE_BORDER_WRAP,                 \
      ABBE_METHOD_FFT, { SQUARE(512), SQUARE(2048) }, { 61 }, 0 }

/* Plans for a picture of 24 megapixels. */
#define PHOTO(name, kernel, ...)                                                                            \
    { "plans", name, ABBE_F32, 1, kernel, ABBE_BORDER_WRAP, ABBE_METHOD_FFT, { { 6000, 4000 } },            \
      __VA_ARGS__, 0 }

/* Runs on such a picture, with even transforms. */
#define PHOTO_RUN(name, kernel, ...)                                                                        \
    { "photos", name, ABBE_U8, 3, kernel, ABBE_BORDER_REFLECT, ABBE_METHOD_FFT, { { 6000, 4000 } },         \
      __VA_ARGS__, 0 }

/* Cases of the papers: for each of them on the CPU, some on a GPU. */
#define PAPER(name, type, channels, kernel, method, sizes, kind, ...)                                       \
    { "papers", name, type, channels, kernel, ABBE_BORDER_WRAP, method, sizes, __VA_ARGS__, 0, kind }
#define IN_SPACE(where, picture, type, kind)                                                                \
    PAPER("fialka6" where picture "-separable", type, 1, KERNEL_GAUSSIAN, ABBE_METHOD_SEPARABLE,            \
          FIALKA_SIZES, kind, { 9, 33 }),                                                                   \
    PAPER("fialka6" where picture "-direct", type, 1, KERNEL_RANDOM, ABBE_METHOD_DIRECT, FIALKA_SIZES,      \
          kind, { 9 })

static const struct series table[] = {
    { "plane", "plane", ABBE_F32, 1, KERNEL_DISK, ABBE_BORDER_WRAP, ABBE_METHOD_FFT, GRID, { 11 }, 0 },
    { "rgba", "rgba", ABBE_U8, 4, KERNEL_DISK, ABBE_BORDER_WRAP, ABBE_METHOD_FFT, GRID, { 11 }, 0 },
    { "gaussian", "gaussian-plane", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, BLURS, 0 },
    { "gaussian", "gaussian-rgba", ABBE_U8, 4, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, BLURS, 0 },
    { "filter2d", "filter2d-plane", ABBE_F32, 1, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, KERNELS, 0 },
    { "filter2d", "filter2d-rgba", ABBE_U8, 4, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, KERNELS, 0 },
    { "border", "border-clamp", ABBE_U8, 4, KERNEL_RANDOM, ABBE_BORDER_CLAMP, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, { 31, 129 }, 0 },
    { "border", "border-mirror", ABBE_U8, 4, KERNEL_RANDOM, ABBE_BORDER_MIRROR, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, { 31, 129 }, 0 },
    { "border", "border-zero", ABBE_U8, 4, KERNEL_RANDOM, ABBE_BORDER_ZERO, ABBE_METHOD_AUTO,
      { SQUARE(1024) }, { 31, 129 }, 0 },
    { "odd", "odd", ABBE_U8, 4, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO, ODD, { 161 }, 20 },
    { "sizes", "sizes", ABBE_F32, 1, KERNEL_DISK, ABBE_BORDER_WRAP, ABBE_METHOD_FFT, FORMATS, { 11 }, 0 },
    { "double", "double-direct", ABBE_F32, 1, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_DIRECT,
      { SQUARE(512), SQUARE(2048) }, { 9 }, 0 },
    { "double", "double-gaussian", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_SEPARABLE,
      { SQUARE(512), SQUARE(2048) }, { 17 }, 2 },
    { "double", "double-disk", ABBE_F32, 1, KERNEL_DISK, ABBE_BORDER_WRAP, ABBE_METHOD_FFT,
      { SQUARE(512), SQUARE(2048) }, { 61 }, 0 },
    LAYOUTS("rgb-u8", ABBE_U8, 3),
    LAYOUTS("rgba-u8", ABBE_U8, 4),
    LAYOUTS("rgb-f32", ABBE_F32, 3),
    LAYOUTS("rgba-f32", ABBE_F32, 4),
    { "planner", "planner-plane-gauss", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      GRID, DOUBLING, 0 },
    { "planner", "planner-plane-random", ABBE_F32, 1, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      GRID, DOUBLING, 0 },
    { "planner", "planner-rgba-gauss", ABBE_U8, 4, KERNEL_GAUSSIAN, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      GRID, DOUBLING, 0 },
    { "planner", "planner-rgba-random", ABBE_U8, 4, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      GRID, DOUBLING, 0 },
    { "plans", "plan-gauss", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_BORDER_WRAP, ABBE_METHOD_FFT,
      PLANNED, { 49 }, 8 },
    { "plans", "plan-disk", ABBE_F32, 1, KERNEL_DISK, ABBE_BORDER_WRAP, ABBE_METHOD_FFT,
      PLANNED, { 81 }, 0 },
    { "plans", "plan-random", ABBE_F32, 1, KERNEL_RANDOM, ABBE_BORDER_REFLECT, ABBE_METHOD_AUTO,
      { { 1920, 1080 } }, { 31, 201 }, 0 },
    PHOTO("plan-lowpass", KERNEL_LOWPASS, { 1 }),
    PHOTO("plan-bandpass", KERNEL_BANDPASS, { 1 }),
    PHOTO("plan-notches", KERNEL_NOTCHES, { 1, 18 }),
    PHOTO("plan-butterworths", KERNEL_BUTTERWORTHS, { 1, 18 }),
    PHOTO("plan-mask", KERNEL_MASK, { 512 }),
    PHOTO_RUN("photo-lowpass", KERNEL_LOWPASS, { 1 }),
    PHOTO_RUN("photo-notches", KERNEL_NOTCHES, { 1, 18 }),
    PHOTO_RUN("photo-butterworths", KERNEL_BUTTERWORTHS, { 1, 18 }),
    PHOTO_RUN("photo-mask", KERNEL_MASK, { 512 }),
    PAPER("moreland", ABBE_F32, 4, KERNEL_DISK, ABBE_METHOD_FFT, { SQUARE(1024) }, KIND_CPU, { 11 }),
    PAPER("moreland-gpu", ABBE_F32, 4, KERNEL_DISK, ABBE_METHOD_FFT, { SQUARE(1024) }, KIND_GPU, { 11 }),
    PAPER("payne", ABBE_U8, 3, KERNEL_BOX, ABBE_METHOD_AUTO, PAYNE_SIZES, KIND_CPU, PAYNE_SIDES),
    PAPER("payne-gpu", ABBE_U8, 3, KERNEL_BOX, ABBE_METHOD_DIRECT, PAYNE_SIZES, KIND_GPU, PAYNE_SIDES),
    PAPER("payne-gpu-auto", ABBE_U8, 3, KERNEL_BOX, ABBE_METHOD_AUTO, PAYNE_SIZES, KIND_GPU, PAYNE_SIDES),
    IN_SPACE("-", "f32", ABBE_F32, KIND_CPU),
    IN_SPACE("-", "f16", ABBE_F16, KIND_CPU),
    IN_SPACE("-gpu-", "f32", ABBE_F32, KIND_GPU),
    IN_SPACE("-gpu-", "f16", ABBE_F16, KIND_GPU),
    PAPER("fialka7", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_METHOD_AUTO, FIALKA_SIZES, KIND_CPU, FIALKA_SIDES),
    PAPER("fialka7-gpu-fft", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_METHOD_FFT, FIALKA_SIZES, KIND_GPU, { 33 }),
    PAPER("fialka7-gpu-separable", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_METHOD_SEPARABLE, FIALKA_SIZES,
          KIND_GPU, FIALKA_SIDES),
    PAPER("fialka7-gpu-direct", ABBE_F32, 1, KERNEL_GAUSSIAN, ABBE_METHOD_DIRECT, FIALKA_SIZES,
          KIND_GPU, { 3, 5, 9, 15, 21 }),
    PAPER("podlozhnyuk", ABBE_F32, 1, KERNEL_DISK, ABBE_METHOD_FFT, PODLOZHNYUK_SIZES, KIND_CPU, { 7 }),
    PAPER("podlozhnyuk-gpu", ABBE_F32, 1, KERNEL_DISK, ABBE_METHOD_FFT, PODLOZHNYUK_SIZES, KIND_GPU, { 7 }),
    PAPER("podlozhnyuk-cuda", ABBE_F32, 1, KERNEL_DISK, ABBE_METHOD_FFT, PODLOZHNYUK_SIZES, KIND_CUDA, { 7 }),
};
/* clang-format on */
enum { SERIES = sizeof table / sizeof table[0] };

/* The set "quick", which also runs if the command line names no case. */
static const char *const quick[] = { "plane-256",         "plane-1024",      "rgba-1024",
                                     "gaussian-plane-31", "gaussian-rgba-9", "gaussian-rgba-129",
                                     "filter2d-plane-5",  "filter2d-rgba-31" };
enum { QUICK = sizeof quick / sizeof quick[0] };

/* ---- Cases of a GPU ------------------------------------------------------------------------------------ */

/* A disk has a real H, which the peers rely on. */
#define FOURIER(title, side_, channels_, precision_, bank_)                                             \
    {                                                                                                   \
        .name = title, .group = "gpu", .width = side_, .height = side_, .channels = channels_,          \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 11, .kind = KIND_GPU, .bank = bank_, .precision = precision_                            \
    }
#define FULL(side) FOURIER("gpu-" #side, side, 4, ABBE_PRECISION_FULL, 1)
#define HALF(side) FOURIER("gpu-half-" #side, side, 4, ABBE_PRECISION_HALF, 1)
#define RGB(side) FOURIER("gpu-rgb-" #side, side, 3, ABBE_PRECISION_FULL, 1)
#define GREY(side) FOURIER("gpu-grey-" #side, side, 1, ABBE_PRECISION_FULL, 1)
#define DIRECT(side_)                                                                               \
    {                                                                                               \
        .name = "gpu-direct-" #side_, .group = "gpu", .width = 2048, .height = 2048, .channels = 4, \
        .type = ABBE_F32, .border = ABBE_BORDER_REFLECT, .method = ABBE_METHOD_DIRECT,              \
        .kernel = KERNEL_RANDOM, .side = side_, .kind = KIND_GPU, .bank = 1                         \
    }

static const struct bench_case gpu_cases[] = {
    FULL(256),
    FULL(512),
    FULL(1024),
    FULL(2048),
    FULL(4096),
    FULL(8192),
    HALF(256),
    HALF(512),
    HALF(1024),
    HALF(2048),
    HALF(4096),
    HALF(8192),
    RGB(1024),
    RGB(2048),
    RGB(4096),
    GREY(1024),
    GREY(2048),
    GREY(4096),
    FOURIER("gpu-bank-1024", 1024, 4, ABBE_PRECISION_FULL, 8),
    { .name = "gpu-u8-1920x1080",
      .group = "gpu",
      .width = 1920,
      .height = 1080,
      .channels = 4,
      .type = ABBE_U8,
      .border = ABBE_BORDER_REFLECT,
      .method = ABBE_METHOD_AUTO,
      .kernel = KERNEL_RANDOM,
      .side = 201,
      .kind = KIND_GPU,
      .bank = 1 },
    DIRECT(3),
    DIRECT(9),
    DIRECT(15),
};
enum { GPU_CASES = sizeof gpu_cases / sizeof gpu_cases[0] };

/* ---- Cases of OpenGL ----------------------------------------------------------------------------------- */

/* The sizes are those of Moreland & Angel 2003, table 3, and
 * 2048. A disk has a real H, which the peer FFTW relies on. */
#define SIDE(title, side_, frames_)                                                                     \
    {                                                                                                   \
        .name = title "-" #side_, .group = title, .width = side_, .height = side_, .channels = 4,       \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 11, .kind = KIND_GL, .frames = frames_                                                  \
    }
#define FILTERING(side) SIDE("gl", side, false)
#define FRAMES(side) SIDE("frames", side, true)

static const struct bench_case gl_cases[] = {
    FILTERING(128), FILTERING(256), FILTERING(512), FILTERING(1024), FILTERING(2048),
    FRAMES(128),    FRAMES(256),    FRAMES(512),    FRAMES(1024),
};
enum { OPENGL_CASES = sizeof gl_cases / sizeof gl_cases[0] };

/* ---- Several filters on one forward transform, as in figure 8 of Fialka & Čadík 2006 ------------------- */

#define BANK(title, kind_, bank_)                                                                       \
    {                                                                                                   \
        .name = title "-" #bank_, .group = "papers", .width = 256, .height = 256, .channels = 1,        \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 33, .kind = kind_, .bank = bank_, .papers = true                                        \
    }
static const struct bench_case bank_cases[] = {
    BANK("fialka8", KIND_CPU, 1),     BANK("fialka8", KIND_CPU, 2),     BANK("fialka8", KIND_CPU, 4),
    BANK("fialka8", KIND_CPU, 8),     BANK("fialka8-gpu", KIND_GPU, 1), BANK("fialka8-gpu", KIND_GPU, 2),
    BANK("fialka8-gpu", KIND_GPU, 4), BANK("fialka8-gpu", KIND_GPU, 8),
};
/* Frames of the scene with the shares of drawing, arithmetic and memory: Moreland & Angel 2003, table 3. */
#define SHARES(side_)                                                                                   \
    {                                                                                                   \
        .name = "shares-" #side_, .group = "papers", .width = side_, .height = side_, .channels = 4,    \
        .type = ABBE_F32, .border = ABBE_BORDER_WRAP, .method = ABBE_METHOD_FFT, .kernel = KERNEL_DISK, \
        .side = 11, .kind = KIND_GL, .frames = true, .papers = true                                     \
    }
static const struct bench_case share_cases[] = { SHARES(128), SHARES(256), SHARES(512), SHARES(1024) };
enum { SHARE_CASES = sizeof share_cases / sizeof share_cases[0] };
enum { BANK_CASES = sizeof bank_cases / sizeof bank_cases[0] };

/* ---- From series to cases ------------------------------------------------------------------------------ */

static int count_sizes(const struct series *series)
{
    int count = 0;
    while (count < SIZES_MAX && series->sizes[count][0])
        count++;
    return count;
}

static int count_sides(const struct series *series)
{
    int count = 0;
    while (count < SIDES_MAX && series->sides[count])
        count++;
    return count;
}

static void write_name(const struct series *series, struct bench_case *out)
{
    char size[16] = "", side[16] = "";
    bool formats = !strcmp(series->group, "odd") || !strcmp(series->group, "sizes");
    bool sized = count_sizes(series) > 1 || !strcmp(series->group, "papers");
    if (sized && formats)
        snprintf(size, sizeof size, "-%dx%d", out->width, out->height);
    else if (sized)
        snprintf(size, sizeof size, "-%d", out->width);
    if (count_sides(series) > 1)
        snprintf(side, sizeof side, "-%d", out->side);
    snprintf(out->name, sizeof out->name, "%s%s%s", series->name, size, side);
}

static struct bench_case make_case(const struct series *series, int size, int side)
{
    struct bench_case out = {
        .group = series->group,
        .width = series->sizes[size][0],
        .height = series->sizes[size][1],
        .channels = series->channels,
        .type = series->type,
        .border = series->border,
        .method = series->method,
        .kernel = series->kernel,
        .side = series->sides[side],
        .sigma = series->sigma > 0 ? series->sigma : series->sides[side] / 6.0,
        .every_method = !strcmp(series->group, "planner") || !strcmp(series->name, "fialka7"),
        .kind = series->kind,
        .bank = 1,
        .papers = !strcmp(series->group, "papers"),
        .plans = !strcmp(series->group, "plans"),
        .own_size = !strcmp(series->group, "sizes"),
        .variant = !strcmp(series->group, "layouts")  ? VARIANT_PLANES
                   : !strcmp(series->group, "double") ? VARIANT_DOUBLE
                                                      : VARIANT_NONE,
    };
    write_name(series, &out);
    return out;
}

/* A case of the group gpu, as "cuda-1024" instead of "gpu-1024". */
static struct bench_case through_cuda(const struct bench_case *gpu)
{
    struct bench_case out = *gpu;
    out.group = "cuda";
    out.kind = KIND_CUDA;
    snprintf(out.name, sizeof out.name, "cuda%s", gpu->name + strlen("gpu"));
    return out;
}

struct bench_case *cases_create(size_t *count)
{
    size_t used = 0;
    size_t most = (size_t)SERIES * SIZES_MAX * SIDES_MAX + 2 * GPU_CASES + OPENGL_CASES + BANK_CASES +
                  SHARE_CASES;
    struct bench_case *cases = calloc(most, sizeof *cases);
    if (!cases)
        return NULL;
    for (int i = 0; i < SERIES; i++)
        for (int size = 0; size < count_sizes(&table[i]); size++)
            for (int side = 0; side < count_sides(&table[i]); side++)
                cases[used++] = make_case(&table[i], size, side);
    for (size_t i = 0; i < GPU_CASES; i++)
        cases[used++] = gpu_cases[i];
    for (size_t i = 0; i < GPU_CASES; i++)
        cases[used++] = through_cuda(&gpu_cases[i]);
    for (size_t i = 0; i < OPENGL_CASES; i++)
        cases[used++] = gl_cases[i];
    for (size_t i = 0; i < BANK_CASES; i++)
        cases[used++] = bank_cases[i];
    for (size_t i = 0; i < SHARE_CASES; i++)
        cases[used++] = share_cases[i];
    *count = used;
    return cases;
}

/* ---- Lookup by name ------------------------------------------------------------------------------------ */

static bool is_quick(const struct bench_case *which)
{
    for (int i = 0; i < QUICK; i++)
        if (!strcmp(which->name, quick[i]))
            return true;
    return false;
}

bool case_matches(const struct bench_case *which, const char *word)
{
    if (!strcmp(word, "all"))
        return true;
    if (!strcmp(word, "quick"))
        return is_quick(which);
    return !strcmp(word, which->group) || !fnmatch(word, which->name, 0);
}

const char *case_nearest(const struct bench_case *cases, size_t count, const char *word)
{
    static const char *const sets[] = { "all", "quick" };
    const size_t groups = sizeof bench_groups / sizeof *bench_groups; /* with the end of their list */
    const char **names = calloc(sizeof sets / sizeof *sets + groups + count, sizeof *names), *nearest = NULL;
    if (!names)
        return NULL;
    size_t used = 0;
    names[used++] = sets[0];
    names[used++] = sets[1];
    for (const struct bench_group *group = bench_groups; group->name; group++)
        names[used++] = group->name;
    for (size_t i = 0; i < count; i++)
        names[used++] = cases[i].name;
    nearest = option_nearest(word, names);
    free(names);
    return nearest;
}
