/* Creates the scene and draws it sample by sample. */
#include "parts.h"

#include <stdlib.h>

/* Squares per side of a patch. At 4096 pixels the outline
 * of the pot is within half a pixel of the exact curve. */
enum { STEPS = 24 };

/* ---- Creation ------------------------------------------------------------------------------------------ */

static void make_buffers(struct scene *scene)
{
    const struct scene_gl *gl = &scene->gl;
    gl->GenVertexArrays(1, &scene->no_vertices);
    gl->GenBuffers(1, &scene->frame_buffer);
    gl->BindBuffer(GL_UNIFORM_BUFFER, scene->frame_buffer);
    gl->BufferData(GL_UNIFORM_BUFFER, sizeof(struct frame), NULL, GL_DYNAMIC_DRAW);
    gl->BindBuffer(GL_UNIFORM_BUFFER, 0);
}

static bool build_scene(struct scene *scene, char reason[SCENE_REASON])
{
    struct mesh mesh;
    if (!mesh_create(STEPS, &mesh))
        return scene_refuse(reason, "out of memory");
    scene->body = body_create(&scene->gl, &mesh);
    make_buffers(scene);
    bool done = programs_create(scene, reason);
    if (done && !shadow_create(&scene->gl, SHADOW_SIZE, &scene->shadow))
        done = scene_refuse(reason, "the OpenGL driver cannot draw shadows");
    done = done && occlusion_create(scene, &mesh, reason);
    mesh_free(&mesh);
    return done;
}

struct scene *scene_create(scene_get_function get, char reason[SCENE_REASON])
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        scene_refuse(reason, "out of memory");
        return NULL;
    }
    if (!scene_load(&scene->gl, get, reason) || !scene_check(&scene->gl, reason)) {
        free(scene);
        return NULL;
    }
    if (!build_scene(scene, reason))
        scene_destroy(&scene);
    return scene;
}

const struct scene_gl *scene_functions(const struct scene *scene)
{
    return &scene->gl;
}

/* ---- The canvas ---------------------------------------------------------------------------------------- */

static void canvas_destroy(const struct scene_gl *gl, struct canvas *canvas)
{
    gl->DeleteFramebuffers(1, &canvas->one_framebuffer);
    gl->DeleteFramebuffers(2, canvas->sum_framebuffers);
    gl->DeleteRenderbuffers(1, &canvas->depth);
    gl->DeleteTextures(1, &canvas->one);
    gl->DeleteTextures(2, canvas->sums);
    *canvas = (struct canvas){ 0 };
}

static bool canvas_create(const struct scene_gl *gl, int width, int height, struct canvas *canvas)
{
    *canvas = (struct canvas){ .width = width, .height = height };
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_ONE);
    canvas->one = scene_texture(gl, GL_RGBA16F, width, height, GL_NEAREST);
    gl->GenRenderbuffers(1, &canvas->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, canvas->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    gl->BindRenderbuffer(GL_RENDERBUFFER, 0);
    canvas->one_framebuffer = scene_framebuffer(gl, canvas->one, canvas->depth, 0);
    for (int i = 0; i < 2; i++) {
        canvas->sums[i] = scene_texture(gl, GL_RGBA32F, width, height, GL_NEAREST);
        canvas->sum_framebuffers[i] = scene_framebuffer(gl, canvas->sums[i], 0, 0);
    }
    bool done = canvas->one_framebuffer && canvas->sum_framebuffers[0] && canvas->sum_framebuffers[1];
    return done && gl->GetError() == GL_NO_ERROR;
}

static bool canvas_fit(struct scene *scene, int width, int height, char reason[SCENE_REASON])
{
    const struct scene_gl *gl = &scene->gl;
    GLint most = 0, most_depth = 0;
    if (scene->canvas.width == width && scene->canvas.height == height)
        return true;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most_depth);
    most = most < most_depth ? most : most_depth;
    if (width > most || height > most)
        return scene_refuse(reason, "%d x %d pixels are more than the %d x %d that this OpenGL driver draws",
                            width, height, most, most);
    canvas_destroy(gl, &scene->canvas);
    while (gl->GetError() != GL_NO_ERROR)
        continue; /* belongs to the caller */
    if (canvas_create(gl, width, height, &scene->canvas))
        return true;
    canvas_destroy(gl, &scene->canvas);
    return scene_refuse(reason, "the OpenGL driver has no memory for %d x %d pixels", width, height);
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

static void draw_sample(const struct scene *scene)
{
    const struct scene_gl *gl = &scene->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, scene->canvas.one_framebuffer);
    gl->Viewport(0, 0, scene->canvas.width, scene->canvas.height);
    scene_bind(gl, UNIT_SHADOW_MAP, scene->shadow.texture);
    scene_bind(gl, UNIT_OCCLUSION, scene->occlusion);
    scene_bind(gl, UNIT_GROUND, scene->ground_occlusion);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, 0, scene->frame_buffer);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->UseProgram(scene->programs[PROGRAM_TEAPOT]);
    body_draw(gl, &scene->body);
    /* The backdrop is drawn behind everything: the camera is
     * above the ground, which therefore hides nothing. */
    gl->UseProgram(scene->programs[PROGRAM_BACKDROP]);
    gl->BindVertexArray(scene->no_vertices);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->Disable(GL_DEPTH_TEST);
}

/* The sum before sample `index` is in the texture of the parity of `index`. The last sum is the picture. */
static void add_sample(const struct scene *scene, int index, int samples, GLuint framebuffer)
{
    const struct scene_gl *gl = &scene->gl;
    const struct canvas *canvas = &scene->canvas;
    GLuint program = scene->programs[PROGRAM_ADD];
    bool is_last = index == samples - 1;
    gl->BindFramebuffer(GL_FRAMEBUFFER, is_last ? framebuffer : canvas->sum_framebuffers[(index + 1) % 2]);
    gl->UseProgram(program);
    gl->Uniform1f(gl->GetUniformLocation(program, "weight"), 1.0f / (float)samples);
    gl->Uniform1f(gl->GetUniformLocation(program, "kept"), index ? 1.0f : 0.0f);
    scene_bind(gl, UNIT_BEFORE, canvas->sums[index % 2]);
    scene_bind(gl, UNIT_ONE, canvas->one);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

bool scene_render(struct scene *scene, const struct scene_params *params, unsigned framebuffer,
                  char reason[SCENE_REASON])
{
    const struct scene_gl *gl = &scene->gl;
    if (!canvas_fit(scene, params->width, params->height, reason))
        return false;
    for (int i = 0; i < params->samples; i++) {
        struct matrix view;
        struct frame frame = frame_of(params, i, scene->shadow.size, &view);
        gl->BindBuffer(GL_UNIFORM_BUFFER, scene->frame_buffer);
        gl->BufferSubData(GL_UNIFORM_BUFFER, 0, sizeof frame, &frame);
        shadow_draw(scene, &scene->shadow, &scene->body, &view);
        draw_sample(scene);
        add_sample(scene, i, params->samples, framebuffer);
    }
    gl->BindVertexArray(0);
    gl->UseProgram(0);
    return true;
}

void scene_destroy(struct scene **scene)
{
    if (!*scene)
        return;
    const struct scene_gl *gl = &(*scene)->gl;
    canvas_destroy(gl, &(*scene)->canvas);
    shadow_destroy(gl, &(*scene)->shadow);
    gl->DeleteTextures(1, &(*scene)->occlusion);
    gl->DeleteTextures(1, &(*scene)->ground_occlusion);
    body_destroy(gl, &(*scene)->body);
    gl->DeleteBuffers(1, &(*scene)->frame_buffer);
    gl->DeleteVertexArrays(1, &(*scene)->no_vertices);
    for (int i = 0; i < PROGRAMS; i++)
        gl->DeleteProgram((*scene)->programs[i]);
    free(*scene);
    *scene = NULL;
}
