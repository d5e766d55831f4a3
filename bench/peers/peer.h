/* What can be measured: Abbe itself, and the libraries people would use instead. One table of functions
 * each. */
#ifndef ABBE_BENCH_PEER_H
#define ABBE_BENCH_PEER_H

#include "../cases.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work, the same for every contender of a case. All of it outlives the contender's state. */
struct peer_work {
    const struct bench_case *what;
    const struct peer *who;
    const char *device; /* Abbe's */
    abbe_method method; /* Abbe's */
    int threads;
    const abbe_filter *filter;
    const abbe_matrix *taps; /* the filter's, to be convolved with; centre at width / 2, height / 2 */
    const abbe_image *source;
    const abbe_image *result; /* what run() writes */
};

enum { PEER_DETAIL = 48, PEER_PROBLEM = 200 };

/* What prepare() tells. */
struct peer_note {
    char detail[PEER_DETAIL];   /* how it does the work: "tiles 256 x 256", "patient plan" */
    char problem[PEER_PROBLEM]; /* why it cannot */
    abbe_method method;         /* Abbe's choice, */
    double predicted;           /* and its price in seconds */
};

/* Clocks of an idle GPU rise within a tenth of a second of work. */
#define PEER_WARM_UP 0.15

struct peer {
    const char *name;
    const char
        *absent; /* the Debian package it was built without; NULL: it is there, and so are the functions */
    void (*version)(char *text, size_t size);
    bool (*suits)(const struct bench_case *what);
    /* Everything that does not depend on pixels. false: `note->problem` says why, and nothing is left
     * behind. */
    bool (*prepare)(const struct peer_work *work, void **state, struct peer_note *note);
    /* Filters the source into the result: what is timed. NULL, or why it failed. */
    const char *(*run)(void *state);
    void (*destroy)(void *state);
    /* Seconds of one filtering by the clock of the device that does it, or of what else is timed; where there is none,
     * run() is timed. NULL, or why it failed. */
    const char *(*time)(void *state, double *seconds);
    bool gpu;           /* takes part in the cases of a GPU, and in no others */
    bool own;           /* Abbe itself */
    bool floor;         /* does less than the work: what nobody can beat, and no result to check */
    double warm_up;     /* seconds of work before it is timed */
    const char *engine; /* of the device gl, for those who work on its textures */
};

extern const struct peer peer_abbe, peer_fftw, peer_opencv, peer_cufft, peer_vkfft;

/* Abbe, of which the making of plans is timed. */
extern const struct peer peer_abbe_plans;

/* On a GPU: Abbe, the same with one filter in full precision, plain copies of the picture. */
extern const struct peer peer_gpu_abbe, peer_gpu_plain, peer_gpu_copy;

/* On OpenGL: the three engines from texture to texture, the first of them from memory to memory, and the CPU. */
extern const struct peer peer_gl_fast, peer_gl_fialka, peer_gl_moreland, peer_gl_copies, peer_gl_cpu;

/* A frame of the scene, drawn and filtered, by the engines and by the CPU; the scene alone. */
extern const struct peer peer_frames_fast, peer_frames_fialka, peer_frames_moreland, peer_frames_cpu,
    peer_frames_scene;

/* Whether there is a GPU of this name (Abbe's: "vulkan", "vulkan:1", …); else `problem` says why not. */
bool gpu_check(const char *device, char *problem, size_t size);

/* The same of OpenGL ("gl", "gl:llvmpipe", …). */
bool opengl_check(const char *device, char *problem, size_t size);

/* peer_abbe's prepare(), on the device of this name instead of the work's. */
bool peer_abbe_prepare(const struct peer_work *work, const char *device, void **state,
                       struct peer_note *note);

/* Writes the method of one of Abbe's plans, and its price. */
void peer_explain(const abbe_plan *plan, struct peer_note *note);

/* The peers without Abbe; ends with NULL. */
extern const struct peer *const bench_peers[];

#ifdef __cplusplus
}
#endif

#endif
