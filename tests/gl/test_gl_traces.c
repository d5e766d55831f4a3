/* What work in an adopted OpenGL context leaves behind: no object, no memory, no pixel on the host; on
 * success, when memory is full, and when the driver reports errors.
 *
 * Needs a software driver; skipped (77) without one. Linked with posix_memalign and free wrapped. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/stage.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = STAGE_WIDTH, HEIGHT = STAGE_HEIGHT, NAMES_MAX = 4096 };

/* ---- No pixel passes through the host ----------------------------------------------------------------- */

/* Counts of calls that upload or download pixels, or wait for the GPU. */
static int transfers;

static void GL_APIENTRY read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                                    GLenum type, void *pixels)
{
    transfers++;
    glReadPixels(x, y, width, height, format, type, pixels);
}

static void GL_APIENTRY write_pixels(GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width,
                                     GLsizei height, GLsizei depth, GLenum format, GLenum type,
                                     const void *pixels)
{
    transfers++;
    glTexSubImage3D(target, level, x, y, z, width, height, depth, format, type, pixels);
}

static void GL_APIENTRY write_buffer(GLenum target, GLsizeiptr size, const void *data, GLenum usage)
{
    transfers++;
    glBufferData(target, size, data, usage);
}

static void GL_APIENTRY finish(void)
{
    transfers++;
    glFinish();
}

static void (*counting_functions(const char *name))(void)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } counted[] = { { "glReadPixels", (void (*)(void))read_pixels },
                    { "glTexSubImage3D", (void (*)(void))write_pixels },
                    { "glBufferData", (void (*)(void))write_buffer },
                    { "glFinish", (void (*)(void))finish } };
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, counted[i].name))
            return counted[i].function;
    return eglGetProcAddress(name);
}

/* Creating a plan uploads spectra or taps, and a run on views its pixels; filtering textures does neither. */
static void stays_on_the_card(void **state)
{
    (void)state;
    static float pixels[WIDTH * HEIGHT * 4];
    const abbe_image view = { .data = pixels,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = 4,
                              .stride = WIDTH * 16,
                              .type = ABBE_F32 };
    abbe_gl_params params = stage_params();
    abbe_plan_params plan_params = stage_blur(ABBE_F32);
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL),
           to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    params.get_proc_address = counting_functions;
    abbe_device *device = stage_adopt(&params);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        plan_params.method = (abbe_method)method;
        transfers = 0;
        abbe_plan *plan = apply_plan(device, &plan_params);
        assert_true(transfers > 0);
        transfers = 0;
        assert_int_equal(abbe_gl_filter(plan, from, &to), ABBE_OK);
        assert_int_equal(transfers, 0);
        assert_int_equal(abbe_run(plan, &view, &view), ABBE_OK);
        assert_int_equal(transfers, 2);
        abbe_plan_destroy(&plan);
    }
    abbe_device_close(&device);
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
}

/* ---- No object is left behind ------------------------------------------------------------------------- */

/* OpenGL objects that exist. */
static int objects(void)
{
    int count = 0;
    for (GLuint i = 1; i < NAMES_MAX; i++)
        count += glIsTexture(i) + glIsFramebuffer(i) + glIsProgram(i) + glIsShader(i) + glIsBuffer(i) +
                 glIsVertexArray(i) + glIsSampler(i);
    return count;
}

static int try_with(const abbe_gl_params *params, GLuint from, GLuint to, abbe_method method)
{
    abbe_plan_params plan_params = stage_blur(ABBE_F32);
    abbe_device *device = NULL;
    abbe_plan *plan = NULL;
    plan_params.method = method;
    int error = abbe_gl_adopt(params, &device);
    if (!error)
        error = abbe_plan_create(device, &plan_params, &plan);
    if (!error)
        error = abbe_gl_filter(plan, from, &to);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    return error;
}

static void exhaust(GLuint from, GLuint to, abbe_method method)
{
    const abbe_gl_params params = stage_params();
    size_t live = faults_live();
    int before = objects();
    bool failed = true;
    for (long n = 0; failed; n++) {
        faults_arm(n, n % 2);
        int error = try_with(&params, from, to, method);
        failed = faults_disarm();
        if (error != (failed ? ABBE_ERR_MEMORY : ABBE_OK))
            fail_msg("allocation %ld: %s", n, abbe_error_name(error));
        assert_int_equal(faults_live(), live);
        assert_int_equal(objects(), before);
    }
}

static void no_memory(void **state)
{
    (void)state;
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    GLuint to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
        exhaust(from, to, (abbe_method)method);
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
}

/* A driver whose glGetError reports GL_OUT_OF_MEMORY once, after `answers` other calls. */
static long answers;

static GLenum GL_APIENTRY no_memory_left(void)
{
    return answers-- == 0 ? GL_OUT_OF_MEMORY : glGetError();
}

static void (*failing_functions(const char *name))(void)
{
    return strcmp(name, "glGetError") ? eglGetProcAddress(name) : (void (*)(void))no_memory_left;
}

/* Every call of glGetError reports an error in turn: the library call fails, or goes on if it was dropping
 * errors of the application. Nothing is left behind either way. */
static void driver_fails(void **state)
{
    (void)state;
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL),
           to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    abbe_gl_params params = stage_params();
    int before = objects(), failures = 0;
    params.get_proc_address = failing_functions;
    for (long n = 0, left = -1; left < 0; n++) {
        answers = n;
        int error = try_with(&params, from, to, ABBE_METHOD_FFT);
        left = answers;
        failures += error == ABBE_ERR_MEMORY;
        assert_true(!error || error == ABBE_ERR_MEMORY || error == ABBE_ERR_INVALID);
        assert_true(!error || left < 0);
        assert_int_equal(objects(), before);
    }
    assert_true(failures > 10);
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
}

/* A thousand frames, each into a new texture. */
static void frames(void **state)
{
    (void)state;
    const abbe_gl_params ours = stage_params();
    abbe_device *device = stage_adopt(&ours);
    const abbe_plan_params params = stage_blur(ABBE_F32);
    abbe_plan *plan = apply_plan(device, &params);
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    int before = 0;
    size_t live = 0;
    for (int i = 0; i < 1000; i++) {
        GLuint to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
        assert_int_equal(abbe_gl_filter(plan, from, &to), ABBE_OK);
        glDeleteTextures(1, &to);
        if (i == 0) {
            before = objects();
            live = faults_live();
        }
    }
    assert_int_equal(objects(), before);
    assert_int_equal(faults_live(), live);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
    glDeleteTextures(1, &from);
    assert_int_equal(objects(), 0);
    assert_true(stage_is_clean());
}

int main(void)
{
    struct stage stage;
    if (!stage_open(STAGE_ES, &stage)) {
        printf("no software driver of OpenGL ES\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),
        cmocka_unit_test(stays_on_the_card),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(driver_fails),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    stage_close(&stage);
    return failures;
}
