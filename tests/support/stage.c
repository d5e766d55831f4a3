/* Contexts that EGL opens without a window, and transfer of textures. */
#include "support/stage.h"

#include "support/apply.h"

#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Contexts ----------------------------------------------------------------------------------------- */

bool stage_muted;

static void GL_APIENTRY print_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                      const GLchar *message, const void *user)
{
    (void)source, (void)type, (void)id, (void)length, (void)user;
    if (!stage_muted && (severity == GL_DEBUG_SEVERITY_HIGH || severity == GL_DEBUG_SEVERITY_MEDIUM))
        fprintf(stderr, "gl debug: %s\n", message);
}

static bool make_context(enum stage_kind kind, struct stage *stage)
{
    EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION,
                         kind == STAGE_ES ? 3 : 4,
                         EGL_CONTEXT_MINOR_VERSION,
                         kind == STAGE_ES ? 0 : 3,
                         EGL_CONTEXT_OPENGL_DEBUG,
                         EGL_TRUE,
                         kind == STAGE_ES ? EGL_NONE : EGL_CONTEXT_OPENGL_PROFILE_MASK,
                         kind == STAGE_CORE ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT
                                            : EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                         EGL_NONE };
    if (!eglBindAPI(kind == STAGE_ES ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        return false;
    stage->context = eglCreateContext(stage->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    return stage->context && eglMakeCurrent(stage->display, EGL_NO_SURFACE, EGL_NO_SURFACE, stage->context);
}

bool stage_open(enum stage_kind kind, struct stage *stage)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
        "eglGetPlatformDisplayEXT");
    *stage = (struct stage){ 0 };
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 0);
    if (get)
        stage->display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!stage->display || !eglInitialize(stage->display, NULL, NULL) || !make_context(kind, stage))
        return false;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(print_message, NULL);
    return strstr((const char *)glGetString(GL_RENDERER), "llvmpipe") != NULL;
}

void stage_enter(const struct stage *stage)
{
    eglMakeCurrent(stage->display, EGL_NO_SURFACE, EGL_NO_SURFACE, stage->context);
}

void stage_leave(const struct stage *stage)
{
    eglMakeCurrent(stage->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

void stage_close(struct stage *stage)
{
    stage_leave(stage);
    eglDestroyContext(stage->display, stage->context);
    *stage = (struct stage){ 0 };
}

abbe_gl_params stage_params(void)
{
    return (abbe_gl_params){ .get_proc_address = eglGetProcAddress,
                             .get_current_context = eglGetCurrentContext,
                             .top_down = true };
}

abbe_device *stage_adopt(const abbe_gl_params *params)
{
    abbe_device *device = NULL;
    if (abbe_gl_adopt(params, &device)) {
        printf("%s\n", abbe_error_text(NULL));
        exit(1);
    }
    return device;
}

abbe_plan_params stage_blur(abbe_type type)
{
    static const abbe_filter *blur;
    if (!blur)
        blur = apply_filter("box:radius=1");
    return (abbe_plan_params){ .width = STAGE_WIDTH,
                               .height = STAGE_HEIGHT,
                               .channels = 4,
                               .source_type = type,
                               .result_type = type,
                               .nonfinite = ABBE_NONFINITE_TRUST,
                               .filters = &blur,
                               .filter_count = 1 };
}

bool stage_is_clean(void)
{
    GLenum error = glGetError();
    if (error != GL_NO_ERROR)
        printf("OpenGL error %#x\n", error);
    return error == GL_NO_ERROR;
}

/* ---- Textures ----------------------------------------------------------------------------------------- */

static const struct {
    GLenum internal, type;
} formats[] = {
    [ABBE_U8] = { GL_RGBA8, GL_UNSIGNED_BYTE },
    [ABBE_F16] = { GL_RGBA16F, GL_HALF_FLOAT },
    [ABBE_F32] = { GL_RGBA32F, GL_FLOAT },
};

GLuint stage_texture(int width, int height, abbe_type type, const struct picture *picture)
{
    GLuint name = 0;
    struct stored pixels = stored_create(width, height, 4, type, 0, false, true);
    if (picture)
        stored_write(&pixels, picture);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)formats[type].internal, width, height, 0, GL_RGBA,
                 formats[type].type, pixels.view.data);
    glBindTexture(GL_TEXTURE_2D, 0);
    stored_free(&pixels);
    return name;
}

struct picture stage_read(GLuint texture, int width, int height, abbe_type type)
{
    GLuint framebuffer = 0;
    struct stored pixels = stored_create(width, height, 4, type, 0, false, true);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glReadPixels(0, 0, width, height, GL_RGBA, formats[type].type, pixels.view.data);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    struct picture picture = stored_read(&pixels);
    stored_free(&pixels);
    return picture;
}
