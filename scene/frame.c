/* Computes camera, lamps and shadow map of each sample. */
#include "frame.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

struct scene_params scene_defaults(void)
{
    return (struct scene_params){
        .width = 1024, .height = 768, .angle = -30, .elevation = 20, .zoom = 1, .material = 0, .samples = 16
    };
}

/* ---- Vectors and matrices ------------------------------------------------------------------------------ */

static struct vec3 sum(struct vec3 a, double s, struct vec3 b)
{
    return (struct vec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static double dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec3 cross(struct vec3 a, struct vec3 b)
{
    return (struct vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static struct vec3 unit(struct vec3 a)
{
    return sum((struct vec3){ 0, 0, 0 }, 1 / sqrt(dot(a, a)), a);
}

static void store_vector(float to[4], struct vec3 v, double w)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
    to[3] = (float)w;
}

static struct matrix product(struct matrix a, struct matrix b)
{
    struct matrix c;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double s = 0;
            for (int k = 0; k < 4; k++)
                s += (double)a.m[4 * k + row] * (double)b.m[4 * column + k];
            c.m[4 * column + row] = (float)s;
        }
    return c;
}

/* Orthonormal axes of a camera: right, up and forward. */
struct axes {
    struct vec3 right, up, forward;
};

/* Axes of a camera that looks along `forward`, with +z up; if it looks straight up or down, with +y up. */
static struct axes axes_along(struct vec3 forward)
{
    const struct vec3 z = { 0, 0, 1 }, x = { 1, 0, 0 };
    struct vec3 right = cross(forward, z);
    right = dot(right, right) > 1e-12 ? unit(right) : x;
    return (struct axes){ right, cross(right, forward), forward };
}

/* Sets the row that computes a·p + offset. */
static void set_row(struct matrix *matrix, int row, struct vec3 a, double offset)
{
    matrix->m[row] = (float)a.x;
    matrix->m[4 + row] = (float)a.y;
    matrix->m[8 + row] = (float)a.z;
    matrix->m[12 + row] = (float)offset;
}

/* A perspective: half_width and half_height are those of the picture at distance 1, and depth runs from near
 * to far. x0 and y0 shift the picture, in units of its half width and half height. */
struct lens {
    double half_width, half_height, near, far, x0, y0;
};

static struct matrix perspective(struct vec3 eye, const struct axes *axes, const struct lens *lens)
{
    struct matrix matrix;
    const struct vec3 zero = { 0, 0, 0 }, f = axes->forward;
    double depth = lens->far - lens->near;
    struct vec3 x = sum(sum(zero, 1 / lens->half_width, axes->right), lens->x0, f);
    struct vec3 y = sum(sum(zero, 1 / lens->half_height, axes->up), lens->y0, f);
    struct vec3 z = sum(zero, (lens->far + lens->near) / depth, f);
    set_row(&matrix, 0, x, -dot(x, eye));
    set_row(&matrix, 1, y, -dot(y, eye));
    set_row(&matrix, 2, z, -dot(z, eye) - 2 * lens->far * lens->near / depth);
    set_row(&matrix, 3, f, -dot(f, eye));
    return matrix;
}

struct matrix frame_to_map(struct matrix view)
{
    const struct matrix half = { { 0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1 } };
    return product(half, view);
}

/* ---- Position of the teapot ---------------------------------------------------------------------------- */

/* A ball that contains the teapot at every angle. The tip of
 * the spout is the point farthest from the axis, at 3.43. */
static const struct vec3 ball = { 0, 0, 1.4 };
static const double ball_radius = 3.7;

struct matrix frame_along(struct vec3 direction)
{
    const struct vec3 zero = { 0, 0, 0 };
    struct axes axes = axes_along(sum(zero, -1, direction));
    struct matrix matrix;
    struct vec3 rows[3] = { axes.right, axes.up, axes.forward };
    for (int i = 0; i < 3; i++) {
        struct vec3 row = sum(zero, 1 / ball_radius, rows[i]);
        set_row(&matrix, i, row, -dot(row, ball));
    }
    set_row(&matrix, 3, zero, 1);
    return matrix;
}

static struct matrix turn_by(double c, double s)
{
    return (struct matrix){ { (float)c, (float)s, 0, 0, (float)-s, (float)c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* The radical inverse: the digits of a number, reversed, behind the point. */
static double radical_inverse(int number, int base)
{
    double value = 0, place = 1.0 / base;
    for (; number > 0; number /= base, place /= base)
        value += number % base * place;
    return value;
}

/* Hammersley's point set: equal steps in dimension 0, radical inverses in coprime bases in the others. */
double frame_spread(int index, int count, int dimension)
{
    static const int bases[] = { 0, 2, 3, 5 };
    if (dimension == 0)
        return (index + 0.5) / count;
    double first = dimension == 1 ? 0.5 / count : 0.5;
    double value = first + radical_inverse(index, bases[dimension]);
    return value - floor(value);
}

/* Maps uniform values on 0 … 1 to a tent density on −1 … 1,
 * which is 0 at the centres of the neighbouring pixels. */
static double tent(double x)
{
    return x < 0.5 ? sqrt(2 * x) - 1 : 1 - sqrt(2 - 2 * x);
}

/* ---- Camera -------------------------------------------------------------------------------------------- */

static const struct vec3 target = { 0, 0, 1.3 };
static const double camera_distance = 15;

static void set_camera(struct frame *frame, const struct scene_params *params, int index)
{
    /* Half the size of the visible area, at the distance of the target. */
    double e = params->elevation * pi / 180, aspect = (double)params->width / params->height;
    double least_width = 4.0, least_height = fmax(3.0, 4.0 * sin(e));
    double half_height = fmax(least_height, least_width / aspect) / params->zoom / camera_distance;
    struct axes axes = axes_along((struct vec3){ 0, cos(e), -sin(e) });
    struct vec3 eye = sum(target, -camera_distance, axes.forward);
    struct lens lens = { .half_width = half_height * aspect,
                         .half_height = half_height,
                         .near = camera_distance - ball_radius - 1,
                         .far = camera_distance + ball_radius + 1,
                         .x0 = 2 * tent(frame_spread(index, params->samples, 0)) / params->width,
                         .y0 = 2 * tent(frame_spread(index, params->samples, 1)) / params->height };
    const struct vec3 zero = { 0, 0, 0 };
    frame->camera = perspective(eye, &axes, &lens);
    struct vec3 x = sum(zero, lens.half_width, axes.right), y = sum(zero, lens.half_height, axes.up);
    store_vector(frame->eye, eye, 0);
    store_vector(frame->ray, sum(sum(axes.forward, -lens.x0, x), -lens.y0, y), 0);
    store_vector(frame->ray_x, x, 0);
    store_vector(frame->ray_y, y, 0);
    frame->turn[2] = (float)(2 * lens.half_height / params->height);
}

/* ---- Light --------------------------------------------------------------------------------------------- */

struct lamp {
    struct vec3 middle;
    double half_width, half_height, radiance;
};

static const struct lamp window = { { -6.6, -7.6, 7.2 }, 1.5, 2.0, 36 };
static const struct lamp strip = { { 8.5, 5.0, 5.0 }, 0.7, 4.0, 3.5 };

/* Lamps face the teapot. */
static struct axes store_lamp(float to[3][4], const struct lamp *lamp)
{
    struct axes axes = axes_along(unit(sum(ball, -1, lamp->middle)));
    store_vector(to[0], lamp->middle, lamp->radiance);
    store_vector(to[1], axes.right, lamp->half_width);
    store_vector(to[2], axes.up, lamp->half_height);
    return axes;
}

/* Places the light of this sample on the window, and returns
 * the view of its shadow map, which contains the ball. */
static struct matrix set_light(struct frame *frame, int index, int samples)
{
    struct axes axes = store_lamp(frame->window, &window);
    store_lamp(frame->strip, &strip);
    double x = (2 * frame_spread(index, samples, 2) - 1) * window.half_width;
    double y = (2 * frame_spread(index, samples, 3) - 1) * window.half_height;
    struct vec3 light = sum(sum(window.middle, x, axes.right), y, axes.up);
    store_vector(frame->light, light, window.radiance * 4 * window.half_width * window.half_height);
    struct vec3 way = sum(ball, -1, light);
    double distance = sqrt(dot(way, way)),
           half = ball_radius / sqrt(distance * distance - ball_radius * ball_radius);
    struct axes sight = axes_along(unit(way));
    struct lens lens = { half, half, distance - ball_radius, distance + ball_radius, 0, 0 };
    return perspective(light, &sight, &lens);
}

/* The shadows of neighbouring samples are a step apart. Each
 * is blurred by that step, but at least by about a texel. */
static double shadow_blur(int samples, int map_size)
{
    return fmax(0.030 / sqrt(samples), 1.0 / map_size);
}

struct frame frame_of(const struct scene_params *params, int index, int map_size, struct matrix *view)
{
    struct frame frame;
    memset(&frame, 0, sizeof frame);
    double angle = params->angle * pi / 180, c = cos(angle), s = sin(angle);
    set_camera(&frame, params, index);
    struct matrix light = set_light(&frame, index, params->samples);
    frame.shadow = frame_to_map(light);
    *view = product(light, turn_by(c, s));
    frame.turn[0] = (float)c;
    frame.turn[1] = (float)s;
    frame.turn[3] = (float)shadow_blur(params->samples, map_size);
    material_of(params->material, frame.paint, frame.finish);
    return frame;
}
