/* Types and functions that the files of the scene share. */
#ifndef ABBE_SCENE_PARTS_H
#define ABBE_SCENE_PARTS_H

#include "frame.h"
#include "gl.h"
#include "mesh.h"

enum {
    SHADOW_SIZE = 1024, /* side of the window's shadow map, in texels */
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

/* Texture units of the samplers in the shaders. */
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

/* Textures and framebuffers for pictures of one size. */
struct canvas {
    int width, height;
    GLuint one, depth, one_framebuffer; /* of a single sample */
    GLuint sums[2], sum_framebuffers[2];
};

struct scene {
    struct scene_gl gl;
    GLuint programs[PROGRAMS];
    struct body body;
    GLuint no_vertices, frame_buffer;
    struct shadow shadow;
    GLuint occlusion,
        ground_occlusion; /* which part of sky and ground is visible from vertices and ground points */
    struct canvas canvas;
};

/* Compiles the shaders. Returns false, with the reason, on failure. */
bool programs_create(struct scene *scene, char reason[SCENE_REASON]);

struct body body_create(const struct scene_gl *gl, const struct mesh *mesh);
void body_destroy(const struct scene_gl *gl, struct body *body);
void body_draw(const struct scene_gl *gl, const struct body *body);

bool shadow_create(const struct scene_gl *gl, int size, struct shadow *shadow);
void shadow_destroy(const struct scene_gl *gl, struct shadow *shadow);

/* Draws the teapot's depth. `view` transforms the teapot's
 * coordinates to clip space. The map's framebuffer stays bound. */
void shadow_draw(const struct scene *scene, const struct shadow *shadow, const struct body *body,
                 const struct matrix *view);

/* Computes the occlusion of vertices and ground, once, because it does not depend on the angle. */
bool occlusion_create(struct scene *scene, const struct mesh *mesh, char reason[SCENE_REASON]);

#endif
