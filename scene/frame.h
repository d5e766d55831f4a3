/* Camera and light of one sample of a picture, in the form that the shaders read. */
#ifndef ABBE_SCENE_FRAME_H
#define ABBE_SCENE_FRAME_H

#include "scene.h"
#include "teapot.h"

/* In column-major order, as in OpenGL. */
struct matrix {
    float m[16];
};

/* The uniform block Frame of shaders/scene/frame.glsl, in layout std140. */
struct frame {
    struct matrix camera, shadow;
    float turn[4];
    float eye[4], ray[4], ray_x[4], ray_y[4];
    float light[4];
    float window[3][4], strip[3][4]; /* centre and radiance; right and half width; up and half height */
    float paint[4], finish[4];
};

/* Computes the frame of sample `index`. `view` receives the matrix by which shadow.vert draws the shadow map,
 * which has `map_size` texels a side. */
struct frame frame_of(const struct scene_params *params, int index, int map_size, struct matrix *view);

/* An orthographic view of the whole teapot along a direction: from the teapot's coordinates to clip space. */
struct matrix frame_along(struct vec3 direction);

/* Extends a view to map coordinates: clip space, −1 to 1, becomes texture coordinates and depth, 0 to 1. */
struct matrix frame_to_map(struct matrix view);

/* Coordinate `dimension`, 0 to 3, of point `index` of `count` points that fill the four-dimensional unit cube
 * evenly. A single point is in the middle. */
double frame_spread(int index, int count, int dimension);

/* Paint and finish of a material, for the shaders. */
void material_of(int material, float paint[4], float finish[4]);

#endif
