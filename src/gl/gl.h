/* The GL device: what its files share. OpenGL ES 3.0 with float render targets and nothing else, so that the same code
 * runs in a browser. */
#ifndef ABBE_GL_GL_H
#define ABBE_GL_GL_H

#include "device/device.h"
#include "device/regions.h"

#include <GLES3/gl3.h>
#include <pthread.h>

/* ---- Functions of OpenGL ES 3.0, found at run time ---- */

#define GL_FUNCTIONS(DO)                                 \
    DO(ACTIVETEXTURE, ActiveTexture)                     \
    DO(ATTACHSHADER, AttachShader)                       \
    DO(BINDBUFFER, BindBuffer)                           \
    DO(BINDBUFFERBASE, BindBufferBase)                   \
    DO(BINDBUFFERRANGE, BindBufferRange)                 \
    DO(BINDFRAMEBUFFER, BindFramebuffer)                 \
    DO(BINDSAMPLER, BindSampler)                         \
    DO(BINDTEXTURE, BindTexture)                         \
    DO(BINDVERTEXARRAY, BindVertexArray)                 \
    DO(BUFFERDATA, BufferData)                           \
    DO(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus)   \
    DO(COLORMASK, ColorMask)                             \
    DO(COMPILESHADER, CompileShader)                     \
    DO(CREATEPROGRAM, CreateProgram)                     \
    DO(CREATESHADER, CreateShader)                       \
    DO(DELETEBUFFERS, DeleteBuffers)                     \
    DO(DELETEFRAMEBUFFERS, DeleteFramebuffers)           \
    DO(DELETEPROGRAM, DeleteProgram)                     \
    DO(DELETESAMPLERS, DeleteSamplers)                   \
    DO(DELETESHADER, DeleteShader)                       \
    DO(DELETETEXTURES, DeleteTextures)                   \
    DO(DELETEVERTEXARRAYS, DeleteVertexArrays)           \
    DO(DISABLE, Disable)                                 \
    DO(DRAWARRAYS, DrawArrays)                           \
    DO(DRAWBUFFERS, DrawBuffers)                         \
    DO(ENABLE, Enable)                                   \
    DO(FINISH, Finish)                                   \
    DO(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D)       \
    DO(FRAMEBUFFERTEXTURELAYER, FramebufferTextureLayer) \
    DO(GENBUFFERS, GenBuffers)                           \
    DO(GENFRAMEBUFFERS, GenFramebuffers)                 \
    DO(GENSAMPLERS, GenSamplers)                         \
    DO(GENTEXTURES, GenTextures)                         \
    DO(GENVERTEXARRAYS, GenVertexArrays)                 \
    DO(GETBOOLEANV, GetBooleanv)                         \
    DO(GETERROR, GetError)                               \
    DO(GETINTEGER64I_V, GetInteger64i_v)                 \
    DO(GETINTEGERI_V, GetIntegeri_v)                     \
    DO(GETINTEGERV, GetIntegerv)                         \
    DO(GETPROGRAMINFOLOG, GetProgramInfoLog)             \
    DO(GETPROGRAMIV, GetProgramiv)                       \
    DO(GETSHADERINFOLOG, GetShaderInfoLog)               \
    DO(GETSHADERIV, GetShaderiv)                         \
    DO(GETSTRING, GetString)                             \
    DO(GETUNIFORMBLOCKINDEX, GetUniformBlockIndex)       \
    DO(GETUNIFORMLOCATION, GetUniformLocation)           \
    DO(ISENABLED, IsEnabled)                             \
    DO(ISTEXTURE, IsTexture)                             \
    DO(LINKPROGRAM, LinkProgram)                         \
    DO(PIXELSTOREI, PixelStorei)                         \
    DO(READPIXELS, ReadPixels)                           \
    DO(SAMPLERPARAMETERI, SamplerParameteri)             \
    DO(SHADERSOURCE, ShaderSource)                       \
    DO(TEXPARAMETERI, TexParameteri)                     \
    DO(TEXSTORAGE3D, TexStorage3D)                       \
    DO(TEXSUBIMAGE3D, TexSubImage3D)                     \
    DO(UNIFORM1F, Uniform1f)                             \
    DO(UNIFORM1I, Uniform1i)                             \
    DO(UNIFORM2F, Uniform2f)                             \
    DO(UNIFORM2I, Uniform2i)                             \
    DO(UNIFORM4I, Uniform4i)                             \
    DO(UNIFORMBLOCKBINDING, UniformBlockBinding)         \
    DO(USEPROGRAM, UseProgram)                           \
    DO(VIEWPORT, Viewport)

#define GL_FIELD(type, name) PFNGL##type##PROC name;
struct gl_functions {
    GL_FUNCTIONS(GL_FIELD)
};
#undef GL_FIELD

struct gl;

/* ---- context.c: where OpenGL ES comes from ---- */

struct gl_context;

/* What a device's name asks for behind "gl:". */
enum gl_engine { GL_FAST, GL_FIALKA, GL_MORELAND };
struct gl_wishes {
    enum gl_engine engine;
    bool half;     /* textures of 16 bits instead of 32 */
    char name[64]; /* part of a renderer's name, or a number; empty: the best */
};

/* Finds a display and a context that is enough, and fills gl->f; has entered it when it succeeds. Records a sentence.
 * gl_context_close must follow in any case. */
int gl_context_open(struct gl *gl, const struct gl_wishes *wishes);
void gl_context_close(struct gl *gl);

/* One thread at a time has the context; what it had before comes back when it leaves. Records a sentence. */
int gl_enter(struct gl *gl);
void gl_leave(struct gl *gl);

/* Of the context that is current: whether no GPU is behind it; whether it draws into floats. Records a sentence. */
bool gl_is_software(const struct gl *gl);
int gl_check_targets(const struct gl *gl);

/* ---- guest.c: a program's own context ---- */

struct gl_guest;

/* What gl_enter and gl_leave do there: the context is current, and its state comes back. */
int gl_guest_enter(struct gl *gl);
void gl_guest_leave(struct gl *gl);

/* Deletes what was made in it; somebody has entered. */
void gl_guest_close(struct gl *gl);

/* ---- textures.c ---- */

enum { GL_LAYERS_MAX = 8 }; /* that are drawn to at once */

enum gl_format {
    GL_FORMAT_RGBA32F,
    GL_FORMAT_RGBA16F,
    GL_FORMAT_RGBA8,
    GL_FORMAT_WORDS,
    GL_FORMAT_R32F,
    GL_FORMAT_RG32F
};

/* Layers of width × height texels. */
struct gl_shape {
    int width, height, layers;
    enum gl_format format;
};

struct gl_target;

struct gl_texture {
    GLuint name;
    struct gl_shape shape;
    struct gl_target *targets; /* framebuffers of some of its layers */
};

double gl_shape_bytes(const struct gl_shape *shape);

/* Whether the device has textures of that shape. */
bool gl_shape_fits(const struct gl *gl, const struct gl_shape *shape);

/* Contents are undefined. gl_texture_destroy must follow in any case; with NULL for a device whose context cannot be
 * entered, to which its objects are left. Records a sentence. */
int gl_texture_create(struct gl *gl, const struct gl_shape *shape, struct gl_texture *texture);
void gl_texture_destroy(struct gl *gl, struct gl_texture *texture);

/* Rows first … first + rows − 1 of layer 0, `row_length` texels apart in memory. */
void gl_texture_fill(struct gl *gl, const struct gl_texture *texture, int first, int rows, int row_length,
                     const void *texels);

/* A framebuffer of layers first … first + count − 1, unless there is one. Records a sentence. */
int gl_target_create(struct gl *gl, struct gl_texture *texture, int first, int count);

/* What is drawn goes to those layers. */
void gl_target_bind(struct gl *gl, const struct gl_texture *texture, int first, int count);

/* ---- programs.c ---- */

/* Fragment programs, and their files in shaders/gl. */
#define GL_SHADER_FILES(DO)                  \
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

#define GL_SHADER_NAME(name, file) GL_SHADER_##name,
enum gl_shader { GL_SHADER_FILES(GL_SHADER_NAME) GL_SHADERS };
#undef GL_SHADER_NAME

/* Text of the shaders, embedded by the build, and their files. */
extern const char *const gl_shader_texts[GL_SHADERS], *const gl_shader_names[GL_SHADERS];
extern const char *const gl_vertex_text;

/* Every uniform of every shader. */
#define GL_UNIFORMS(DO)      \
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
    DO(more)                 \
    DO(offset)               \
    DO(origin)               \
    DO(others)               \
    DO(outside)              \
    DO(partitions)           \
    DO(picture)              \
    DO(piece)                \
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
    DO(sums_layer)           \
    DO(texels)               \
    DO(tile_step)            \
    DO(tiles)                \
    DO(tiles_across)         \
    DO(tiles_shared)         \
    DO(twiddles)             \
    DO(window)               \
    DO(window_count)         \
    DO(window_first)

#define GL_UNIFORM_NAME(name) GL_UNIFORM_##name,
enum gl_uniform { GL_UNIFORMS(GL_UNIFORM_NAME) GL_UNIFORM_COUNT };
#undef GL_UNIFORM_NAME

enum { GL_DEFINES_MAX = 256 };

struct gl_program {
    struct gl_program *next;
    enum gl_shader shader;
    char defines[GL_DEFINES_MAX];
    GLuint name;
    GLint locations[GL_UNIFORM_COUNT];
};

/* What pictures of a run lie in: views in memory, or textures of a program. */
enum gl_kind { GL_VIEWS, GL_TEXTURES, GL_KINDS };

/* Lines for the shaders that include source.glsl, and for finish.frag. */
struct gl_lines {
    char text[128];
};
struct gl_lines gl_source_lines(const struct work *work, enum gl_kind kind);
struct gl_lines gl_finish_lines(const struct work *work, enum gl_kind kind);

/* A shader with the lines that its #defines stand in; made once, kept until the device closes. Records a sentence. */
int gl_program_get(struct gl *gl, enum gl_shader shader, const struct gl_program **program,
                   const char *defines, ...) __attribute__((format(printf, 4, 5)));
void gl_programs_destroy(struct gl *gl, bool entered);

/* ---- draw.c: passes ---- */

/* What follows is for this program. */
void gl_use(struct gl *gl, const struct gl_program *program);

/* Textures take the units in the order in which they are set: ours, or a program's. */
enum { GL_UNITS = 4 };
void gl_set_texture(struct gl *gl, enum gl_uniform uniform, const struct gl_texture *texture);
void gl_set_program_texture(struct gl *gl, enum gl_uniform uniform, GLuint texture);
void gl_set_int(struct gl *gl, enum gl_uniform uniform, int value);
void gl_set_ints(struct gl *gl, enum gl_uniform uniform, int x, int y);
void gl_set_float(struct gl *gl, enum gl_uniform uniform, float value);

/* One quad of the bound target; its fragments are counted. */
void gl_draw(struct gl *gl, int x, int y, int width, int height);

/* The first thing that went wrong since the last call, by OpenGL's own account. Records a sentence. */
int gl_check(struct gl *gl, const char *what);

/* ---- device.c ---- */

struct gl {
    struct abbe_device head;
    struct gl_context *context; /* its own, or */
    struct gl_guest *guest;     /* a program's */
    struct gl_functions f;
    pthread_mutex_t lock; /* of the context */
    struct gl_wishes wishes;
    enum gl_format format; /* of what is filtered */
    bool software;
    bool checked; /* errors are looked for after every pass */
    int messages; /* of the driver, of severity medium or high */
    int texture_max, layers_max, draw_buffers;
    char limit_text[128]; /* what a picture beyond the limits is told */
    struct gl_program *programs;
    const struct gl_program *used;
    int units;     /* textures that are set for it */
    GLenum failed; /* the first error of a pass, where they are looked for */
    const char *failed_at;
    double fragments[GL_SHADERS]; /* drawn by each shader: for tests */
};

/* An empty device; gl_free takes NULL, and leaves what is in the context to it. */
struct gl *gl_create(void);
void gl_free(struct gl *gl);

/* "moreland:f16:llvmpipe": an engine, a precision, a GPU, in any order, each or none. Records a sentence. */
int gl_read_words(const char *words, struct gl_wishes *wishes);

/* What the device is, once its context is current. */
void gl_describe(struct gl *gl, const abbe_device_params *params);

/* ---- lengths.c: the steps of the fast engine's transforms ---- */

enum { GL_STEPS_MAX = 32 };

/* Radices of a length, few and large where it is smooth; by sums, its primes. Returns their number. */
int gl_length_radices(const struct gl *gl, int length, bool by_sums, int radices[GL_STEPS_MAX]);

/* Whether it is a product of 2, 3 and 5; whether it is a power of two, 2 at least. */
bool gl_length_is_smooth(int length);
bool gl_length_is_power(int length);

/* ---- geometry.c: what a work takes, and in which pieces it is done ---- */

/* Taps of four results that one pass takes. */
enum { GL_PIECE = 1024 };

struct gl_geometry {
    bool fourier;
    enum gl_engine engine;
    int groups;             /* of four channels */
    int region_x, region_y; /* pixels of a region's results */
    int source_x, source_y; /* pixels of its source */
    int window_x, window_y; /* all that its results look at */
    int tiles, shared;      /* of a region; of one texel */
    int windows, batch;     /* of a region; of one pass */
    bool apart;             /* results of windows are copied to where they belong in the region */
    bool by_sums;           /* FAST: steps are sums by definition */
    int layers;             /* FAST: that a step writes at once, at most */
    bool blocked;           /* FAST: some step has more results than that */
    struct gl_shape source, packed, window, grid, wide, sum, row_sum;
    int grids, wides, sums_count, row_sums_count; /* textures of each shape */
    double textures;                              /* bytes of a run's; infinite when no region fits */
    double staging;                               /* bytes of a run on the host */
    double kept;                                  /* bytes of the engine's own, and while it is made */
};

/* NULL, or the reason why the device cannot take the work. */
const char *gl_geometry_plan(const struct gl *gl, const struct work *work, struct gl_geometry *geometry);

/* Bytes of one run. */
double gl_geometry_run(const struct gl_geometry *geometry);

/* FAST: rows of the texture that one result of every butterfly of so many windows takes. */
int gl_block_rows(const struct work *work, int windows, int radix);

/* ---- tally.c: prices ---- */

enum { GL_CHARGES = 7 };
extern const char *const gl_charge_names[];
void gl_price(bool software, abbe_device *device);
void gl_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

/* ---- engine.c ---- */

enum { GL_GRIDS_MAX = 4, GL_PROGRAMS_MAX = 32 };

/* FROM of shaders/gl/inputs.glsl. */
enum gl_from { GL_FROM_SOURCE, GL_FROM_SAME, GL_FROM_OTHER, GL_FROM_TURN };

/* READ of shaders/gl/read.glsl. */
enum gl_read { GL_READ_FLAT, GL_READ_ROWS, GL_READ_WINDOWS, GL_READ_GRID };

/* One step of the fast engine. */
struct gl_step {
    bool down;
    enum gl_from from;
    int radix, butterflies, span;
    int previous_radix, previous_butterflies, previous_span;
    const struct gl_program *programs[GL_LAYERS_MAX]; /* one for each block of results */
};

/* A part of a kernel that one pass takes, and the texels it looks at, counted from the first that the kernel does. */
struct gl_piece {
    int component;
    bool across; /* SEPARABLE: of rows */
    bool more;   /* goes on with the sums of the piece before */
    bool last;   /* of its component */
    int column, row, column_end, row_end;
    int reach_x, reach_y; /* of the kernel's first texel, from a result's own place */
};

/* Programs that read pictures, and the one that writes them. */
struct gl_ends {
    const struct gl_program *load, *finish;
    const struct gl_program *first[GL_LAYERS_MAX]; /* FAST: of the first step */
};

struct engine {
    const struct work *work;
    struct gl_geometry geometry;
    struct gl_ends ends[GL_KINDS]; /* textures: only of a guest, where they can be pictures */
    int kinds;
    const struct gl_program *copy;
    const struct gl_program
        *programs[GL_PROGRAMS_MAX]; /* whose they are, the method's or the engine's, knows which */
    int forward_count, back_count;
    struct gl_step forward[GL_STEPS_MAX], back[GL_STEPS_MAX]; /* FAST */
    struct gl_texture twiddles[2];                            /* of rows, of columns */
    struct gl_texture lookups[2];                             /* FIALKA: the same */
    struct gl_texture *spectra;                               /* one for each filter */
    GLuint taps;                                              /* GL_PIECE of them for each piece */
    struct gl_piece *pieces;
    int *first_piece; /* of each result, and one past the last */
    /* What a run uses: made by the first, kept for the next; the host's part by the first run of views. */
    bool ready, host_ready;
    struct gl_texture source, packed, window, grids[GL_GRIDS_MAX], *wides, sums[2], row_sums[2];
    void *staging;
};

int gl_engine_create(abbe_device *device, const struct work *work, struct engine **engine);
void gl_engine_destroy(abbe_device *device, struct engine *engine);

/* What a run uses, unless it is there. Records a sentence. */
int gl_engine_prepare(struct gl *gl, struct engine *engine, enum gl_kind kind);

/* ---- spectra.c, kernels.c: what an engine keeps ---- */

int gl_spectra_create(struct gl *gl, struct engine *engine);
int gl_kernels_create(struct gl *gl, struct engine *engine);

/* ---- run.c ---- */

/* One region while it is filtered. */
struct gl_region {
    struct gl *gl;
    struct engine *engine;
    struct region_span x, y;
    enum gl_kind kind;
    const abbe_image *results; /* VIEWS */
    GLuint from;               /* TEXTURES: of the program */
    const GLuint *to;
    bool bottom_up; /* their first row is the picture's last */
    abbe_watch *watch;
    double time; /* when the last pass ended */
};

/* Whether one region is all of the picture. */
bool gl_is_whole(const struct engine *engine);

/* Filters region (column, row); VIEWS: of that source, which is brought to the device first. Records a sentence. */
int gl_run_region(struct gl_region *region, int column, int row, const abbe_image *source);

int gl_run(abbe_device *device, const struct engine *engine, const abbe_image *source,
           const abbe_image *results, abbe_watch *watch);

/* A pass of that name ends. */
void gl_pass_end(struct gl_region *region, const char *name);

/* Uniforms of source.glsl, and of windows.glsl with `first` for the first window. */
void gl_set_source(const struct gl_region *region);
void gl_set_windows(const struct gl_region *region, int first);

/* Fills the texture `to` with a window. */
void gl_load_window(const struct gl_region *region, int window, const struct gl_texture *to);

/* The last step of result r, from where its components were left, to where it belongs. */
int gl_finish(struct gl_region *region, int r, const struct gl_texture *first,
              const struct gl_texture *second);

/* ---- filter.c: pictures that are textures of a program ---- */

/* What is drawn goes to a texture of the program. Records a sentence. */
int gl_result_bind(struct gl *gl, GLuint texture);

/* ---- fourier.c, space.c: the methods ---- */

int gl_run_fourier(struct gl_region *region);
int gl_run_space(struct gl_region *region);

/* A grid that is none of those; −1 is no grid. */
int gl_other_grid(const struct engine *engine, int a, int b, int c);

/* ---- fast.c ---- */

int gl_fast_create(struct gl *gl, struct engine *engine);

/* Transforms windows first … first + count − 1, and answers the grid where they are. */
int gl_fast_forward(struct gl_region *region, int first, int count);

/* Multiplies them by a spectrum and transforms them back; the grids `from` and `kept` are left alone where somebody
 * still needs them. */
int gl_fast_back(struct gl_region *region, int filter, int from, int kept, int count);

/* Uniforms of read.glsl that tell where results lie. */
void gl_fast_set_read(const struct gl_region *region, int count);

/* ---- fialka.c, moreland.c: the same, one window at a time ---- */

int gl_fialka_create(struct gl *gl, struct engine *engine);
int gl_fialka_forward(struct gl_region *region, int window);
int gl_fialka_back(struct gl_region *region, int filter, int from, int kept);

int gl_moreland_create(struct gl *gl, struct engine *engine);
int gl_moreland_forward(struct gl_region *region, int window);
int gl_moreland_back(struct gl_region *region, int filter, int from, int kept);

#endif
