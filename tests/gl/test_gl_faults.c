/* Failures of the GL device: no EGL, no display, no OpenGL ES 3.0, no float targets, old drivers, small
 * limits, and a failure of every call that can fail.
 *
 * Needs a software driver; skipped (77) without one. Linked with dlopen and dlsym wrapped. */
#include "gl/run.h"
#include "support/apply.h"
#include "support/blur.h"
#include "support/drivers.h"
#include "support/test.h"
#include "support/trial.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "gl:llvmpipe";

/* ---- A simulated driver that lacks something ---------------------------------------------------------- */

static struct {
    bool devices, display, context, floats, surfaceless;
    const char *function;
    int texture_max, draw_buffers;
} lacks;

static PFNEGLGETPROCADDRESSPROC real_find;
static PFNEGLQUERYSTRINGPROC real_query;
static PFNGLGETSTRINGPROC real_string;
static PFNGLGETINTEGERVPROC real_integer;

/* Copies a list of extensions with every occurrence of a word overwritten. */
static const char *without(const char *list, const char *word, char *copy, size_t size)
{
    snprintf(copy, size, "%s", list ? list : "");
    for (char *found; (found = strstr(copy, word));)
        memset(found, 'x', strlen(word));
    return copy;
}

static const GLubyte *GL_APIENTRY shim_string(GLenum which)
{
    static char copy[1 << 15];
    const char *list = (const char *)real_string(which);
    return which == GL_EXTENSIONS && lacks.floats
               ? (const GLubyte *)without(list, "GL_EXT_color_buffer_float", copy, sizeof copy)
               : (const GLubyte *)list;
}

static void GL_APIENTRY shim_integer(GLenum which, GLint *value)
{
    real_integer(which, value);
    if (which == GL_MAX_TEXTURE_SIZE && lacks.texture_max)
        *value = lacks.texture_max;
    if (which == GL_MAX_DRAW_BUFFERS && lacks.draw_buffers)
        *value = lacks.draw_buffers;
}

static __eglMustCastToProperFunctionPointerType EGLAPIENTRY shim_find(const char *function)
{
    __eglMustCastToProperFunctionPointerType found = real_find(function);
    if ((lacks.devices && !strcmp(function, "eglQueryDevicesEXT")) ||
        (lacks.display && !strcmp(function, "eglGetPlatformDisplayEXT")) ||
        (lacks.function && !strcmp(function, lacks.function)))
        return NULL;
    if (!strcmp(function, "glGetString")) {
        real_string = (PFNGLGETSTRINGPROC)found;
        return (__eglMustCastToProperFunctionPointerType)shim_string;
    }
    if (!strcmp(function, "glGetIntegerv")) {
        real_integer = (PFNGLGETINTEGERVPROC)found;
        return (__eglMustCastToProperFunctionPointerType)shim_integer;
    }
    return found;
}

static const char *EGLAPIENTRY shim_query(EGLDisplay display, EGLint which)
{
    static char copy[1 << 14], shorter[1 << 14];
    const char *list = real_query(display, which);
    if (which != EGL_EXTENSIONS || !lacks.surfaceless || !display)
        return list;
    without(list, "EGL_KHR_surfaceless_context", copy, sizeof copy);
    without(copy, "EGL_KHR_no_config_context", shorter, sizeof shorter);
    return without(shorter, "EGL_MESA_configless_context", copy, sizeof copy);
}

static EGLDisplay EGLAPIENTRY no_display(EGLNativeDisplayType which)
{
    (void)which;
    return EGL_NO_DISPLAY;
}

static EGLContext EGLAPIENTRY no_context(EGLDisplay display, EGLConfig config, EGLContext shared,
                                         const EGLint *attributes)
{
    (void)display, (void)config, (void)shared, (void)attributes;
    return EGL_NO_CONTEXT;
}

/* Replaces the functions of EGL that lead to what is lacking. */
static void *replace_symbol(const char *symbol, void *found)
{
    void *shim = NULL;
    if (lacks.function && !strcmp(symbol, lacks.function))
        return NULL;
    if (!strcmp(symbol, "eglGetProcAddress")) {
        memcpy(&real_find, &found, sizeof found);
        memcpy(&shim, &(PFNEGLGETPROCADDRESSPROC){ shim_find }, sizeof shim);
    } else if (!strcmp(symbol, "eglQueryString")) {
        memcpy(&real_query, &found, sizeof found);
        memcpy(&shim, &(PFNEGLQUERYSTRINGPROC){ shim_query }, sizeof shim);
    } else if (lacks.display && !strcmp(symbol, "eglGetDisplay"))
        memcpy(&shim, &(PFNEGLGETDISPLAYPROC){ no_display }, sizeof shim);
    else if (lacks.context && !strcmp(symbol, "eglCreateContext"))
        memcpy(&shim, &(PFNEGLCREATECONTEXTPROC){ no_context }, sizeof shim);
    return shim ? shim : found;
}

static void have_all(void)
{
    memset(&lacks, 0, sizeof lacks);
    drivers = (struct drivers){ .replace = replace_symbol };
}

/* ---- Opening ------------------------------------------------------------------------------------------ */

/* Opening fails with that message, and `auto` still opens. */
static void refused(const char *device_name, const char *part)
{
    abbe_device *device = NULL;
    drivers_assert_refused(device_name, part);
    assert_int_equal(abbe_device_open("auto", NULL, &device), ABBE_OK);
    abbe_device_close(&device);
    have_all();
}

static void nothing_there(void **state)
{
    (void)state;
    drivers.missing_library = "libEGL";
    refused("gl", "libEGL.so.1");
    lacks.function = "eglMakeCurrent";
    refused(name, "eglMakeCurrent");
    lacks.devices = lacks.display = true;
    refused(name, "llvmpipe");
    lacks.devices = lacks.display = true;
    refused("gl", "EGL has no display");
    lacks.context = true;
    refused("gl", "no driver has OpenGL ES 3.0");
    lacks.floats = true;
    refused(name, "float render targets");
    drivers.missing_library = "libGLES";
    lacks.function = "glTexStorage3D";
    refused(name, "glTexStorage3D was not found");
}

static void no_such_gpu(void **state)
{
    (void)state;
    refused("gl:nobody", "no GPU or driver is called 'nobody'");
    refused("gl:99", "counted from 0");
    refused("gl:fast:llvmpipe:again", "'again' is one word too many");
}

/* A software driver is opened only by name or with ABBE_GL_SOFTWARE. */
static void software_is_asked_for(void **state)
{
    (void)state;
    drivers_assert_software_on_request("gl", "ABBE_GL_SOFTWARE");
}

/* ---- Filtering with less ------------------------------------------------------------------------------ */

static bool filters(abbe_device *device, abbe_method method, int width, int height)
{
    struct random random = { 5 };
    struct trial_kernel kernel = trial_kernel_create(5, 4, TAPS_SEPARABLE, true, &random);
    struct trial trial = { .seed = (uint64_t)width,
                           .width = width,
                           .height = height,
                           .channels = 3,
                           .source_type = ABBE_F32,
                           .result_type = ABBE_F32,
                           .method = method };
    struct trial_case one = trial_case_create(&trial, &kernel);
    bool good = trial_run(device, &trial, &kernel, &one);
    trial_case_free(&one);
    trial_kernel_free(&kernel);
    return good;
}

static void old_drivers(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    for (int i = 0; i < 3; i++) {
        lacks.devices = i == 0;
        lacks.surfaceless = i == 1;
        lacks.draw_buffers = i == 2 ? 4 : 0;
        if (abbe_device_open(name, NULL, &device))
            fail_msg("%d: %s", i, abbe_error_text(NULL));
        for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
            assert_true(filters(device, (abbe_method)method, 60, 36));
        abbe_device_close(&device);
        have_all();
    }
}

static int plan_of(abbe_device *device, const char *text, abbe_method method, int side)
{
    abbe_filter *filter = apply_filter(text);
    abbe_plan *plan = NULL;
    abbe_plan_params params = { .width = side,
                                .height = side,
                                .channels = 1,
                                .source_type = ABBE_U8,
                                .result_type = ABBE_U8,
                                .filters = (const abbe_filter *const *)&filter,
                                .filter_count = 1,
                                .method = method };
    int error = abbe_plan_create(device, &params, &plan);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    return error;
}

/* Pictures beyond the largest texture are filtered in regions; methods that need the whole picture report the
 * limit. */
static void small_textures(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    lacks.texture_max = 64;
    assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_OK);
    assert_true(filters(device, ABBE_METHOD_DIRECT, 150, 190));
    assert_true(filters(device, ABBE_METHOD_SEPARABLE, 150, 190));
    assert_true(filters(device, ABBE_METHOD_TILES, 150, 190));
    assert_true(filters(device, ABBE_METHOD_AUTO, 150, 190));
    assert_int_equal(plan_of(device, "gaussian:sigma=1", ABBE_METHOD_FFT, 150), ABBE_ERR_SIZE);
    assert_non_null(strstr(abbe_error_text(device), "long enough: 64 texels"));
    assert_int_equal(plan_of(device, "lowpass", ABBE_METHOD_AUTO, 150), ABBE_ERR_SIZE);
    assert_non_null(strstr(abbe_error_text(device), "long enough: 64 texels"));
    assert_int_equal(plan_of(device, "gaussian:sigma=30", ABBE_METHOD_SEPARABLE, 150), ABBE_ERR_SIZE);
    abbe_device_close(&device);
    have_all();
}

/* ---- Every call --------------------------------------------------------------------------------------- */

static struct gl_functions real;
static long until;
static GLenum failure, pending;

/* Whether this call fails; it then does nothing, and the next glGetError reports the failure. */
static bool fails(void)
{
    bool now = until-- == 0;
    if (now)
        pending = failure;
    return now;
}

static GLenum GL_APIENTRY shim_GetError(void)
{
    GLenum code = pending ? pending : real.GetError();
    pending = GL_NO_ERROR;
    return code;
}

/* Functions that can fail: name, parameters, arguments. */
#define CALLS(DO)                                                                                          \
    DO(TexStorage3D, (GLenum a, GLsizei b, GLenum c, GLsizei d, GLsizei e, GLsizei f), (a, b, c, d, e, f)) \
    DO(TexSubImage3D,                                                                                      \
       (GLenum a, GLint b, GLint c, GLint d, GLint e, GLsizei f, GLsizei g, GLsizei h, GLenum i, GLenum j, \
        const void *k),                                                                                    \
       (a, b, c, d, e, f, g, h, i, j, k))                                                                  \
    DO(FramebufferTextureLayer, (GLenum a, GLenum b, GLuint c, GLint d, GLint e), (a, b, c, d, e))         \
    DO(BufferData, (GLenum a, GLsizeiptr b, const void *c, GLenum d), (a, b, c, d))                        \
    DO(DrawArrays, (GLenum a, GLint b, GLsizei c), (a, b, c))                                              \
    DO(ReadPixels, (GLint a, GLint b, GLsizei c, GLsizei d, GLenum e, GLenum f, void *g),                  \
       (a, b, c, d, e, f, g))

#define SHIM(call, parameters, arguments)          \
    static void GL_APIENTRY shim_##call parameters \
    {                                              \
        if (!fails())                              \
            real.call arguments;                   \
    }
CALLS(SHIM)

static void put_shims(struct gl *gl)
{
    real = gl->f;
    gl->f.GetError = shim_GetError;
#define PUT(call, parameters, arguments) gl->f.call = shim_##call;
    CALLS(PUT)
}

static void fail_call(long n)
{
    until = n;
}

static bool call_failed(void)
{
    return until < 0;
}

static void every_call(void **state)
{
    (void)state;
    static const char *const engines[] = { "gl:fast:llvmpipe", "gl:fialka:llvmpipe", "gl:moreland:llvmpipe" };
    const GLenum failures[] = { GL_OUT_OF_MEMORY, GL_INVALID_OPERATION, GL_OUT_OF_MEMORY };
    for (int i = 0; i < 3; i++) {
        abbe_device *device = NULL;
        assert_int_equal(abbe_device_open(engines[i], &(abbe_device_params){ .threads = 1 }, &device),
                         ABBE_OK);
        put_shims((struct gl *)device);
        failure = failures[i];
        const struct drivers_calls calls = { fail_call, call_failed,
                                             i == 1 ? ABBE_ERR_DEVICE : ABBE_ERR_MEMORY };
        for (int method = i ? ABBE_METHOD_FFT : ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++)
            assert_true(drivers_fail_each_call(device, (abbe_method)method, &calls) > 10);
        abbe_device_close(&device);
    }
}

/* Runs a bank of two blurs, the first of them in place. */
static int blur_over_source(abbe_device *device, abbe_method method, float *samples, float *other)
{
    abbe_filter *blur = apply_filter("gaussian:sigma=1");
    abbe_plan *plan = NULL;
    const abbe_filter *both[] = { blur, blur };
    const abbe_plan_params params = { .width = BLUR_WIDTH,
                                      .height = BLUR_HEIGHT,
                                      .channels = 1,
                                      .source_type = ABBE_F32,
                                      .result_type = ABBE_F32,
                                      .filters = both,
                                      .filter_count = 2,
                                      .method = method };
    abbe_image source = blur_view(samples), results[] = { source, blur_view(other) };
    int error = abbe_plan_create(device, &params, &plan);
    if (!error)
        error = abbe_run(plan, &source, results);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&blur);
    return error;
}

/* Whichever call of a bank fails, also after its first result is written: a source that is also a result is
 * restored. */
static void source_survives(void **state)
{
    (void)state;
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open(name, &(abbe_device_params){ .threads = 1 }, &device), ABBE_OK);
    put_shims((struct gl *)device);
    failure = GL_OUT_OF_MEMORY;
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        float samples[BLUR_SAMPLES], other[BLUR_SAMPLES];
        int error = ABBE_ERR_MEMORY;
        for (long n = 0; error; n++) {
            memcpy(samples, blur_source().data, sizeof samples);
            until = n;
            error = blur_over_source(device, (abbe_method)method, samples, other);
            if (error && memcmp(samples, blur_source().data, sizeof samples))
                fail_msg("%s, call %ld: the source is lost", abbe_method_name((abbe_method)method), n);
        }
        blur_assert_right(samples);
        blur_assert_right(other);
    }
    abbe_device_close(&device);
}

/* ---- Shaders ------------------------------------------------------------------------------------------ */

static void GL_APIENTRY not_compiled(GLuint shader, GLenum which, GLint *value)
{
    (void)shader, (void)which;
    *value = GL_FALSE;
}

static void GL_APIENTRY complain(GLuint shader, GLsizei size, GLsizei *length, GLchar *log)
{
    (void)shader, (void)length;
    snprintf(log, (size_t)size, "0:7: no such thing\nand so on");
}

static void shaders_that_do_not_compile(void **state)
{
    (void)state;
    float out[BLUR_SAMPLES];
    abbe_device *device = NULL;
    assert_int_equal(abbe_device_open(name, NULL, &device), ABBE_OK);
    struct gl *gl = (struct gl *)device;
    for (int i = 0; i < 2; i++) {
        struct gl_functions before = gl->f;
        if (i == 0) {
            gl->f.GetShaderiv = not_compiled;
            gl->f.GetShaderInfoLog = complain;
        } else {
            gl->f.GetProgramiv = not_compiled;
            gl->f.GetProgramInfoLog = complain;
        }
        assert_int_equal(blur_run(device, ABBE_METHOD_FFT, out), ABBE_ERR_DEVICE);
        assert_non_null(strstr(abbe_error_text(device), "0:7: no such thing"));
        assert_null(strchr(abbe_error_text(device), '\n'));
        gl->f = before;
    }
    assert_int_equal(blur_run(device, ABBE_METHOD_FFT, out), ABBE_OK);
    blur_assert_right(out);
    abbe_device_close(&device);
}

int main(void)
{
    have_all();
    test_require_device(name);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_there),         cmocka_unit_test(no_such_gpu),
        cmocka_unit_test(software_is_asked_for), cmocka_unit_test(old_drivers),
        cmocka_unit_test(small_textures),        cmocka_unit_test(every_call),
        cmocka_unit_test(source_survives),       cmocka_unit_test(shaders_that_do_not_compile),
    };
    return cmocka_run_group_tests(tests, blur_make_expected, NULL);
}
