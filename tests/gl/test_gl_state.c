/* The state of an adopted context: state that would break every pass breaks none, and every call restores it;
 * in a new and an old version of OpenGL ES, and in both profiles of desktop OpenGL.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/stage.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 20, HEIGHT = 14, UNITS = 6, DRAW_BUFFERS = 8, VIEWPORTS = 16 };

/* Constants of desktop OpenGL. */
enum {
    ALPHA_TEST = 0x0BC0,
    POLYGON_STIPPLE = 0x0B42,
    COLOR_LOGIC_OP = 0x0BF2,
    CLIP_DISTANCE = 0x3000,
    POLYGON_MODE = 0x0B40,
    LINE = 0x1B01,
    POINT = 0x1B00,
    UNPACK_SWAP_BYTES = 0x0CF0,
    PACK_SWAP_BYTES = 0x0D00
};

static enum stage_kind kind;
static bool old; /* the device sees OpenGL ES 3.0, where all draw buffers share blending */
static abbe_device *device;

/* ---- Reading the state -------------------------------------------------------------------------------- */

/* State that is compared: more than the device changes. */
static const GLenum names[] = {
    GL_DRAW_FRAMEBUFFER_BINDING,
    GL_READ_FRAMEBUFFER_BINDING,
    GL_RENDERBUFFER_BINDING,
    GL_CURRENT_PROGRAM,
    GL_VERTEX_ARRAY_BINDING,
    GL_ARRAY_BUFFER_BINDING,
    GL_ELEMENT_ARRAY_BUFFER_BINDING,
    GL_PIXEL_PACK_BUFFER_BINDING,
    GL_PIXEL_UNPACK_BUFFER_BINDING,
    GL_UNIFORM_BUFFER_BINDING,
    GL_COPY_READ_BUFFER_BINDING,
    GL_ACTIVE_TEXTURE,
    GL_VIEWPORT,
    GL_SCISSOR_BOX,
    GL_BLEND_SRC_RGB,
    GL_BLEND_EQUATION_ALPHA,
    GL_CULL_FACE_MODE,
    GL_FRONT_FACE,
    GL_DEPTH_FUNC,
    GL_DEPTH_WRITEMASK,
    GL_STENCIL_FUNC,
    GL_STENCIL_WRITEMASK,
    GL_COLOR_CLEAR_VALUE,
    GL_UNPACK_ALIGNMENT,
    GL_UNPACK_ROW_LENGTH,
    GL_UNPACK_IMAGE_HEIGHT,
    GL_UNPACK_SKIP_ROWS,
    GL_UNPACK_SKIP_PIXELS,
    GL_UNPACK_SKIP_IMAGES,
    GL_PACK_ALIGNMENT,
    GL_PACK_ROW_LENGTH,
    GL_PACK_SKIP_ROWS,
    GL_PACK_SKIP_PIXELS,
    POLYGON_MODE,
    UNPACK_SWAP_BYTES,
    PACK_SWAP_BYTES,
};
enum { NAMES = sizeof names / sizeof *names, NAMES_ES = NAMES - 3 };

static const GLenum switches[] = {
    GL_CULL_FACE,       GL_DITHER,       GL_RASTERIZER_DISCARD,  GL_SCISSOR_TEST,
    GL_DEPTH_TEST,      GL_STENCIL_TEST, GL_POLYGON_OFFSET_FILL, GL_SAMPLE_ALPHA_TO_COVERAGE,
    GL_SAMPLE_COVERAGE, COLOR_LOGIC_OP,  CLIP_DISTANCE,          CLIP_DISTANCE + 3,
    CLIP_DISTANCE + 7,  ALPHA_TEST,      POLYGON_STIPPLE,
};
enum {
    SWITCHES = sizeof switches / sizeof *switches,
    SWITCHES_ES = SWITCHES - 6,
    SWITCHES_CORE = SWITCHES - 2
};

struct snapshot {
    GLint values[NAMES][4], units[UNITS][3], uniforms[2], blend[DRAW_BUFFERS];
    GLint64 ranges[2][2];
    GLboolean switches[SWITCHES], masks[DRAW_BUFFERS][4], scissors[VIEWPORTS];
    GLfloat viewports[VIEWPORTS][4];
};

static int switch_count(void)
{
    return kind == STAGE_ES ? SWITCHES_ES : kind == STAGE_CORE ? SWITCHES_CORE : SWITCHES;
}

static void look_at_units(struct snapshot *seen)
{
    GLint active;
    glGetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (int i = 0; i < UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &seen->units[i][0]);
        glGetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &seen->units[i][1]);
        glGetIntegerv(GL_SAMPLER_BINDING, &seen->units[i][2]);
    }
    glActiveTexture((GLenum)active);
}

/* Desktop contexts have several viewports, in floats. */
static void look_at_viewports(struct snapshot *seen)
{
    void (*floats)(GLenum what, GLuint index, GLfloat * values) = (void (*)(
        GLenum, GLuint, GLfloat *))eglGetProcAddress("glGetFloati_v");
    for (GLuint i = 0; i < VIEWPORTS && kind != STAGE_ES; i++) {
        floats(GL_VIEWPORT, i, seen->viewports[i]);
        seen->scissors[i] = glIsEnabledi(GL_SCISSOR_TEST, i);
    }
}

static struct snapshot look(void)
{
    struct snapshot seen;
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < (kind == STAGE_ES ? NAMES_ES : NAMES); i++)
        glGetIntegerv(names[i], seen.values[i]);
    for (int i = 0; i < switch_count(); i++)
        seen.switches[i] = glIsEnabled(switches[i]);
    for (GLuint i = 0; i < DRAW_BUFFERS; i++) {
        seen.blend[i] = glIsEnabledi(GL_BLEND, i);
        glGetBooleani_v(GL_COLOR_WRITEMASK, i, seen.masks[i]);
    }
    for (GLuint i = 0; i < 2; i++) {
        glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, i, &seen.uniforms[i]);
        glGetInteger64i_v(GL_UNIFORM_BUFFER_START, i, &seen.ranges[i][0]);
        glGetInteger64i_v(GL_UNIFORM_BUFFER_SIZE, i, &seen.ranges[i][1]);
    }
    look_at_units(&seen);
    look_at_viewports(&seen);
    assert_true(stage_is_clean());
    return seen;
}

static void same(const struct snapshot *before, const char *after)
{
    struct snapshot now = look();
    for (int i = 0; i < NAMES; i++)
        if (memcmp(now.values[i], before->values[i], sizeof now.values[i]))
            fail_msg("%s: %#x was %d %d, and is %d %d", after, names[i], before->values[i][0],
                     before->values[i][1], now.values[i][0], now.values[i][1]);
    for (int i = 0; i < SWITCHES; i++)
        if (now.switches[i] != before->switches[i])
            fail_msg("%s: switch %#x was %d", after, switches[i], before->switches[i]);
    for (int i = 0; i < UNITS * 3; i++)
        if (now.units[i / 3][i % 3] != before->units[i / 3][i % 3])
            fail_msg("%s: binding %d of unit %d was %d, and is %d", after, i % 3, i / 3,
                     before->units[i / 3][i % 3], now.units[i / 3][i % 3]);
    if (memcmp(&now, before, sizeof now))
        fail_msg("%s: draw buffers, uniform buffers or viewports are not what they were", after);
}

/* ---- Setting the state -------------------------------------------------------------------------------- */

struct things {
    GLuint framebuffers[2], renderbuffer, program, vertices, buffers[7], flat, array, sampler;
};

static GLuint make_program(void)
{
    static const char *const vertex = "#version 300 es\nvoid main() { gl_Position = vec4(0); }\n";
    static const char *const fragment = "#version 300 es\nvoid main() {}\n";
    const char *const texts[] = { vertex, fragment };
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    return program;
}

/* Binds a sampler for which textures of one level are incomplete. */
static void set_units(struct things *things)
{
    glGenTextures(1, &things->flat);
    glGenTextures(1, &things->array);
    glGenSamplers(1, &things->sampler);
    glSamplerParameteri(things->sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glSamplerParameteri(things->sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    for (int i = 0; i < UNITS; i++) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D, things->flat);
        glBindTexture(GL_TEXTURE_2D_ARRAY, things->array);
        glBindSampler((GLuint)i, things->sampler);
    }
    glActiveTexture(GL_TEXTURE2);
}

/* Binds buffers that are too small to read from or write to. */
static void set_buffers(struct things *things)
{
    static const GLenum targets[] = { GL_ARRAY_BUFFER,        GL_COPY_READ_BUFFER, GL_PIXEL_PACK_BUFFER,
                                      GL_PIXEL_UNPACK_BUFFER, GL_UNIFORM_BUFFER,   GL_UNIFORM_BUFFER,
                                      GL_ELEMENT_ARRAY_BUFFER };
    glGenBuffers(7, things->buffers);
    for (int i = 0; i < 7; i++) {
        glBindBuffer(targets[i], things->buffers[i]);
        glBufferData(targets[i], targets[i] == GL_UNIFORM_BUFFER ? 1024 : 1, NULL, GL_STATIC_DRAW);
    }
    glBindBufferRange(GL_UNIFORM_BUFFER, 0, things->buffers[4], 256, 64);
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, things->buffers[5]);
    glBindBuffer(GL_UNIFORM_BUFFER, things->buffers[5]);
}

static void set_stores(void)
{
    static const GLenum stores[] = { GL_UNPACK_ROW_LENGTH,  GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SKIP_ROWS,
                                     GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,  GL_PACK_ROW_LENGTH,
                                     GL_PACK_SKIP_ROWS,     GL_PACK_SKIP_PIXELS };
    for (int i = 0; i < 8; i++)
        glPixelStorei(stores[i], 5 + i);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
}

/* Sets rasterization and tests so that nothing would be drawn. */
static void set_drawing(void)
{
    glViewport(3, 4, 5, 6);
    glScissor(1, 1, 1, 1);
    glEnable(GL_SCISSOR_TEST);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
    glFrontFace(GL_CW);
    glEnable(GL_RASTERIZER_DISCARD);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_NEVER);
    glDepthMask(GL_FALSE);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_NEVER, 1, 3);
    glStencilMask(5);
    glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    glEnable(GL_SAMPLE_COVERAGE);
    glSampleCoverage(0, GL_FALSE);
    glClearColor(1, 1, 1, 1);
}

/* Sets blending and masks that differ from one draw buffer to the next. */
static void set_draw_buffers(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ZERO, GL_ONE);
    glBlendEquation(GL_MAX);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_FALSE);
    if (old)
        return;
    glDisablei(GL_BLEND, 2);
    glColorMaski(1, GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
}

static void set_desktop(void)
{
    void (*polygon_mode)(GLenum face,
                         GLenum mode) = (void (*)(GLenum, GLenum))eglGetProcAddress("glPolygonMode");
    void (*viewport)(GLuint index, GLfloat x, GLfloat y, GLfloat width, GLfloat height) = (void (*)(
        GLuint, GLfloat, GLfloat, GLfloat, GLfloat))eglGetProcAddress("glViewportIndexedf");
    viewport(3, 0.25f, 1.5f, 7.75f, 8.5f);
    glDisablei(GL_SCISSOR_TEST, 5);
    for (int i = SWITCHES_ES; i < switch_count(); i++)
        glEnable(switches[i]);
    glPixelStorei(UNPACK_SWAP_BYTES, 1);
    glPixelStorei(PACK_SWAP_BYTES, 1);
    polygon_mode(GL_FRONT_AND_BACK, LINE);
    if (kind == STAGE_COMPATIBLE)
        polygon_mode(GL_BACK, POINT);
}

/* Called before pixel storage and pixel buffers are set, because they apply to the stipple pattern. */
static void set_stipple(void)
{
    static const GLubyte holes[32 * 32 / 8];
    void (*stipple)(const GLubyte *pattern) = (void (*)(const GLubyte *))eglGetProcAddress(
        "glPolygonStipple");
    stipple(holes);
}

static void set_all(struct things *things)
{
    if (kind == STAGE_COMPATIBLE)
        set_stipple();
    glGenFramebuffers(2, things->framebuffers);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, things->framebuffers[0]);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, things->framebuffers[1]);
    things->program = make_program();
    glUseProgram(things->program);
    glGenVertexArrays(1, &things->vertices);
    glBindVertexArray(things->vertices);
    glEnableVertexAttribArray(0);
    glGenRenderbuffers(1, &things->renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, things->renderbuffer);
    set_units(things);
    set_buffers(things);
    set_stores();
    set_drawing();
    set_draw_buffers();
    if (kind != STAGE_ES)
        set_desktop();
    assert_true(stage_is_clean());
}

/* ---- An old context ------------------------------------------------------------------------------------ */

static void GL_APIENTRY old_version(GLenum what, GLint *value)
{
    glGetIntegerv(what, value);
    if (what == GL_MINOR_VERSION)
        *value = 0;
}

static void (*old_functions(const char *name))(void)
{
    static const char *const newer[] = { "glEnablei",       "glDisablei",   "glIsEnabledi",
                                         "glGetBooleani_v", "glColorMaski", "glGetTexLevelParameteriv" };
    for (int i = 0; i < 6; i++)
        if (!strcmp(name, newer[i]))
            return NULL;
    return strcmp(name, "glGetIntegerv") ? eglGetProcAddress(name) : (void (*)(void))old_version;
}

/* ---- Work --------------------------------------------------------------------------------------------- */

static void check_result(GLuint source, GLuint result, const abbe_filter *filter)
{
    abbe_matrix taps;
    struct picture in = stage_read(source, WIDTH, HEIGHT, ABBE_F32);
    struct picture got = stage_read(result, WIDTH, HEIGHT, ABBE_F32);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                                 taps.height / 2);
    assert_true(apply_near(&got, &expected, 1e-5));
    abbe_matrix_free(&taps);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
}

/* Runs on views use the same context. */
static void check_views(const abbe_plan *plan, const abbe_filter *filter)
{
    abbe_matrix taps;
    struct picture in = apply_noise(WIDTH, HEIGHT, 4, 2, true);
    struct stored from = stored_create(WIDTH, HEIGHT, 4, ABBE_F32, 0, false, true);
    struct stored to = stored_create(WIDTH, HEIGHT, 4, ABBE_F32, 16, false, true);
    stored_write(&from, &in);
    if (abbe_run(plan, &from.view, &to.view))
        fail_msg("%s", abbe_error_text(device));
    struct picture got = stored_read(&to);
    assert_int_equal(abbe_filter_taps(filter, 0, &taps), ABBE_OK);
    struct picture expected = reference_convolve(&in, ABBE_BORDER_REFLECT, 0, &taps, taps.width / 2,
                                                 taps.height / 2);
    assert_true(apply_near(&got, &expected, 1e-5) && stored_check(&to));
    abbe_matrix_free(&taps);
    picture_free(&in);
    picture_free(&got);
    picture_free(&expected);
    stored_free(&from);
    stored_free(&to);
}

static void work(abbe_method method, GLuint source, GLuint result, const struct snapshot *before)
{
    abbe_filter *filter = apply_filter("gaussian:sigma=1.5");
    abbe_plan *plan = apply_plan(device, &(abbe_plan_params){ .width = WIDTH,
                                                              .height = HEIGHT,
                                                              .channels = 4,
                                                              .source_type = ABBE_F32,
                                                              .result_type = ABBE_F32,
                                                              .nonfinite = ABBE_NONFINITE_TRUST,
                                                              .method = method,
                                                              .filters = (const abbe_filter *const *)&filter,
                                                              .filter_count = 1 });
    same(before, "abbe_plan_create");
    for (int i = 0; i < 2; i++) {
        if (abbe_gl_filter(plan, source, &result))
            fail_msg("%s", abbe_error_text(device));
        same(before, "abbe_gl_filter");
        check_views(plan, filter);
        same(before, "abbe_run");
    }
    assert_int_equal(abbe_gl_filter(plan, source, &source), ABBE_ERR_INVALID);
    same(before, "abbe_gl_filter, refused");
    abbe_plan_destroy(&plan);
    same(before, "abbe_plan_destroy");
    abbe_filter_destroy(&filter);
}

/* Resets the state that stage_read relies on. */
static void reset_reading(void)
{
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_SKIP_ROWS, 0);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
    if (kind != STAGE_ES)
        glPixelStorei(PACK_SWAP_BYTES, 0);
}

/* Checks that all state differs from that of a fresh context, so that state which is not restored shows.
 * Dithering is on in a fresh context. */
static void is_unusual(const struct snapshot *plain, const struct snapshot *now)
{
    for (int i = 0; i < (kind == STAGE_ES ? NAMES_ES : NAMES); i++)
        if (!memcmp(plain->values[i], now->values[i], sizeof plain->values[i]))
            fail_msg("%#x is still %d", names[i], plain->values[i][0]);
    for (int i = 0; i < switch_count(); i++)
        assert_true(now->switches[i]);
    for (int i = 0; i < UNITS * 3; i++)
        assert_int_not_equal(plain->units[i / 3][i % 3], now->units[i / 3][i % 3]);
    for (int i = 0; i < DRAW_BUFFERS; i++)
        assert_memory_not_equal(plain->masks[i], now->masks[i], sizeof now->masks[i]);
    assert_true(now->blend[0] && now->blend[1] && now->blend[7] && (old || !now->blend[2]));
}

static void comes_back(void **state)
{
    (void)state;
    abbe_filter *filter = apply_filter("gaussian:sigma=1.5");
    struct picture noise = apply_noise(WIDTH, HEIGHT, 4, 1, true);
    GLuint source = stage_texture(WIDTH, HEIGHT, ABBE_F32, &noise), results[3];
    struct things things;
    abbe_gl_params params = stage_params();
    for (int i = 0; i < 3; i++)
        results[i] = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    struct snapshot plain = look();
    set_all(&things);
    struct snapshot before = look();
    is_unusual(&plain, &before);
    if (old)
        params.get_proc_address = old_functions;
    device = stage_adopt(&params);
    same(&before, "abbe_gl_adopt");
    for (int i = 0; i < 3; i++)
        work((abbe_method)(ABBE_METHOD_DIRECT + i), source, results[i], &before);
    abbe_device_close(&device);
    same(&before, "abbe_device_close");
    reset_reading();
    for (int i = 0; i < 3; i++)
        check_result(source, results[i], filter);
    picture_free(&noise);
    abbe_filter_destroy(&filter);
}

/* An error that the application left behind is not reported as the device's. */
static void errors_before(void **state)
{
    (void)state;
    abbe_gl_params params = stage_params();
    struct picture noise = apply_noise(WIDTH, HEIGHT, 4, 1, true);
    GLuint source = stage_texture(WIDTH, HEIGHT, ABBE_F32, &noise);
    GLuint result = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    device = stage_adopt(&params);
    struct snapshot before = look();
    stage_muted = true;
    glEnable(GL_INVALID_ENUM);
    work(ABBE_METHOD_FFT, source, result, &before);
    abbe_device_close(&device);
    assert_true(stage_is_clean());
    stage_muted = false;
    picture_free(&noise);
}

/* ---- Contexts ----------------------------------------------------------------------------------------- */

int main(void)
{
    int failures = 0;
    for (int i = 0; i < 4; i++) {
        struct stage stage;
        kind = (enum stage_kind)(i % 3);
        old = i == 3;
        if (!stage_open(kind, &stage)) {
            printf("no software driver of OpenGL, kind %d\n", (int)kind);
            return TEST_SKIPPED;
        }
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(errors_before),
            cmocka_unit_test(comes_back),
        };
        failures += cmocka_run_group_tests(tests, NULL, NULL);
        stage_close(&stage);
    }
    return failures;
}
