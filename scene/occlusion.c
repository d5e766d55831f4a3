/* Ambient occlusion: which part of the sky and of the ground each vertex of the teapot, and each point of the
 * ground around it, can see.
 *
 * The teapot is drawn from many directions. For each, points that are not hidden add the cosine between the
 * direction and their normal. Each point is a texel; the sums alternate between two textures. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>

/* The occluder may be coarser than the mesh: it is within 0.01
 * of the surface, and points are 0.03 above the surface. */
enum { COARSE_STEPS = 8 };

enum { SKY_DIRECTIONS = 64, GROUND_DIRECTIONS = 24, VERTEX_COLUMNS = 128, GROUND_SIZE = 128 };

/* The same value as in shaders/scene/ground.glsl. */
static const float ground_half = 6.0f;

/* Textures of points, their normals, and the sums so far. */
struct points {
    int width, height;
    GLuint positions, normals, sums[2], framebuffers[2];
};

/* ---- Points -------------------------------------------------------------------------------------------- */

static GLuint upload_points(const struct scene_gl *gl, int width, int height, const float *values)
{
    GLuint texture = scene_texture(gl, GL_RGBA32F, width, height, GL_NEAREST);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_FLOAT, values);
    return texture;
}

static bool points_create(const struct scene_gl *gl, int width, int height, const float *positions,
                          const float *normals, struct points *points)
{
    *points = (struct points){ .width = width, .height = height };
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_POINTS);
    points->positions = upload_points(gl, width, height, positions);
    points->normals = upload_points(gl, width, height, normals);
    for (int i = 0; i < 2; i++) {
        /* Half floats support linear filtering. Sums stay below
         * 1, and their rounding errors below a thousandth. */
        points->sums[i] = scene_texture(gl, GL_RGBA16F, width, height, GL_LINEAR);
        points->framebuffers[i] = scene_framebuffer(gl, points->sums[i], 0, 0);
        if (!points->framebuffers[i])
            return false;
        gl->ClearColor(0, 0, 0, 0);
        gl->Clear(GL_COLOR_BUFFER_BIT);
    }
    return true;
}

/* Destroys everything except the texture of sums, which the caller receives. */
static GLuint points_finish(const struct scene_gl *gl, struct points *points)
{
    GLuint sum = points->sums[0];
    gl->DeleteFramebuffers(2, points->framebuffers);
    gl->DeleteTextures(1, &points->sums[1]);
    gl->DeleteTextures(1, &points->positions);
    gl->DeleteTextures(1, &points->normals);
    *points = (struct points){ 0 };
    return sum;
}

static void set_point(float *to, const float from[3])
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = 1;
}

static bool points_of_mesh(const struct scene_gl *gl, const struct mesh *mesh, struct points *points)
{
    int width = VERTEX_COLUMNS, height = (mesh->vertex_count + width - 1) / width;
    size_t size = (size_t)width * (size_t)height * 4;
    float *positions = calloc(2 * size, sizeof *positions), *normals = positions + size;
    if (!positions)
        return false;
    for (int i = 0; i < mesh->vertex_count; i++) {
        set_point(positions + 4 * i, mesh->vertices[i].position);
        set_point(normals + 4 * i, mesh->vertices[i].normal);
    }
    bool done = points_create(gl, width, height, positions, normals, points);
    free(positions);
    return done;
}

static bool points_of_ground(const struct scene_gl *gl, struct points *points)
{
    const int count = GROUND_SIZE * GROUND_SIZE;
    const float up[3] = { 0, 0, 1 };
    float *positions = calloc(8 * (size_t)count, sizeof *positions), *normals = positions + 4 * count;
    if (!positions)
        return false;
    for (int i = 0; i < count; i++) {
        float x = ((float)(i % GROUND_SIZE) + 0.5f) / GROUND_SIZE,
              y = ((float)(i / GROUND_SIZE) + 0.5f) / GROUND_SIZE;
        set_point(positions + 4 * i, (float[3]){ ground_half * (2 * x - 1), ground_half * (2 * y - 1), 0 });
        set_point(normals + 4 * i, up);
    }
    bool done = points_create(gl, GROUND_SIZE, GROUND_SIZE, positions, normals, points);
    free(positions);
    return done;
}

/* ---- Directions ---------------------------------------------------------------------------------------- */

/* Direction `index` of `count` directions spread evenly over the upper hemisphere: equal steps of height, and
 * multiples of the golden angle around the axis. */
static struct vec3 direction_of(int index, int count)
{
    const double golden = 2.39996322972865332;
    double z = (index + 0.5) / count, r = sqrt(1 - z * z), a = golden * index;
    return (struct vec3){ r * cos(a), r * sin(a), z };
}

/* Adds what the points see along a direction; `view` is the view of the shadow map. */
static void add_direction(const struct scene *scene, struct points *points, struct vec3 d, float weight,
                          const struct matrix *view)
{
    const struct scene_gl *gl = &scene->gl;
    GLuint program = scene->programs[PROGRAM_OCCLUDE];
    gl->UseProgram(program);
    gl->UniformMatrix4fv(gl->GetUniformLocation(program, "view"), 1, GL_FALSE, view->m);
    gl->Uniform3f(gl->GetUniformLocation(program, "direction"), (float)d.x, (float)d.y, (float)d.z);
    gl->Uniform1f(gl->GetUniformLocation(program, "weight"), weight);
    scene_bind(gl, UNIT_POINTS, points->positions);
    scene_bind(gl, UNIT_NORMALS, points->normals);
    scene_bind(gl, UNIT_BEFORE, points->sums[0]);
    gl->BindFramebuffer(GL_FRAMEBUFFER, points->framebuffers[1]);
    gl->Viewport(0, 0, points->width, points->height);
    gl->BindVertexArray(scene->no_vertices);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    GLuint sum = points->sums[0], framebuffer = points->framebuffers[0];
    points->sums[0] = points->sums[1];
    points->framebuffers[0] = points->framebuffers[1];
    points->sums[1] = sum;
    points->framebuffers[1] = framebuffer;
}

static void look_everywhere(const struct scene *scene, const struct shadow *shadow, const struct body *body,
                            struct points *vertices, struct points *ground)
{
    const struct scene_gl *gl = &scene->gl;
    for (int i = 0; i < SKY_DIRECTIONS + GROUND_DIRECTIONS; i++) {
        bool is_sky = i < SKY_DIRECTIONS;
        int count = is_sky ? SKY_DIRECTIONS : GROUND_DIRECTIONS;
        struct vec3 d = direction_of(is_sky ? i : i - SKY_DIRECTIONS, count);
        d.z = is_sky ? d.z : -d.z;
        struct matrix view = frame_along(d), map = frame_to_map(view);
        shadow_draw(scene, shadow, body, &view);
        scene_bind(gl, UNIT_SHADOW_MAP, shadow->texture);
        add_direction(scene, vertices, d, 2.0f / (float)count, &map);
        if (is_sky)
            add_direction(scene, ground, d, 2.0f / (float)count, &map);
    }
}

bool occlusion_create(struct scene *scene, const struct mesh *mesh, char reason[SCENE_REASON])
{
    const struct scene_gl *gl = &scene->gl;
    struct mesh coarse;
    struct shadow shadow = { 0 };
    struct points vertices = { 0 }, ground = { 0 };
    if (!mesh_create(COARSE_STEPS, &coarse))
        return scene_refuse(reason, "out of memory");
    struct body body = body_create(gl, &coarse);
    mesh_free(&coarse);
    bool done = shadow_create(gl, OCCLUSION_SIZE, &shadow) && points_of_mesh(gl, mesh, &vertices) &&
                points_of_ground(gl, &ground);
    if (done)
        look_everywhere(scene, &shadow, &body, &vertices, &ground);
    else
        scene_refuse(reason, "out of memory for the scene's light");
    body_destroy(gl, &body);
    scene->occlusion = points_finish(gl, &vertices);
    scene->ground_occlusion = points_finish(gl, &ground);
    shadow_destroy(gl, &shadow);
    return done;
}
