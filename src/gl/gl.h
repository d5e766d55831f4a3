/* The GL device: its context, its limits and its prices.
 *
 * It draws with OpenGL ES 3.0 and float render targets and needs nothing else, so that WebGL 2 can run the
 * same code. */
#ifndef ABBE_GL_GL_H
#define ABBE_GL_GL_H

#include "core/lock.h"
#include "device/device.h"
#include "gl/draw.h"
#include "gl/functions.h"

/* The three ways to compute a Fourier transform; see docs/gl.md. */
enum gl_engine { ABGL_FAST, ABGL_FIALKA, ABGL_MORELAND };

/* Parameters from the name of a device: "moreland:f16:llvmpipe" is gl_params_read's argument for
 * "gl:moreland:f16:…". */
struct gl_params {
    enum gl_engine engine;
    bool half;     /* textures of 16 bits per channel instead of 32 */
    char name[64]; /* part of the renderer's or vendor's name, or a number; empty: the first GPU */
};

struct gl_egl;
struct gl_adopted;

struct gl {
    struct abbe_device head;
    struct gl_egl *egl;         /* a context that the device opened itself, or NULL */
    struct gl_adopted *adopted; /* a context that belongs to the application, or NULL */
    struct gl_functions f;
    struct core_lock lock; /* held between gl_enter and gl_leave */
    struct gl_params params;
    enum gl_format format; /* of textures that hold pixels or spectra of pixels between passes */
    bool software;         /* the driver runs on the CPU */
    bool checks_passes;    /* glGetError is called after every draw call */
    int debug_messages;    /* messages of the driver of severity medium or high, with ABBE_GL_VALIDATE */
    int texture_max, layers_max, draw_buffers; /* limits of the driver */
    char limit_text[128];                      /* why a picture beyond the largest texture is refused */
    struct gl_program *programs;               /* compiled so far */
    const struct gl_program *current;          /* in use */
    int units;                                 /* texture units that the current program has used */
    GLenum failed;                             /* first error of OpenGL that gl_check has not reported */
    const char *failed_at;                     /* what was being done */
    double fragments[ABGL_SHADERS];            /* fragments drawn by each shader; tests count them */
};

/* ---- device.c ---- */

/* Creates a device without a context; NULL when memory is full. */
struct gl *gl_create(void);

/* Frees a device, whose context need not be current. Objects in an adopted context are left to it. NULL is
 * allowed. */
void gl_free(struct gl *gl);

/* Reads an engine, a precision and a GPU's name from words separated by ':', in any order; each may be
 * missing. Errors go to core_fail(NULL, …). */
int gl_params_read(const char *words, struct gl_params *params);

/* ---- context.c: what the device needs of any context ---- */

/* Whether an environment variable is set to something other than "" and "0". */
bool gl_variable_is_set(const char *variable);

/* Makes the device's context current to the calling thread, and waits for other threads to leave it. gl_leave
 * restores what was current before or, in an adopted context, the application's state. Errors go to
 * core_fail(gl, …). */
int gl_enter(struct gl *gl);
void gl_leave(struct gl *gl);

/* Finds a function of OpenGL by its name, or returns NULL. */
typedef void (*gl_function)(void);
typedef gl_function (*gl_finder)(void *user, const char *name);

/* Fills gl->f. Returns NULL, or the name of a function that is missing. */
const char *gl_load_functions(struct gl *gl, gl_finder find, void *user);

/* Whether a list of words separated by spaces contains a word. */
bool gl_list_contains(const char *list, const char *word);

/* Whether the renderer of the current context is a known software driver. */
bool gl_is_software(const struct gl *gl);

/* Checks that the current context, of OpenGL ES, has float render targets. Errors go to core_fail(NULL,
 * …). */
int gl_check_targets(const struct gl *gl);

/* Prints messages of the driver to standard error from now on. Errors go to core_fail(NULL, …). */
int gl_watch_driver(struct gl *gl, gl_finder find, void *user);

/* Reads the limits of the current context and fills gl->head. */
void gl_describe(struct gl *gl, const abbe_device_params *params);

/* ---- egl.c: a context that the device opens itself ---- */

/* Opens the context that gl->params asks for and fills gl->f. The context is then entered, as by gl_enter.
 * gl_egl_close must follow, also after an error. Errors go to core_fail(NULL, …). */
int gl_egl_open(struct gl *gl);
void gl_egl_close(struct gl *gl);

/* device_table.list */
int gl_list(struct adapter_list *list);

/* Make the context current, and restore what was current before. gl->lock is held. */
int gl_egl_enter(struct gl *gl);
void gl_egl_leave(struct gl *gl);

/* ---- adopted.c: a context that belongs to the application ---- */

/* Check that the context is current and save its state, and restore that state. gl->lock is held. */
int gl_adopted_enter(struct gl *gl);
void gl_adopted_leave(struct gl *gl);

/* Deletes the device's own objects in the context, which is entered. */
void gl_adopted_close(struct gl *gl);

/* ---- prices.c ---- */

enum { ABGL_CHARGES = 8, ABGL_SPECTRUM_CHARGE = 7 };
extern const char *const gl_charge_names[];

/* Sets the seconds per unit: built in, or measured ones where the machine has a file of them. */
void gl_set_prices(bool software, abbe_device *device);
void gl_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

#endif
