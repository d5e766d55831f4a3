/* What the files behind scene.h share. */
#ifndef ABBE_SCENE_PARTS_H
#define ABBE_SCENE_PARTS_H

#include "frame.h"
#include "gl.h"
#include "mesh.h"

enum {
    SHADOW_SIZE = 1024, /* texels of the window's shadow map, a side */
    OCCLUSION_SIZE = 512,
};

enum scene_program {
    PROGRAM_TEAPOT,
    PROGRAM_BACKDROP,
    PROGRAM_SHADOW,
    PROGRAM_OCCLUDE,
    PROGRAM_ADD,
    PROGRAMS,
};

/* Which texture a name in the shaders means. */
enum scene_unit {
    UNIT_SHADOW_MAP,
    UNIT_GROUND,
    UNIT_OCCLUSION,
    UNIT_BEFORE,
    UNIT_ONE,
    UNIT_POINTS,
    UNIT_NORMALS
};

/* A mesh in the driver's memory. */
struct body {
    GLuint vertex_array, buffers[2];
    int index_count;
};

/* A depth map of the teapot. */
struct shadow {
    int size;
    GLuint texture, framebuffer;
};

/* What a picture of one size needs. */
struct canvas {
    int width, height;
    GLuint one, depth, one_framebuffer; /* a single sample */
    GLuint sums[2], sum_framebuffers[2];
};

struct scene {
    struct scene_gl gl;
    GLuint programs[PROGRAMS];
    struct body body;
    GLuint no_vertices, frame_buffer;
    struct shadow shadow;
    GLuint occlusion, ground_occlusion; /* what vertices and places of the ground see of sky and ground */
    struct canvas canvas;
};

/* Compiles the shaders. False, with the reason. */
bool programs_create(struct scene *scene, char reason[SCENE_REASON]);

struct body body_create(const struct scene_gl *gl, const struct mesh *mesh);
void body_destroy(const struct scene_gl *gl, struct body *body);
void body_draw(const struct scene_gl *gl, const struct body *body);

bool shadow_create(const struct scene_gl *gl, int size, struct shadow *shadow);
void shadow_destroy(const struct scene_gl *gl, struct shadow *shadow);

/* Draws the teapot's depth; `view` takes its own space to clip space. Leaves the map's framebuffer bound. */
void shadow_draw(const struct scene *scene, const struct shadow *shadow, const struct body *body,
                 const struct matrix *view);

/* Finds out what vertices and ground see of sky and ground; once, since neither depends on the angle. */
bool occlusion_create(struct scene *scene, const struct mesh *mesh, char reason[SCENE_REASON]);

#endif
