/* Owns the OpenGL context that the contenders share. */
#include "stage.h"

#include <context.h>
#include <gl.h>
#include <string.h>

static struct {
    struct scene_context *context;
    struct scene *scene;
    struct scene_gl gl;
    int users;
} stage;

/* ---- The context --------------------------------------------------------------------------------------- */

void stage_close(void)
{
    if (--stage.users > 0)
        return;
    scene_destroy(&stage.scene);
    scene_context_close(&stage.context);
}

/* The scene uses the best driver of the machine, which need not be the driver of the named device. */
static bool check_driver(const char *name, char reason[SCENE_REASON])
{
    enum { COMPARED = 60 }; /* abbe_device_detail begins with this many characters of the driver's name */
    const char *driver = scene_context_driver(stage.context);
    abbe_device *device = NULL;
    if (abbe_device_open(name, NULL, &device))
        return scene_refuse(reason, "%s", abbe_error_text(NULL));
    bool same = !strncmp(abbe_device_detail(device), driver, strnlen(driver, COMPARED));
    if (!same)
        scene_refuse(reason, "the scene is drawn by %s, which is not the device '%s'", driver, name);
    abbe_device_close(&device);
    return same;
}

bool stage_open(const char *device, char reason[SCENE_REASON])
{
    if (stage.users++ > 0)
        return true;
    stage.context = scene_context_open(reason);
    if (stage.context && check_driver(device, reason) &&
        scene_load(&stage.gl, scene_context_functions(stage.context), reason))
        return true;
    stage_close();
    return false;
}

void (*stage_function(const char *name))(void)
{
    return scene_context_functions(stage.context)(name);
}

const char *stage_driver(void)
{
    return scene_context_driver(stage.context);
}

int stage_adopt(const char *engine, int threads, void (*(*look_up)(const char *))(void), abbe_device **device)
{
    return abbe_gl_adopt(&(abbe_gl_params){ .get_proc_address = look_up ? look_up : stage_function,
                                            .words = engine,
                                            .top_down = true,
                                            .options = &(abbe_device_params){ .threads = threads } },
                         device);
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

bool stage_picture_create(const abbe_image *like, struct scene_picture *picture, char reason[SCENE_REASON])
{
    return scene_picture_create(&stage.gl, like->width, like->height, picture, reason);
}

void stage_picture_destroy(struct scene_picture *picture)
{
    scene_picture_destroy(&stage.gl, picture);
}

bool stage_upload(const struct scene_picture *picture, const void *rgba)
{
    const struct scene_gl *gl = &stage.gl;
    gl->BindTexture(GL_TEXTURE_2D, picture->texture);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, picture->width, picture->height, GL_RGBA, GL_FLOAT, rgba);
    return gl->GetError() == GL_NO_ERROR;
}

bool stage_download(const struct scene_picture *picture, void *rgba)
{
    const struct scene_gl *gl = &stage.gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, picture->framebuffer);
    gl->ReadPixels(0, 0, picture->width, picture->height, GL_RGBA, GL_FLOAT, rgba);
    return gl->GetError() == GL_NO_ERROR;
}

bool stage_draw(const struct scene_params *view, const struct scene_picture *picture,
                char reason[SCENE_REASON])
{
    if (!stage.scene)
        stage.scene = scene_create(scene_context_functions(stage.context), reason);
    return stage.scene && scene_render(stage.scene, view, picture->framebuffer, reason);
}

void stage_finish(void)
{
    stage.gl.Finish();
}
