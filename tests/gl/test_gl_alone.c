/* abbe_gl_params.alone: a filter from texture to texture asks the driver nothing, is right whatever state it finds, and
 * leaves behind the state that abbe/gl.h describes. test_gl_textures compares the results of such a device, too.
 *
 * Needs a software driver; skipped (77) without one. */
#include "support/apply.h"
#include "support/stage.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = STAGE_WIDTH, HEIGHT = STAGE_HEIGHT };

/* ---- Counting questions -------------------------------------------------------------------------------- */

/* Debug builds look for an error after every draw call. */
static int questions, errors_asked;

static GLenum asked_error(void)
{
    errors_asked++;
    return glGetError();
}

static const GLubyte *asked_string(GLenum what)
{
    questions++;
    return glGetString(what);
}

static void asked_integers(GLenum what, GLint *values)
{
    questions++;
    glGetIntegerv(what, values);
}

static void asked_indexed(GLenum what, GLuint index, GLint *values)
{
    questions++;
    glGetIntegeri_v(what, index, values);
}

static void asked_wide(GLenum what, GLuint index, GLint64 *values)
{
    questions++;
    glGetInteger64i_v(what, index, values);
}

static void asked_booleans(GLenum what, GLboolean *values)
{
    questions++;
    glGetBooleanv(what, values);
}

static GLboolean asked_switch(GLenum what)
{
    questions++;
    return glIsEnabled(what);
}

static GLboolean asked_texture(GLuint texture)
{
    questions++;
    return glIsTexture(texture);
}

static GLenum asked_framebuffer(GLenum target)
{
    questions++;
    return glCheckFramebufferStatus(target);
}

typedef void function(void);

static function *find_counted(const char *name)
{
    static const struct {
        const char *name;
        function *counted;
    } table[] = {
        { "glGetError", (function *)asked_error },
        { "glGetString", (function *)asked_string },
        { "glGetIntegerv", (function *)asked_integers },
        { "glGetIntegeri_v", (function *)asked_indexed },
        { "glGetInteger64i_v", (function *)asked_wide },
        { "glGetBooleanv", (function *)asked_booleans },
        { "glIsEnabled", (function *)asked_switch },
        { "glIsTexture", (function *)asked_texture },
        { "glCheckFramebufferStatus", (function *)asked_framebuffer },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].counted;
    return (function *)eglGetProcAddress(name);
}

/* ---- A device and its textures -------------------------------------------------------------------------- */

struct scene {
    abbe_device *device;
    abbe_filter *filter;
    abbe_plan *plan;
    struct picture picture;
    GLuint from, to;
};

/* A lopsided blur by the Fourier plane. The first run compiles the shaders. */
static struct scene scene_create(bool alone)
{
    struct scene scene = { .filter = apply_filter("motion:length=5:angle=30"),
                           .picture = apply_noise(WIDTH, HEIGHT, 4, 1, true) };
    abbe_gl_params params = stage_params();
    params.get_proc_address = find_counted;
    params.alone = alone;
    scene.device = stage_adopt(&params);
    scene.plan = apply_plan(scene.device,
                            &(abbe_plan_params){ .width = WIDTH,
                                                 .height = HEIGHT,
                                                 .channels = 4,
                                                 .source_type = ABBE_F32,
                                                 .result_type = ABBE_F32,
                                                 .method = ABBE_METHOD_FFT,
                                                 .nonfinite = ABBE_NONFINITE_TRUST,
                                                 .filters = (const abbe_filter *const *)&scene.filter,
                                                 .filter_count = 1 });
    scene.from = stage_texture(WIDTH, HEIGHT, ABBE_F32, &scene.picture);
    scene.to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &scene.to), ABBE_OK);
    return scene;
}

static void scene_free(struct scene *scene)
{
    glDeleteTextures(1, &scene->from);
    glDeleteTextures(1, &scene->to);
    abbe_plan_destroy(&scene->plan);
    abbe_filter_destroy(&scene->filter);
    abbe_device_close(&scene->device);
    picture_free(&scene->picture);
}

/* Compares the result with sums over the taps. */
static void assert_filtered(const struct scene *scene)
{
    abbe_matrix taps;
    assert_int_equal(abbe_filter_taps(scene->filter, 0, &taps), ABBE_OK);
    struct picture expected = reference_convolve(&scene->picture, ABBE_BORDER_REFLECT, 0, &taps,
                                                 taps.width / 2, taps.height / 2);
    struct picture got = stage_read(scene->to, WIDTH, HEIGHT, ABBE_F32);
    assert_true(apply_near(&got, &expected, 1e-5));
    picture_free(&got);
    picture_free(&expected);
    abbe_matrix_free(&taps);
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

static void asks_nothing(void **state)
{
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct scene scene = scene_create(alone);
        questions = errors_asked = 0;
        assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &scene.to), ABBE_OK);
        if (alone) {
            assert_int_equal(questions, 0);
#ifdef NDEBUG
            assert_int_equal(errors_asked, 0);
#endif
        } else {
            assert_true(questions > 20 && errors_asked > 0); /* the wrappers count */
        }
        assert_filtered(&scene);
        scene_free(&scene);
    }
}

/* State that would break the passes if they did not set it. */
static void disturb(GLuint buffer, GLuint vertices, GLuint sampler)
{
    glEnable(GL_BLEND);
    glEnable(GL_SCISSOR_TEST);
    glEnable(GL_CULL_FACE);
    glEnable(GL_RASTERIZER_DISCARD);
    glCullFace(GL_FRONT_AND_BACK);
    glScissor(0, 0, 1, 1);
    glViewport(3, 3, 2, 2);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glBindVertexArray(vertices);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    for (GLuint unit = 0; unit < 4; unit++)
        glBindSampler(unit, sampler);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 77);
    glPixelStorei(GL_PACK_SKIP_ROWS, 5);
    glUseProgram(0);
}

static GLint integer(GLenum what)
{
    GLint value = -1;
    glGetIntegerv(what, &value);
    return value;
}

static void leaves_what_is_described(void **state)
{
    (void)state;
    struct scene scene = scene_create(true);
    GLuint buffer, vertices, sampler;
    glGenBuffers(1, &buffer);
    glGenVertexArrays(1, &vertices);
    glGenSamplers(1, &sampler);
    disturb(buffer, vertices, sampler);
    assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &scene.to), ABBE_OK);
    static const GLenum unbound[] = { GL_DRAW_FRAMEBUFFER_BINDING,    GL_READ_FRAMEBUFFER_BINDING,
                                      GL_VERTEX_ARRAY_BINDING,        GL_PIXEL_PACK_BUFFER_BINDING,
                                      GL_PIXEL_UNPACK_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING,
                                      GL_UNPACK_ROW_LENGTH,           GL_PACK_SKIP_ROWS };
    for (size_t i = 0; i < sizeof unbound / sizeof *unbound; i++)
        if (integer(unbound[i]) != 0)
            fail_msg("state 0x%04x is %d afterwards", (int)unbound[i], (int)integer(unbound[i]));
    for (GLenum unit = 0; unit < 4; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        assert_int_equal(integer(GL_SAMPLER_BINDING), 0);
    }
    assert_filtered(&scene);
    assert_true(stage_is_clean());
    glDeleteBuffers(1, &buffer);
    glDeleteVertexArrays(1, &vertices);
    glDeleteSamplers(1, &sampler);
    scene_free(&scene);
}

/* Names that need no question to the driver are still checked. */
static void refuses_no_texture(void **state)
{
    (void)state;
    struct scene scene = scene_create(true);
    GLuint none = 0;
    assert_int_equal(abbe_gl_filter(scene.plan, 0, &scene.to), ABBE_ERR_INVALID);
    assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &none), ABBE_ERR_INVALID);
    assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &scene.from), ABBE_ERR_INVALID);
    assert_int_equal(abbe_gl_filter(scene.plan, scene.from, &scene.to), ABBE_OK);
    assert_filtered(&scene);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(asks_nothing),
                                        cmocka_unit_test(leaves_what_is_described),
                                        cmocka_unit_test(refuses_no_texture) };
    int failures = 0;
    unsetenv("ABBE_GL_VALIDATE"); /* it asks for errors, too */
    for (int kind = STAGE_ES; kind <= STAGE_COMPATIBLE; kind++) {
        struct stage stage;
        if (!stage_open((enum stage_kind)kind, &stage))
            return TEST_SKIPPED;
        failures += cmocka_run_group_tests(tests, NULL, NULL);
        stage_close(&stage);
    }
    return failures;
}
