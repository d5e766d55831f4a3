/* Programs: a fragment shader with #define lines in front of it, compiled once and kept until the device
 * closes. */
#include "core/error.h"
#include "core/memory.h"
#include "gl/gl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME(name) #name,
static const char *const uniform_names[] = { ABGL_UNIFORMS(NAME) };
#undef NAME

static const char version[] = "#version 300 es\n";

/* Reports the first line of a compiler's or linker's log. */
static int fail_with_log(struct gl *gl, enum gl_shader shader, char *log)
{
    log[strcspn(log, "\n")] = '\0';
    return core_fail(gl, ABBE_ERR_DEVICE, "gl: the driver cannot compile %s: %s", gl_shader_names[shader],
                     log);
}

static int compile_shader(struct gl *gl, enum gl_shader shader, GLenum kind, const char *defines,
                          const char *text, GLuint *name)
{
    const char *halves = gl->format == ABGL_FORMAT_RGBA16F ? "#define HALVES 1\n" : "#define HALVES 0\n";
    /* The comment shows the file to debuggers, and to programs that count what is drawn. */
    const char *const parts[] = { version, "// ", gl_shader_names[shader], "\n", halves, defines, text };
    GLint compiled = GL_FALSE;
    *name = gl->f.CreateShader(kind);
    gl->f.ShaderSource(*name, sizeof parts / sizeof *parts, parts, NULL);
    gl->f.CompileShader(*name);
    gl->f.GetShaderiv(*name, GL_COMPILE_STATUS, &compiled);
    if (compiled)
        return ABBE_OK;
    char log[256] = "";
    gl->f.GetShaderInfoLog(*name, sizeof log, NULL, log);
    return fail_with_log(gl, shader, log);
}

static int link_program(struct gl *gl, struct gl_program *program, GLuint vertex, GLuint fragment)
{
    GLint linked = GL_FALSE;
    program->name = gl->f.CreateProgram();
    gl->f.AttachShader(program->name, vertex);
    gl->f.AttachShader(program->name, fragment);
    gl->f.LinkProgram(program->name);
    gl->f.GetProgramiv(program->name, GL_LINK_STATUS, &linked);
    if (linked)
        return ABBE_OK;
    char log[256] = "";
    gl->f.GetProgramInfoLog(program->name, sizeof log, NULL, log);
    return fail_with_log(gl, program->shader, log);
}

static int build_program(struct gl *gl, struct gl_program *program)
{
    GLuint vertex = 0, fragment = 0;
    int error = compile_shader(gl, program->shader, GL_VERTEX_SHADER, "", gl_vertex_text, &vertex);
    if (!error)
        error = compile_shader(gl, program->shader, GL_FRAGMENT_SHADER, program->defines,
                               gl_shader_texts[program->shader], &fragment);
    if (!error)
        error = link_program(gl, program, vertex, fragment);
    gl->f.DeleteShader(vertex);
    gl->f.DeleteShader(fragment);
    if (error)
        return error;
    for (int i = 0; i < ABGL_UNIFORM_COUNT; i++)
        program->locations[i] = gl->f.GetUniformLocation(program->name, uniform_names[i]);
    GLuint block = gl->f.GetUniformBlockIndex(program->name, "Taps");
    if (block != GL_INVALID_INDEX)
        gl->f.UniformBlockBinding(program->name, block, 0);
    return gl_check(gl, "compiling a shader");
}

/* ---- #define lines ------------------------------------------------------------------------------------ */

/* Whether the colours that are filtered are not the samples themselves. */
static bool treats_samples(const struct work *work)
{
    return work->linear_light || work->alpha == ABBE_ALPHA_PREMULTIPLY;
}

/* `type` becomes a constant, called `which`, for four untreated channels, the most common case. */
static struct gl_defines picture_defines(const struct work *work, enum gl_picture_kind kind, bool untreated,
                                         const char *which, abbe_type type)
{
    struct gl_defines defines;
    bool quad = work->channels == 4;
    int length = snprintf(defines.text, sizeof defines.text,
                          "#define TEXTURES %d\n#define QUAD %d\n#define UNTREATED %d\n",
                          kind == ABGL_TEXTURES, quad, untreated);
    if (quad && untreated)
        snprintf(defines.text + length, sizeof defines.text - (size_t)length, "#define %s %d\n", which,
                 (int)type);
    return defines;
}

struct gl_defines gl_source_defines(const struct work *work, enum gl_picture_kind kind)
{
    bool cleans = work->nonfinite == ABBE_NONFINITE_ZERO &&
                  (work->source_type == ABBE_F16 || work->source_type == ABBE_F32);
    return picture_defines(work, kind, !treats_samples(work) && !cleans, "SOURCE_TYPE", work->source_type);
}

/* The last pass reads the source only for its alpha, never for untreated samples; any type will do for it
 * then. */
struct gl_defines gl_finish_defines(const struct work *work, enum gl_picture_kind kind)
{
    return picture_defines(work, kind, !treats_samples(work), "SOURCE_TYPE 4\n#define RESULT_TYPE",
                           work->result_type);
}

/* ---- Getting programs --------------------------------------------------------------------------------- */

static const struct gl_program *find_program(const struct gl *gl, enum gl_shader shader, const char *defines)
{
    const struct gl_program *one = gl->programs;
    while (one && (one->shader != shader || strcmp(one->defines, defines)))
        one = one->next;
    return one;
}

int gl_program_get(struct gl *gl, enum gl_shader shader, const struct gl_program **program,
                   const char *defines, ...)
{
    char text[ABGL_DEFINES_MAX];
    va_list arguments;
    va_start(arguments, defines);
    vsnprintf(text, sizeof text, defines, arguments);
    va_end(arguments);
    *program = find_program(gl, shader, text);
    if (*program)
        return ABBE_OK;
    struct gl_program *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(gl);
    made->shader = shader;
    memcpy(made->defines, text, sizeof text);
    int error = build_program(gl, made);
    if (error) {
        gl->f.DeleteProgram(made->name);
        core_free(made);
        return error;
    }
    made->next = gl->programs;
    gl->programs = made;
    *program = made;
    return ABBE_OK;
}

void gl_programs_destroy(struct gl *gl, bool entered)
{
    while (gl->programs) {
        struct gl_program *gone = gl->programs;
        gl->programs = gone->next;
        if (entered)
            gl->f.DeleteProgram(gone->name);
        core_free(gone);
    }
}
