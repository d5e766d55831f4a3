/* A peer is a library that can be timed, Abbe included: a table of functions. */
#ifndef ABBE_BENCH_PEER_H
#define ABBE_BENCH_PEER_H

#include "../cases.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work of a case, the same for all contenders except
 * for `peer` and `method`. It outlives their states. */
struct peer_work {
    const struct bench_case *what;
    const struct peer *peer;
    const char *device; /* of Abbe */
    abbe_method method; /* of Abbe */
    int threads;
    const abbe_filter *filter;
    const abbe_matrix *taps; /* the filter's taps, to be convolved with; centre at width / 2, height / 2 */
    const abbe_image *source;
    const abbe_image *result; /* written by run() */
};

enum { PEER_DETAIL = 48, PEER_PROBLEM = 200 };

/* Filled in by prepare(). */
struct peer_note {
    char detail[PEER_DETAIL];   /* method or kind of plan: "tiles 256x256", "patient plan" */
    char problem[PEER_PROBLEM]; /* why it failed */
    abbe_method method;         /* of Abbe: the chosen method */
    double predicted;           /* of Abbe: its price in seconds */
    bool unchecked; /* run() would take too long: it is not called, and the result is not checked */
};

/* Seconds; the clock frequencies of an idle GPU rise within a tenth of a second of work. */
#define PEER_WARM_UP 0.15

struct peer {
    const char *name;
    /* The Debian package that was missing from the build; NULL if the peer
     * is present. The functions of an absent peer must not be called. */
    const char *absent;
    void (*version)(char *text, size_t size);
    bool (*suits)(const struct bench_case *what);
    /* Does everything that does not depend on pixels. Returns false on failure: `note->problem` has the
     * cause, and nothing is left allocated. */
    bool (*prepare)(const struct peer_work *work, void **state, struct peer_note *note);
    /* Filters the source into the result. Returns NULL, or why it failed. */
    const char *(*run)(void *state);
    void (*destroy)(void *state);
    /* Measures the seconds of one run by the device's clock, or of the work that is timed instead. If NULL,
     * the benchmark times run(). Returns NULL, or why it failed. */
    const char *(*time)(void *state, double *seconds);
    bool gpu;           /* takes part in cases of KIND_GPU only, else in all other cases */
    bool own;           /* Abbe itself */
    bool floor;         /* a lower bound that does not do the work: its result is not checked */
    double warm_up;     /* seconds of work before timing starts */
    const char *engine; /* of the device gl, for contenders that filter textures; else NULL */
    /* Replaces OpenGL's functions for the engine; see gl/ledger.h. NULL: they are called as they are. */
    void (*(*look_up)(const char *name))(void);
};

extern const struct peer peer_abbe, peer_fftw, peer_opencv, peer_cufft, peer_vkfft;

/* Abbe; times the creation of plans. */
extern const struct peer peer_abbe_plans;

/* Abbe on planes: source and result have each channel for itself. */
extern const struct peer peer_abbe_planes;

/* Loops as in figure 3 of Payne et al. 2005. */
extern const struct peer peer_naive;

/* Abbe in double precision. */
extern const struct peer peer_abbe_double;

/* On a GPU: Abbe, Abbe with one filter in full precision, copies of the picture. */
extern const struct peer peer_gpu_abbe, peer_gpu_basic, peer_gpu_copy;

/* Abbe on Vulkan, in cases of CUDA. */
extern const struct peer peer_gpu_beside;

/* On CUDA: Abbe, copies of the picture. */
extern const struct peer peer_cuda_abbe, peer_cuda_copy;

/* Copies of the picture as floats that move as many bytes as a case must: a Fourier filter has three passes,
 * each of which reads and writes every pixel once. Half precision between the passes and 8-bit pixels at the
 * ends reduce the number, a bank increases it. */
double peer_count_copies(const struct bench_case *what);

/* On OpenGL: the three engines from texture to texture, the first of them from memory to memory; the CPU. */
extern const struct peer peer_gl_fast, peer_gl_fialka, peer_gl_moreland, peer_gl_copies, peer_gl_cpu;

/* Frames of the scene: drawn and filtered by the engines and by the CPU; drawn only. */
extern const struct peer peer_frames_fast, peer_frames_fialka, peer_frames_moreland, peer_frames_cpu,
    peer_frames_scene;

/* Frames whose shaders lack their look-ups or everything but their outputs: what remains tells the shares. */
extern const struct peer peer_frames_moreland_blind, peer_frames_moreland_idle, peer_frames_fast_blind,
    peer_frames_fast_idle;

/* Tells whether the GPU with this name of Abbe's device ("vulkan",
 * "vulkan:1", …) can be used; if not, `problem` has the cause. */
bool gpu_check(const char *device, char *problem, size_t size);

/* The same for Abbe's device "cuda". */
bool cuda_check(const char *device, char *problem, size_t size);

/* The same for OpenGL ("gl", "gl:llvmpipe", …). On success `problem` has the driver's name. */
bool opengl_check(const char *device, char *problem, size_t size);

/* prepare() of peer_abbe on the named device instead of the work's device. */
bool peer_abbe_prepare(const struct peer_work *work, const char *device, void **state,
                       struct peer_note *note);

/* Notes the method of a plan and its price. */
void peer_explain(const abbe_plan *plan, struct peer_note *note);

/* peers.c: all other libraries; ends with NULL. */
extern const struct peer *const bench_peers[];

#ifdef __cplusplus
}
#endif

#endif
