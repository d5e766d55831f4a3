/* Replaces a few of OpenGL's functions by functions that count fragments or change the text of shaders. */
#define _GNU_SOURCE
#include "ledger.h"

#include "stage.h"

#include <GLES3/gl3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of any type; their callers cast them back. */
typedef void (*any_function)(void);

#define DRIVER(type, name) ((type)stage_function(name))

/* ---- The text of a shader ------------------------------------------------------------------------------ */

static char *join_parts(GLsizei count, const GLchar *const *parts)
{
    size_t size = 1;
    for (GLsizei i = 0; i < count; i++)
        size += strlen(parts[i]);
    char *text = malloc(size), *end = text;
    for (GLsizei i = 0; i < count && text; i++)
        end = stpcpy(end, parts[i]);
    return text;
}

static bool is_fragment_shader(const char *text)
{
    return !strstr(text, "gl_Position");
}

/* Hands the text to the driver with `before` in front of its first declaration, behind the #define lines, and
 * `after` at its end. */
static void give_source(GLuint shader, const char *text, const char *before, const char *after)
{
    const char *declarations = strstr(text, "precision ");
    GLint first = declarations ? (GLint)(declarations - text) : 0;
    const GLchar *parts[] = { text, before, text + first, after };
    DRIVER(PFNGLSHADERSOURCEPROC, "glShaderSource")(shader, 4, parts, (GLint[]){ first, -1, -1, -1 });
}

/* Sources in memory, which these frames do not have, are textures of integers and stay as they are. */
static void GL_APIENTRY source_without_lookups(GLuint shader, GLsizei count, const GLchar *const *parts,
                                               const GLint *lengths)
{
    (void)lengths; /* the device passes none */
    static const char before[] = "precision highp float;\nprecision highp int;\n"
                                 "#if !defined(TEXTURES) || TEXTURES\n"
                                 "vec4 no_texel(ivec2 at) { return vec4(at, 0, 1); }\n"
                                 "vec4 no_texel(ivec3 at) { return vec4(at, 1); }\n"
                                 "#define texelFetch(picture, at, level) no_texel(at)\n"
                                 "#endif\n";
    char *text = join_parts(count, parts);
    if (text)
        give_source(shader, text, is_fragment_shader(text) ? before : "", "");
    free(text);
}

/* A main function that writes zeros to all outputs of a shader. */
static const char *zero_main(const char *text)
{
    if (strstr(text, " out0;"))
        return "\n#undef main\nvoid main()\n{\nout0 = vec4(0);\n"
               "#if COUNT > 1\nout1 = vec4(0);\n#endif\n#if COUNT > 2\nout2 = vec4(0);\n#endif\n"
               "#if COUNT > 3\nout3 = vec4(0);\n#endif\n#if COUNT > 4\nout4 = vec4(0);\n#endif\n"
               "#if COUNT > 5\nout5 = vec4(0);\nout6 = vec4(0);\nout7 = vec4(0);\n#endif\n}\n";
    if (strstr(text, "out vec4 pixel;"))
        return "\n#undef main\nvoid main()\n{\n#if TEXTURES\npixel = vec4(0);\n#else\nwords = uvec4(0);\n"
               "#endif\n}\n";
    return "\n#undef main\nvoid main()\n{\nvalue = vec4(0);\n}\n";
}

static void GL_APIENTRY source_outputs_only(GLuint shader, GLsizei count, const GLchar *const *parts,
                                            const GLint *lengths)
{
    (void)lengths;
    char *text = join_parts(count, parts);
    bool cut = text && is_fragment_shader(text);
    if (text)
        give_source(shader, text, cut ? "#define main unused_main\n" : "", cut ? zero_main(text) : "");
    free(text);
}

any_function ledger_without_lookups(const char *name)
{
    return strcmp(name, "glShaderSource") ? stage_function(name) : (any_function)source_without_lookups;
}

any_function ledger_outputs_only(const char *name)
{
    return strcmp(name, "glShaderSource") ? stage_function(name) : (any_function)source_outputs_only;
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

/* Texts of shaders that were not attached yet; the entry of the program in use, and its viewport. */
static struct {
    struct {
        GLuint shader;
        char *text;
    } pending[2];
    struct ledger_entry entries[LEDGER_MAX];
    int count, current;
    double area;
} ledger = { .current = -1 };

static void GL_APIENTRY note_source(GLuint shader, GLsizei count, const GLchar *const *parts,
                                    const GLint *lengths)
{
    char *text = join_parts(count, parts);
    int place = text && is_fragment_shader(text);
    free(ledger.pending[place].text);
    ledger.pending[place].shader = shader;
    ledger.pending[place].text = text;
    DRIVER(PFNGLSHADERSOURCEPROC, "glShaderSource")(shader, count, parts, lengths);
}

static void GL_APIENTRY note_attachment(GLuint program, GLuint shader)
{
    if (shader == ledger.pending[1].shader && ledger.pending[1].text && ledger.count < LEDGER_MAX) {
        ledger.entries[ledger.count++] = (struct ledger_entry){ .text = ledger.pending[1].text,
                                                                .program = program };
        ledger.pending[1].text = NULL;
    }
    DRIVER(PFNGLATTACHSHADERPROC, "glAttachShader")(program, shader);
}

static void GL_APIENTRY note_use(GLuint program)
{
    ledger.current = -1;
    for (int i = 0; i < ledger.count; i++)
        if (ledger.entries[i].program == program)
            ledger.current = i;
    DRIVER(PFNGLUSEPROGRAMPROC, "glUseProgram")(program);
}

static void GL_APIENTRY note_viewport(GLint x, GLint y, GLsizei width, GLsizei height)
{
    ledger.area = (double)width * height;
    DRIVER(PFNGLVIEWPORTPROC, "glViewport")(x, y, width, height);
}

/* The device draws one triangle that covers the viewport. */
static void GL_APIENTRY note_draw(GLenum mode, GLint first, GLsizei count)
{
    if (ledger.current >= 0)
        ledger.entries[ledger.current].fragments += ledger.area;
    DRIVER(PFNGLDRAWARRAYSPROC, "glDrawArrays")(mode, first, count);
}

any_function ledger_counting(const char *name)
{
    static const struct {
        const char *name;
        any_function function;
    } watched[] = { { "glShaderSource", (any_function)note_source },
                    { "glAttachShader", (any_function)note_attachment },
                    { "glUseProgram", (any_function)note_use },
                    { "glViewport", (any_function)note_viewport },
                    { "glDrawArrays", (any_function)note_draw } };
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        if (!strcmp(name, watched[i].name))
            return watched[i].function;
    return stage_function(name);
}

void ledger_reset(void)
{
    for (int i = 0; i < ledger.count; i++)
        ledger.entries[i].fragments = 0;
}

const struct ledger_entry *ledger_entries(int *count)
{
    *count = ledger.count;
    return ledger.entries;
}

void ledger_free(void)
{
    for (int i = 0; i < ledger.count; i++)
        free(ledger.entries[i].text);
    free(ledger.pending[0].text);
    free(ledger.pending[1].text);
    memset(&ledger, 0, sizeof ledger);
    ledger.current = -1;
}
