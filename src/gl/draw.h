/* What passes draw with: textures, framebuffers, programs, uniforms. The device's context is entered for all
 * of these. */
#ifndef ABBE_GL_DRAW_H
#define ABBE_GL_DRAW_H

#include "device/device.h"

#include <GLES3/gl3.h>

struct gl;

/* ---- textures.c: array textures and their framebuffers ---- */

/* Layers that one draw call writes, at most. */
enum { ABGL_LAYERS_MAX = 8 };

enum gl_format {
    ABGL_FORMAT_RGBA32F,
    ABGL_FORMAT_RGBA16F,
    ABGL_FORMAT_RGBA8,
    ABGL_FORMAT_WORDS, /* 16 bytes of a stored row in a texel (RGBA32UI) */
    ABGL_FORMAT_R32F,
    ABGL_FORMAT_RG32F
};

struct gl_shape {
    int width, height, layers; /* in texels */
    enum gl_format format;
};

struct gl_target;

struct gl_texture {
    GLuint name;
    struct gl_shape shape;
    struct gl_target *targets; /* framebuffers of ranges of its layers */
};

double gl_shape_bytes(const struct gl_shape *shape);

/* Whether the shape is within the limits of the device. */
bool gl_shape_fits(const struct gl *gl, const struct gl_shape *shape);

/* Creates a texture with undefined contents. gl_texture_destroy must follow, also after an error; with NULL
 * for `gl` when the context cannot be entered, it frees memory only and leaves the objects to the context.
 * Errors go to core_fail. */
int gl_texture_create(struct gl *gl, const struct gl_shape *shape, struct gl_texture *texture);
void gl_texture_destroy(struct gl *gl, struct gl_texture *texture);

/* Uploads rows first … first + rows − 1 of layer 0. Rows are `row_length` texels apart in memory; 0: the
 * width. */
void gl_texture_fill(struct gl *gl, const struct gl_texture *texture, int first, int rows, int row_length,
                     const void *texels);

/* Creates a framebuffer of layers first … first + count − 1, unless the texture has it. Errors go to
 * core_fail. */
int gl_target_create(struct gl *gl, struct gl_texture *texture, int first, int count);

/* Lets the following draw calls write these layers, for which gl_target_create was called. */
void gl_target_bind(struct gl *gl, const struct gl_texture *texture, int first, int count);

/* ---- programs.c ---- */

/* Fragment shaders, and their files in shaders/gl. */
#define ABGL_SHADER_FILES(DO)                \
    DO(LOAD, load)                           \
    DO(STEP, step)                           \
    DO(SUM, sum)                             \
    DO(COPY, copy)                           \
    DO(FINISH, finish)                       \
    DO(DIRECT, direct)                       \
    DO(SEPARABLE_ROWS, separable_rows)       \
    DO(SEPARABLE_COLUMNS, separable_columns) \
    DO(FIALKA, fialka)                       \
    DO(MULTIPLY, multiply)                   \
    DO(MORELAND_FFT, moreland_fft)           \
    DO(MORELAND_UNTANGLE, moreland_untangle) \
    DO(MORELAND_SCALE, moreland_scale)       \
    DO(MORELAND_TANGLE, moreland_tangle)     \
    DO(MORELAND_PASS, moreland_pass)         \
    DO(MORELAND_MULTIPLY, moreland_multiply)

#define ABGL_SHADER_NAME(name, file) ABGL_SHADER_##name,
enum gl_shader { ABGL_SHADER_FILES(ABGL_SHADER_NAME) ABGL_SHADERS };
#undef ABGL_SHADER_NAME

/* Text and file names of the fragment shaders, and the one vertex shader, embedded by the build. */
extern const char *const gl_shader_texts[ABGL_SHADERS], *const gl_shader_names[ABGL_SHADERS];
extern const char *const gl_vertex_text;

/* Every uniform of every shader. */
#define ABGL_UNIFORMS(DO)    \
    DO(accumulates)          \
    DO(alpha_gain)           \
    DO(array)                \
    DO(border)               \
    DO(bottom_up)            \
    DO(butterflies)          \
    DO(channels)             \
    DO(components)           \
    DO(direction)            \
    DO(first_row)            \
    DO(flags)                \
    DO(grid)                 \
    DO(grid_size)            \
    DO(group)                \
    DO(groups)               \
    DO(last_butterflies)     \
    DO(last_rows)            \
    DO(last_step)            \
    DO(layers)               \
    DO(lines)                \
    DO(lookup)               \
    DO(offset)               \
    DO(origin)               \
    DO(others)               \
    DO(outside)              \
    DO(partitions)           \
    DO(picture)              \
    DO(tap_box)              \
    DO(previous_butterflies) \
    DO(previous_rows)        \
    DO(previous_span)        \
    DO(radix)                \
    DO(reach)                \
    DO(read_first)           \
    DO(region_first)         \
    DO(result_type)          \
    DO(results)              \
    DO(rows)                 \
    DO(scale)                \
    DO(size)                 \
    DO(source)               \
    DO(source_first)         \
    DO(source_type)          \
    DO(span)                 \
    DO(spectrum)             \
    DO(step_number)          \
    DO(sums)                 \
    DO(texels)               \
    DO(tile_step)            \
    DO(tiles)                \
    DO(tiles_across)         \
    DO(tiles_per_texel)      \
    DO(twiddles)             \
    DO(window)               \
    DO(window_count)         \
    DO(window_first)

#define ABGL_UNIFORM_NAME(name) ABGL_UNIFORM_##name,
enum gl_uniform { ABGL_UNIFORMS(ABGL_UNIFORM_NAME) ABGL_UNIFORM_COUNT };
#undef ABGL_UNIFORM_NAME

enum { ABGL_DEFINES_MAX = 256 };

struct gl_program {
    struct gl_program *next;
    enum gl_shader shader;
    char defines[ABGL_DEFINES_MAX];
    GLuint name;
    GLint locations[ABGL_UNIFORM_COUNT]; /* −1: the program does not use it */
};

/* Where the pictures of a run are: views in memory, or textures of the application. */
enum gl_picture_kind { ABGL_VIEWS, ABGL_TEXTURES, ABGL_KINDS };

/* #define lines for shaders that include source.glsl, and for finish.frag. */
struct gl_defines {
    char text[128];
};
struct gl_defines gl_source_defines(const struct work *work, enum gl_picture_kind kind);
struct gl_defines gl_finish_defines(const struct work *work, enum gl_picture_kind kind);

/* Gets a shader with #define lines, formatted as by printf, in front of it. It is compiled the first time and
 * kept until the device closes. Errors go to core_fail. */
int gl_program_get(struct gl *gl, enum gl_shader shader, const struct gl_program **program,
                   const char *defines, ...) __attribute__((format(printf, 4, 5)));

/* Frees all programs; deletes the objects if the context is entered. */
void gl_programs_destroy(struct gl *gl, bool entered);

/* ---- draw.c ---- */

/* Makes a program current, to which the following calls apply. */
void gl_use_program(struct gl *gl, const struct gl_program *program);

/* Texture units that a program uses, at most. Textures take units in the order in which they are set. */
enum { ABGL_UNITS = 4 };
void gl_set_texture(struct gl *gl, enum gl_uniform uniform, const struct gl_texture *texture);
void gl_set_application_texture(struct gl *gl, enum gl_uniform uniform, GLuint texture);

/* Set a uniform; those that the program does not use are ignored. */
void gl_set_int(struct gl *gl, enum gl_uniform uniform, int value);
void gl_set_ints(struct gl *gl, enum gl_uniform uniform, int x, int y);
void gl_set_float(struct gl *gl, enum gl_uniform uniform, float value);

/* Draws a rectangle of the bound target and counts its fragments. Draws nothing if it is empty. */
void gl_draw(struct gl *gl, int x, int y, int width, int height);

/* Reports the first error of OpenGL since the last call; `what` names what was being done. Errors go to
 * core_fail. */
int gl_check(struct gl *gl, const char *what);

#endif
