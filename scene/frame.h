/* One sample of a picture: where camera and light are, as the shaders read it. */
#ifndef ABBE_SCENE_FRAME_H
#define ABBE_SCENE_FRAME_H

#include "scene.h"
#include "teapot.h"

/* Column by column, as OpenGL counts. */
struct matrix {
    float m[16];
};

/* The block Frame of shaders/scene/frame.glsl, in its layout std140. */
struct frame {
    struct matrix camera, shadow;
    float turn[4];
    float eye[4], ray[4], ray_x[4], ray_y[4];
    float light[4];
    float window[3][4], strip[3][4]; /* middle, across, up */
    float paint[4], finish[4];
};

/* Everything that sample `index` of the picture needs. `view` is what shadow.vert needs to draw the shadow map, which
 * has `map_size` texels a side. */
struct frame frame_of(const struct scene_params *params, int index, int map_size, struct matrix *view);

/* A view of the whole teapot along a direction, without perspective: from the teapot's own space to clip space. */
struct matrix frame_along(struct vec3 direction);

/* From clip space, -1 to 1, to coordinates of a map and its depth, 0 to 1. */
struct matrix frame_to_map(struct matrix view);

/* Coordinate `dimension`, 0 to 3, of point `index` of `count` that fill a cube of four dimensions evenly; 0 to 1. A
 * single one is in the middle. */
double frame_spread(int index, int count, int dimension);

/* The material's row of the table, for the shaders. */
void material_of(int material, float paint[4], float finish[4]);

#endif
