/* What the GL device prepares for a work: its geometry, spectra or taps, programs, and the textures of a
 * run. */
#ifndef ABBE_GL_ENGINE_H
#define ABBE_GL_ENGINE_H

#include "gl/gl.h"

/* ---- lengths.c: the steps of the fast engine's transforms ---- */

enum { ABGL_STEPS_MAX = 32 };

/* Finds the radices of a transform and returns their number: few and large ones for a product of 2, 3 and 5;
 * prime factors (and 4) for a transform by definition. */
int gl_length_radices(const struct gl *gl, int length, bool by_definition, int radices[ABGL_STEPS_MAX]);

/* Whether a length is a product of 2, 3 and 5; whether it is a power of two and at least 2. */
bool gl_length_is_smooth(int length);
bool gl_length_is_power(int length);

/* ---- geometry.c ---- */

/* Quads of taps that one pass of a convolution in space takes, at most: the size of the uniform block in
 * taps.glsl. */
enum { ABGL_PASS_TAPS = 1024 };

/* How a picture is divided, and the textures of a run. */
struct gl_geometry {
    bool fourier; /* FFT or TILES */
    enum gl_engine engine;
    int groups;             /* of four channels */
    int region_x, region_y; /* pixels of a region's results */
    int source_x, source_y; /* pixels of its source */
    int window_x, window_y; /* pixels that its results read */
    int tiles;              /* of a region */
    int tiles_per_texel;    /* pixels of one or two channels leave room for more tiles in a texel */
    int windows, batch;     /* of a region; of one pass */
    bool copies_windows;    /* results of windows are copied to where they belong in the region */
    bool by_definition;     /* FAST: every step is a sum by the definition of the transform */
    int layers;             /* FAST: results that a step writes at once, at most */
    bool sliced;            /* FAST: some step has more results than layers */
    struct gl_shape source, result, window, grid, filtered, sum, row_sum;
    int grid_count, filtered_count, sum_count, row_sum_count; /* textures of these shapes */
    double texture_bytes; /* of a run's textures; infinite when no region fits */
    double staging_bytes; /* of a run's memory on the host */
    double engine_bytes;  /* of what the engine keeps, and needs while it is created */
};

/* Plans a geometry for work->memory bytes. Returns NULL, or the reason why the device cannot take the
 * work. */
const char *gl_geometry_plan(const struct gl *gl, const struct work *work, struct gl_geometry *geometry);

/* Bytes that one run takes. */
double gl_geometry_run(const struct gl_geometry *geometry);

/* The engine for a work: the engines of 2003 and 2006 transform powers of two only, the fast engine takes all
 * other lengths. */
enum gl_engine gl_choose_engine(const struct gl *gl, const struct work *work);

/* Tiles in the channels of a texel, for a region of that many tiles. */
int gl_tiles_per_texel(const struct work *work, double tiles);

/* FAST: rows of texels that one slice of a step's results takes, for that many windows. */
int gl_slice_rows(const struct work *work, int windows, int radix);

/* ---- engine.c ---- */

enum { ABGL_GRIDS_MAX = 4, ABGL_PROGRAMS_MAX = 32 };

/* FROM of shaders/gl/inputs.glsl. */
enum gl_from { ABGL_FROM_SOURCE, ABGL_FROM_SAME, ABGL_FROM_OTHER, ABGL_FROM_SPECTRUM };

/* READ of shaders/gl/read.glsl. */
enum gl_read { ABGL_READ_FLAT, ABGL_READ_ROWS, ABGL_READ_WINDOWS, ABGL_READ_GRID };

/* One step of the fast engine's transforms; the fields are explained in shaders/gl/inputs.glsl. */
struct gl_step {
    bool down; /* along columns */
    enum gl_from from;
    int radix, butterflies, span;
    int previous_radix, previous_butterflies, previous_span;
    const struct gl_program *programs[ABGL_LAYERS_MAX]; /* one for each slice of results */
};

/* One pass of a convolution in space: a rectangle of the texels that a kernel reads, which are counted from
 * the first one, with the taps that apply to them. */
struct gl_kernel_pass {
    int component;
    bool across;      /* SEPARABLE: along rows */
    bool accumulates; /* adds to the sums of the pass before */
    bool last;        /* of its component */
    int column, row, column_end, row_end;
    int reach_x, reach_y; /* offset of the first texel that the kernel reads from the place of the result */
};

/* Programs that read pictures, and the one that writes them. */
struct gl_picture_programs {
    const struct gl_program *load, *finish;
    const struct gl_program *first[ABGL_LAYERS_MAX]; /* FAST: of the first step */
};

struct engine {
    const struct work *work;
    struct gl_geometry geometry;
    struct gl_picture_programs picture_programs[ABGL_KINDS];
    /* Kinds of pictures: textures only in an adopted context and with a format for the types of the plan. */
    int kinds;
    const struct gl_program *copy;
    /* space.c, fialka.c and moreland.c define the indices. */
    const struct gl_program *programs[ABGL_PROGRAMS_MAX];
    int forward_count, back_count;
    struct gl_step forward[ABGL_STEPS_MAX], back[ABGL_STEPS_MAX]; /* FAST */
    struct gl_texture twiddles[2];                                /* of rows, of columns */
    struct gl_texture lookups[2];                                 /* FIALKA: of rows, of columns */
    struct gl_texture *spectra;                                   /* one for each filter */
    GLuint taps; /* uniform buffer with ABGL_PASS_TAPS quads for each kernel pass */
    struct gl_kernel_pass *kernel_passes;
    int *first_kernel_pass; /* of each result, and one past the last */
    /* Resources of a run: created by the first run and kept for the next ones. `host_ready` is about source,
     * result and staging, which only runs on views need. */
    bool ready, host_ready;
    struct gl_texture source, result, window, grids[ABGL_GRIDS_MAX], *filtered, sums[2], row_sums[2];
    void *staging;
};

int gl_engine_create(abbe_device *device, const struct work *work, struct engine **engine);
void gl_engine_destroy(abbe_device *device, struct engine *engine);

/* Creates the resources of a run, unless they exist. Errors go to core_fail. */
int gl_engine_prepare(struct gl *gl, struct engine *engine, enum gl_picture_kind kind);

/* ---- spectra.c, kernels.c: data of the filters ---- */

int gl_spectra_create(struct gl *gl, struct engine *engine);
int gl_kernels_create(struct gl *gl, struct engine *engine);

/* ---- fast.c, fialka.c, moreland.c: programs and tables of the three engines ---- */

int gl_fast_create(struct gl *gl, struct engine *engine);
int gl_fialka_create(struct gl *gl, struct engine *engine);
int gl_moreland_create(struct gl *gl, struct engine *engine);

#endif
