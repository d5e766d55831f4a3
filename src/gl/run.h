/* A run of the GL device: regions one after the other, each filtered in the Fourier plane or in space. */
#ifndef ABBE_GL_RUN_H
#define ABBE_GL_RUN_H

#include "device/pedestal.h"
#include "device/regions.h"
#include "gl/engine.h"

/* ---- run.c ---- */

/* One region while it is filtered. */
struct gl_region {
    struct gl *gl;
    struct engine *engine;
    struct region_span x, y;
    enum gl_picture_kind kind;
    const abbe_image *results;     /* VIEWS */
    struct pedestal pedestal;      /* VIEWS */
    GLuint source_texture;         /* TEXTURES */
    const GLuint *result_textures; /* TEXTURES */
    bool bottom_up;                /* TEXTURES: their first row is the picture's last */
    struct watch *watch;
    int number, count; /* of this region, and of all */
    double done;       /* the part of the run whose results are finished */
    bool stopped;      /* the application has stopped the run */
    double time;       /* when the last pass ended, in seconds */
};

/* Whether one region is the whole picture. */
bool gl_is_whole(const struct engine *engine);

int gl_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, struct watch *watch);

/* Filters region (column, row). VIEWS: uploads it from `source` first. Errors go to core_fail, except
 * ABBE_ERR_CANCELLED. */
int gl_run_region(struct gl_region *region, int column, int row, const abbe_image *source);

/* Adds the time since the last pass to the pass of that name, if the run is watched, and calls the
 * application, which may set region->stopped. */
void gl_pass_end(struct gl_region *region, const char *name);

/* Set the uniforms of source.glsl; and of windows.glsl, where `first` is the first window of the pass. */
void gl_set_source(const struct gl_region *region);
void gl_set_windows(const struct gl_region *region, int first);

/* Draws a window of the source into layer 0 of a texture. */
void gl_load_window(const struct gl_region *region, int window, const struct gl_texture *to);

/* Draws result r from its filtered components and downloads it (VIEWS). `second` is ignored for results of
 * one component and may be NULL then. Errors go to core_fail, except ABBE_ERR_CANCELLED: the run was stopped
 * before the download. */
int gl_finish(struct gl_region *region, int r, const struct gl_texture *first,
              const struct gl_texture *second);

/* ---- filter_textures.c ---- */

/* Lets the following draw calls write a texture of the application. Errors go to core_fail. */
int gl_bind_result_texture(struct gl *gl, GLuint texture);

/* ---- space.c, fourier.c: the methods ---- */

int gl_run_space(struct gl_region *region);
int gl_run_fourier(struct gl_region *region);

/* Returns the number of a grid other than a, b and c, which a pass may write. −1 stands for no grid. */
int gl_free_grid(const struct engine *engine, int a, int b, int c);

/* ---- fast.c, fialka.c, moreland.c: transforms ----
 *
 * A forward transform returns the number of the grid that it ends in. A filter multiplies grid `from` by its
 * spectrum, transforms it back and returns the number of the grid that it ends in; it leaves `from` alone if
 * the bank has other filters that read it, and `kept` in any case. The fast engine takes several windows at
 * once, the others one. */

int gl_fast_forward(struct gl_region *region, int first, int count);
int gl_fast_filter(struct gl_region *region, int filter, int from, int kept, int count);

/* Sets the uniforms of read.glsl that describe where the results of that many windows are. */
void gl_fast_set_read(const struct gl_region *region, int count);

int gl_fialka_forward(struct gl_region *region, int window);
int gl_fialka_filter(struct gl_region *region, int filter, int from, int kept);

int gl_moreland_forward(struct gl_region *region, int window);
int gl_moreland_filter(struct gl_region *region, int filter, int from, int kept);

#endif
