/* Camera, samples and tone curve of the scene, compared with their definitions. */
#include "frame.h"
#include "mesh.h"
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* In double precision, unlike cmocka's. */
static void check_near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.17g, not %.17g", got, wanted);
}

static struct frame frame_at(int width, int height, double angle, double elevation, int sample, int samples)
{
    struct scene_params params = scene_defaults();
    struct matrix view;
    params.width = width;
    params.height = height;
    params.angle = angle;
    params.elevation = elevation;
    params.samples = samples;
    return frame_of(&params, sample, 1024, &view);
}

/* Projects a point of the world: x and y in −1 … 1, and depth. */
static struct vec3 project(const struct matrix *matrix, struct vec3 p)
{
    double row[4];
    for (int i = 0; i < 4; i++)
        row[i] = (double)matrix->m[i] * p.x + (double)matrix->m[4 + i] * p.y +
                 (double)matrix->m[8 + i] * p.z + (double)matrix->m[12 + i];
    assert_true(row[3] > 0);
    return (struct vec3){ row[0] / row[3], row[1] / row[3], row[2] / row[3] };
}

static struct vec3 turned(const float p[3], double angle)
{
    double c = cos(angle * pi / 180), s = sin(angle * pi / 180), x = (double)p[0], y = (double)p[1];
    return (struct vec3){ c * x - s * y, s * x + c * y, (double)p[2] };
}

/* In layout std140, matrices and vectors of four floats follow one another without gaps. */
static void frame_is_laid_out_for_shaders(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct frame), 2 * 64 + 14 * 16);
    assert_int_equal(offsetof(struct frame, turn), 128);
    assert_int_equal(offsetof(struct frame, light), 128 + 5 * 16);
    assert_int_equal(offsetof(struct frame, paint), 128 + 12 * 16);
}

/* The target (0, 0, 1.3) is in the middle at distance 15, and at least 4 to each side and 3 up and down are
 * visible. */
static void camera_is_where_the_manual_says(void **state)
{
    (void)state;
    struct frame frame = frame_at(1024, 768, 0, 20, 0, 1);
    double e = 20 * pi / 180;
    check_near((double)frame.eye[0], 0, 1e-6);
    check_near((double)frame.eye[1], -15 * cos(e), 1e-5);
    check_near((double)frame.eye[2], 1.3 + 15 * sin(e), 1e-5);
    struct vec3 middle = project(&frame.camera, (struct vec3){ 0, 0, 1.3 });
    check_near(middle.x, 0, 1e-6);
    check_near(middle.y, 0, 1e-6);
    check_near(project(&frame.camera, (struct vec3){ 1, 0, 1.3 }).x, 1 / 4.0, 1e-6);
    frame = frame_at(2000, 1000, 0, 0, 0, 1);
    check_near(project(&frame.camera, (struct vec3){ 0, 0, 2.3 }).y, 1 / 3.0, 1e-6);
    check_near(project(&frame.camera, (struct vec3){ 1, 0, 1.3 }).x, 1 / 6.0, 1e-6);
}

static void check_within(const struct mesh *mesh, int width, int height, double angle, double elevation)
{
    struct frame frame = frame_at(width, height, angle, elevation, 3, 16);
    for (int i = 0; i < mesh->vertex_count; i++) {
        struct vec3 world = turned(mesh->vertices[i].position, angle);
        struct vec3 seen = project(&frame.camera, world), lit = project(&frame.shadow, world);
        if (fabs(seen.x) > 0.99 || fabs(seen.y) > 0.99 || fabs(seen.z) > 1)
            fail_msg("%d x %d, angle %g, elevation %g: (%g, %g, %g) is seen at (%g, %g, %g)", width, height,
                     angle, elevation, world.x, world.y, world.z, seen.x, seen.y, seen.z);
        if (fmin(fmin(lit.x, lit.y), lit.z) < 0 || fmax(fmax(lit.x, lit.y), lit.z) > 1)
            fail_msg("angle %g: (%g, %g, %g) is lit at (%g, %g, %g)", angle, world.x, world.y, world.z, lit.x,
                     lit.y, lit.z);
    }
}

static void teapot_is_all_in_the_picture(void **state)
{
    (void)state;
    struct mesh mesh;
    assert_true(mesh_create(4, &mesh));
    const int sizes[][2] = { { 1024, 768 }, { 512, 512 }, { 300, 900 }, { 1920, 300 } };
    for (int i = 0; i < 4; i++)
        for (double angle = -180; angle < 180; angle += 15)
            for (double elevation = 0; elevation <= 90; elevation += 15)
                check_within(&mesh, sizes[i][0], sizes[i][1], angle, elevation);
    mesh_free(&mesh);
}

/* The rays of the backdrop agree with the matrix of the camera. */
static void rays_and_matrix_agree(void **state)
{
    (void)state;
    for (int sample = 0; sample < 16; sample++) {
        struct frame frame = frame_at(640, 360, 0, 35, sample, 16);
        const double at[][2] = { { 0, 0 }, { -0.8, 0.3 }, { 0.5, -0.9 } };
        for (int i = 0; i < 3; i++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] = (double)frame.eye[k] + 12 * ((double)frame.ray[k] + at[i][0] * (double)frame.ray_x[k] +
                                                    at[i][1] * (double)frame.ray_y[k]);
            struct vec3 seen = project(&frame.camera, (struct vec3){ p[0], p[1], p[2] });
            check_near(seen.x, at[i][0], 2e-6);
            check_near(seen.y, at[i][1], 2e-6);
        }
    }
}

/* Each quadrant of each coordinate plane has a quarter of the samples, within three. Of 2ⁿ samples, no two
 * share a row or a column of the pixel. */
static void samples_are_spread_evenly(void **state)
{
    (void)state;
    for (int dimension = 0; dimension < 4; dimension++)
        check_near(frame_spread(0, 1, dimension), 0.5, 0);
    for (int count = 4; count <= 256; count *= 2) {
        const int planes[][2] = { { 0, 1 }, { 2, 3 }, { 0, 2 }, { 1, 3 }, { 0, 3 }, { 1, 2 } };
        int quarters[6][4] = { { 0 } };
        unsigned char rows[2][256] = { { 0 } };
        for (int i = 0; i < count; i++) {
            double x[4];
            for (int d = 0; d < 4; d++)
                x[d] = frame_spread(i, count, d);
            for (int pair = 0; pair < 6; pair++)
                quarters[pair][2 * (x[planes[pair][0]] < 0.5) + (x[planes[pair][1]] < 0.5)]++;
            rows[0][(int)(x[0] * count)]++;
            rows[1][(int)(x[1] * count)]++;
        }
        for (int i = 0; i < 24; i++)
            assert_true(abs(quarters[i / 4][i % 4] - count / 4) <= 3);
        for (int i = 0; i < count; i++)
            assert_true(rows[0][i] == 1 && rows[1][i] == 1);
    }
}

static double srgb(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static void tone_is_what_the_manual_says(void **state)
{
    (void)state;
    check_near(scene_tone(0), 0, 0);
    check_near(scene_tone(-3), 0, 0);
    check_near(scene_tone((double)NAN), 0, 0);
    check_near(scene_tone(1e30), 1, 1e-15);
    double last = -1;
    for (double x = 0; x < 12; x += 1.0 / 512) {
        double shown = x <= 0.6 ? x : 0.6 + 0.4 * (1 - exp((0.6 - x) / 0.4));
        check_near(scene_tone(x), srgb(shown), 1e-12);
        assert_true(scene_tone(x) > last);
        last = scene_tone(x);
    }
    double step = 1e-6, below = (scene_tone(0.6) - scene_tone(0.6 - step)) / step;
    double above = (scene_tone(0.6 + step) - scene_tone(0.6)) / step;
    check_near(below, above, 1e-4);
}

static void materials_have_names(void **state)
{
    (void)state;
    const char *const *names = scene_materials();
    int count = 0;
    for (; names[count]; count++)
        for (int i = 0; i < count; i++)
            assert_string_not_equal(names[i], names[count]);
    assert_true(count >= 5);
    assert_string_equal(names[scene_defaults().material], "ceramic");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(frame_is_laid_out_for_shaders), cmocka_unit_test(camera_is_where_the_manual_says),
    cmocka_unit_test(teapot_is_all_in_the_picture),  cmocka_unit_test(rays_and_matrix_agree),
    cmocka_unit_test(samples_are_spread_evenly),     cmocka_unit_test(tone_is_what_the_manual_says),
    cmocka_unit_test(materials_have_names),
};

TEST_MAIN(tests)
