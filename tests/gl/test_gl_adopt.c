/* Adopting an OpenGL context: what is refused and with which message; calls without the context.
 *
 * Needs a software driver; skipped (77) without one. Linked with posix_memalign and free wrapped. */
#include "support/apply.h"
#include "support/faults.h"
#include "support/stage.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = STAGE_WIDTH, HEIGHT = STAGE_HEIGHT };

static struct stage stage;

static void assert_message(const abbe_device *device, const char *words)
{
    if (!strstr(abbe_error_text(device), words))
        fail_msg("'%s' does not say '%s'", abbe_error_text(device), words);
}

static abbe_device *adopt(void)
{
    abbe_gl_params params = stage_params();
    return stage_adopt(&params);
}

/* ---- Adoption ----------------------------------------------------------------------------------------- */

static void not_adopted(const abbe_gl_params *params, int code, const char *words)
{
    static char mark;
    abbe_device *device = (abbe_device *)&mark;
    assert_int_equal(abbe_gl_adopt(params, &device), code);
    assert_ptr_equal(device, &mark);
    assert_message(NULL, words);
}

static void wrong_parameters(void **state)
{
    (void)state;
    abbe_gl_params good = stage_params(), bad = good;
    not_adopted(NULL, ABBE_ERR_INVALID, "params is NULL");
    assert_int_equal(abbe_gl_adopt(&good, NULL), ABBE_ERR_INVALID);
    bad.get_proc_address = NULL;
    not_adopted(&bad, ABBE_ERR_INVALID, "get_proc_address");
    bad = good, bad.size = sizeof bad - 1;
    not_adopted(&bad, ABBE_ERR_INVALID, "params: size is");
    bad = good, bad.options = &(abbe_device_params){ .size = 5 };
    not_adopted(&bad, ABBE_ERR_INVALID, "size is 5");
    bad = good, bad.options = &(abbe_device_params){ .threads = -1 };
    not_adopted(&bad, ABBE_ERR_INVALID, "threads");
    bad = good, bad.words = "llvmpipe";
    not_adopted(&bad, ABBE_ERR_INVALID, "words has 'llvmpipe'");
    bad.words = "fast:one:two";
    not_adopted(&bad, ABBE_ERR_INVALID, "one word too many");
    stage_leave(&stage);
    not_adopted(&good, ABBE_ERR_DEVICE, "no context is current");
    good.get_current_context = NULL;
    not_adopted(&good, ABBE_ERR_DEVICE, "no context is current");
    stage_enter(&stage);
}

/* Functions and values that a simulated driver lacks. */
static struct {
    const char *function;
    int texture_max;
    bool version, floats;
} lacks;

/* Contexts before 3.0 do not know GL_MAJOR_VERSION and GL_MINOR_VERSION. */
static void GL_APIENTRY integer(GLenum what, GLint *value)
{
    bool known = !lacks.version || (what != GL_MAJOR_VERSION && what != GL_MINOR_VERSION);
    glGetIntegerv(known ? what : GL_INVALID_ENUM, value);
    if (what == GL_MAX_TEXTURE_SIZE && lacks.texture_max)
        *value = lacks.texture_max;
}

static const GLubyte *GL_APIENTRY string(GLenum what)
{
    return what == GL_EXTENSIONS && lacks.floats ? (const GLubyte *)"GL_OES_element_index_uint"
                                                 : glGetString(what);
}

static void (*poor_functions(const char *name))(void)
{
    if (lacks.function && !strcmp(name, lacks.function))
        return NULL;
    if (!strcmp(name, "glGetIntegerv"))
        return (void (*)(void))integer;
    return strcmp(name, "glGetString") ? eglGetProcAddress(name) : (void (*)(void))string;
}

static void poor_drivers(void **state)
{
    (void)state;
    static const char *const functions[] = { "glTexStorage3D", "glBindSampler", "glColorMaski",
                                             "glGetTexLevelParameteriv" };
    abbe_gl_params params = stage_params();
    params.get_proc_address = poor_functions;
    for (int i = 0; i < 4; i++) {
        lacks.function = functions[i];
        not_adopted(&params, ABBE_ERR_DEVICE, functions[i]);
    }
    lacks.function = NULL;
    stage_muted = lacks.version = true;
    not_adopted(&params, ABBE_ERR_DEVICE, "must be OpenGL ES 3.0 or OpenGL 4.3");
    assert_true(stage_is_clean());
    stage_muted = lacks.version = false;
    lacks.floats = true;
    not_adopted(&params, ABBE_ERR_DEVICE, "GL_EXT_color_buffer_float");
    lacks.floats = false;
}

/* abbe_gl_params.words chooses engine and precision. */
static void words(void **state)
{
    (void)state;
    static const char *const details[] = { "fast, 32 bits", "moreland, 32 bits", "fialka, 16 bits",
                                           "fast, 16 bits" };
    static const char *const given[] = { NULL, "moreland", "fialka:f16", "f16" };
    abbe_plan_params plan_params = stage_blur(ABBE_F32);
    plan_params.method = ABBE_METHOD_FFT;
    size_t bytes[4];
    for (int i = 0; i < 4; i++) {
        abbe_gl_params params = stage_params();
        params.words = given[i];
        abbe_device *device = stage_adopt(&params);
        assert_non_null(strstr(abbe_device_detail(device), details[i]));
        abbe_plan *plan = apply_plan(device, &plan_params);
        bytes[i] = abbe_plan_choice(plan)->bytes;
        abbe_plan_destroy(&plan);
        abbe_device_close(&device);
    }
    assert_true(bytes[3] < bytes[0] && bytes[2] < bytes[1]);
}

/* ---- Plans -------------------------------------------------------------------------------------------- */

static void refused(abbe_device *device, const abbe_plan_params *params, int code, const char *words)
{
    abbe_plan *plan = apply_plan(device, params);
    GLuint from = stage_texture(params->width, params->height, ABBE_F32, NULL);
    GLuint to = stage_texture(params->width, params->height, ABBE_F32, NULL);
    assert_int_equal(abbe_gl_filter(plan, from, &to), code);
    assert_message(device, words);
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
    abbe_plan_destroy(&plan);
}

static void plans(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    abbe_plan_params params = stage_blur(ABBE_F32);
    params.channels = 3;
    refused(device, &params, ABBE_ERR_INVALID, "plan has 3 channels");
    params = stage_blur(ABBE_F32), params.source_type = ABBE_U16;
    refused(device, &params, ABBE_ERR_UNSUPPORTED, "must be U8, F16 or F32");
    params = stage_blur(ABBE_F32), params.result_type = ABBE_U16;
    refused(device, &params, ABBE_ERR_UNSUPPORTED, "must be U8, F16 or F32");
    params = stage_blur(ABBE_F32), params.nonfinite = ABBE_NONFINITE_ERROR;
    refused(device, &params, ABBE_ERR_INVALID, "ABBE_NONFINITE_ZERO");
    assert_int_equal(abbe_gl_filter(NULL, 1, &(unsigned){ 2 }), ABBE_ERR_INVALID);
    assert_message(NULL, "plan is NULL");
    abbe_device_close(&device);
}

static void plans_of_other_devices(void **state)
{
    (void)state;
    static const char *const names[] = { "cpu", "gl:llvmpipe" };
    const abbe_plan_params params = stage_blur(ABBE_F32);
    for (int i = 0; i < 2; i++) {
        abbe_device *other = NULL;
        assert_int_equal(abbe_device_open(names[i], NULL, &other), ABBE_OK);
        refused(other, &params, ABBE_ERR_INVALID, "abbe_gl_adopt");
        abbe_device_close(&other);
    }
}

/* A picture larger than the largest texture: views are filtered in regions, textures are refused. */
static void too_large(void **state)
{
    (void)state;
    abbe_gl_params poor = stage_params();
    abbe_plan_params params = stage_blur(ABBE_F32);
    poor.get_proc_address = poor_functions;
    lacks.texture_max = 64;
    abbe_device *device = stage_adopt(&poor);
    lacks.texture_max = 0;
    params.width = 100;
    params.method = ABBE_METHOD_DIRECT;
    refused(device, &params, ABBE_ERR_SIZE, "as a whole");
    abbe_device_close(&device);
}

/* ---- Textures ----------------------------------------------------------------------------------------- */

static GLuint other_texture(GLenum target, GLenum format)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexStorage2D(target, 1, format, target == GL_TEXTURE_2D ? WIDTH : HEIGHT, HEIGHT);
    glBindTexture(target, 0);
    return name;
}

static void no_texture(const abbe_plan *plan, const abbe_device *device, GLuint source, GLuint result,
                       const char *which, const char *words)
{
    assert_int_equal(abbe_gl_filter(plan, source, &result), ABBE_ERR_INVALID);
    assert_message(device, which);
    assert_message(device, words);
    assert_true(stage_is_clean());
}

/* Textures that a plan of U8 samples refuses; the first two do not exist. */
enum { WRONG = 10 };
static const struct {
    int width, height;
    abbe_type type;
    GLenum target, format; /* for textures that stage_texture cannot create */
    const char *words;
} wrong[WRONG] = {
    { .words = "texture 0 does not exist" },
    { .words = "texture 54321 does not exist" },
    { WIDTH + 1, HEIGHT, ABBE_U8, 0, 0, "is 17 x 12; the plan is for 16 x 12" },
    { WIDTH, HEIGHT - 1, ABBE_U8, 0, 0, "is 16 x 11; the plan is for 16 x 12" },
    { WIDTH, HEIGHT, ABBE_F16, 0, 0, "does not have the format RGBA8" },
    { WIDTH, HEIGHT, ABBE_F32, 0, 0, "does not have the format RGBA8" },
    { .target = GL_TEXTURE_2D, .format = GL_SRGB8_ALPHA8, .words = "does not have the format RGBA8" },
    { .target = GL_TEXTURE_2D, .format = GL_RGBA8UI, .words = "does not have the format RGBA8" },
    { .target = GL_TEXTURE_2D, .format = GL_RGB8, .words = "does not have the format RGBA8" },
    { .target = GL_TEXTURE_CUBE_MAP, .format = GL_RGBA8, .words = "is not a two-dimensional texture" },
};

static GLuint wrong_texture(int number)
{
    if (number < 2)
        return number ? 54321 : 0;
    if (wrong[number].target)
        return other_texture(wrong[number].target, wrong[number].format);
    return stage_texture(wrong[number].width, wrong[number].height, wrong[number].type, NULL);
}

static void wrong_textures(const abbe_plan *plan, const abbe_device *device, const GLuint good[2])
{
    stage_muted = true; /* the driver reports that a cube map is bound as a 2-D texture */
    for (int i = 0; i < WRONG; i++) {
        GLuint bad = wrong_texture(i);
        no_texture(plan, device, bad, good[1], "source", wrong[i].words);
        no_texture(plan, device, good[0], bad, "result 1", wrong[i].words);
        if (i > 1)
            glDeleteTextures(1, &bad);
    }
    stage_muted = false;
    no_texture(plan, device, good[0], good[0], "result 1", "is the source");
    assert_int_equal(abbe_gl_filter(plan, good[0], NULL), ABBE_ERR_INVALID);
    assert_message(device, "results is NULL");
}

/* A refused call leaves the result unchanged. */
static void textures(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    const abbe_plan_params params = stage_blur(ABBE_U8);
    abbe_plan *plan = apply_plan(device, &params);
    struct picture noise = apply_noise(WIDTH, HEIGHT, 4, 1, true);
    GLuint good[2];
    for (int i = 0; i < 2; i++)
        good[i] = stage_texture(WIDTH, HEIGHT, ABBE_U8, &noise);
    wrong_textures(plan, device, good);
    struct picture still = stage_read(good[1], WIDTH, HEIGHT, ABBE_U8);
    assert_true(apply_near(&still, &noise, 0.5 / 255 + 1e-6));
    picture_free(&still);
    picture_free(&noise);
    glDeleteTextures(2, good);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

static void twice_in_a_bank(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    abbe_plan_params params = stage_blur(ABBE_U8);
    const abbe_filter *both[] = { params.filters[0], params.filters[0] };
    params.filters = both;
    params.filter_count = 2;
    abbe_plan *plan = apply_plan(device, &params);
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_U8, NULL),
           to = stage_texture(WIDTH, HEIGHT, ABBE_U8, NULL);
    assert_int_equal(abbe_gl_filter(plan, from, (GLuint[]){ to, to }), ABBE_ERR_INVALID);
    assert_message(device, "result 2 is also result 1");
    glDeleteTextures(1, &from);
    glDeleteTextures(1, &to);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

/* Textures with an unsized format, as in OpenGL ES 2. */
static void unsized(void **state)
{
    (void)state;
    abbe_device *device = adopt();
    const abbe_plan_params params = stage_blur(ABBE_U8);
    abbe_plan *plan = apply_plan(device, &params);
    GLuint names[2];
    glGenTextures(2, names);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, names[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    }
    if (abbe_gl_filter(plan, names[0], &names[1]))
        fail_msg("%s", abbe_error_text(device));
    glDeleteTextures(2, names);
    abbe_plan_destroy(&plan);
    abbe_device_close(&device);
}

/* ---- Current contexts --------------------------------------------------------------------------------- */

static void all_fail(abbe_device *device, const abbe_plan *plan, GLuint from, GLuint to)
{
    static float pixels[WIDTH * HEIGHT * 4];
    static const char words[] = "not current to this thread";
    const abbe_image view = { .data = pixels,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .channels = 4,
                              .stride = WIDTH * 16,
                              .type = ABBE_F32 };
    const abbe_plan_params params = stage_blur(ABBE_F32);
    abbe_plan *none = NULL;
    assert_int_equal(abbe_gl_filter(plan, from, &to), ABBE_ERR_DEVICE);
    assert_message(device, words);
    assert_int_equal(abbe_run(plan, &view, &view), ABBE_ERR_DEVICE);
    assert_message(device, words);
    assert_int_equal(abbe_plan_create(device, &params, &none), ABBE_ERR_DEVICE);
    assert_message(device, words);
    assert_null(none);
}

/* Calls without the context and, if the device can detect it, with another one, whose objects are not
 * touched. */
static void check_elsewhere(const abbe_gl_params *params)
{
    const abbe_plan_params plan_params = stage_blur(ABBE_F32);
    struct stage other = { 0 };
    size_t live = faults_live();
    abbe_device *device = stage_adopt(params);
    abbe_plan *plan = apply_plan(device, &plan_params);
    GLuint from = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL),
           to = stage_texture(WIDTH, HEIGHT, ABBE_F32, NULL);
    assert_int_equal(abbe_gl_filter(plan, from, &to), ABBE_OK);
    stage_leave(&stage);
    all_fail(device, plan, from, to);
    if (params->get_current_context) {
        assert_true(stage_open(STAGE_ES, &other));
        all_fail(device, plan, from, to);
    }
    abbe_plan_destroy(&plan);
    const abbe_device *gone = device;
    abbe_device_close(&device);
    assert_string_equal(abbe_error_text(gone), ""); /* a new device may have the same address */
    assert_int_equal(faults_live(), live);
    if (other.context)
        stage_close(&other);
    stage_enter(&stage);
}

static void elsewhere(void **state)
{
    (void)state;
    abbe_gl_params params = stage_params();
    check_elsewhere(&params);
    params.get_current_context = NULL;
    check_elsewhere(&params);
}

int main(void)
{
    if (!stage_open(STAGE_ES, &stage)) {
        printf("no software driver of OpenGL ES\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_parameters),
        cmocka_unit_test(words),
        cmocka_unit_test(poor_drivers),
        cmocka_unit_test(plans),
        cmocka_unit_test(plans_of_other_devices),
        cmocka_unit_test(too_large),
        cmocka_unit_test(textures),
        cmocka_unit_test(twice_in_a_bank),
        cmocka_unit_test(unsized),
        cmocka_unit_test(elsewhere),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    stage_close(&stage);
    return failures;
}
