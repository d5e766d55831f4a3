/* A test picture: every frequency and direction, smooth shading, hard edges, hairlines, letters.
 *
 * Each element of the picture is a function that paints over the colour
 * of a point. A pixel is the mean over a grid of points inside it. */
#include "test_picture.h"

#include "text.h"

#include <math.h>

enum { POINTS = 3 }; /* per pixel, in each direction */

static const double pi = 3.14159265358979323846;

struct colour {
    double red, green, blue; /* 0 … 1 */
};

static const struct colour night = { 0.035, 0.05, 0.13 };
static const struct colour cream = { 0.98, 0.95, 0.87 };

static struct colour mix(struct colour a, struct colour b, double share)
{
    return (struct colour){ a.red + (b.red - a.red) * share, a.green + (b.green - a.green) * share,
                            a.blue + (b.blue - a.blue) * share };
}

/* Night at the top, dusk at the bottom. */
static struct colour sky(double x, double y)
{
    static const struct colour violet = { 0.24, 0.15, 0.36 }, coral = { 0.96, 0.56, 0.42 };
    double height = y / TEST_PICTURE_HEIGHT + 0.03 * sin(x / 150);
    if (height < 0.55)
        return mix(night, violet, fmax(height / 0.55, 0));
    return mix(violet, coral, fmin((height - 0.55) / 0.45, 1));
}

/* Circles whose frequency grows from 0 at the centre to 0.45 cycles per pixel at the rim. */
static struct colour zone_plate(struct colour under, double x, double y)
{
    static const struct colour blue = { 0.07, 0.17, 0.42 };
    const double radius = 172, rim = 0.45;
    double r = hypot(x - 205, y - 205);
    if (r > radius)
        return under;
    return mix(blue, cream, 0.5 + 0.5 * cos(pi * rim * r * r / radius));
}

/* A Siemens star: every direction, finer towards the centre. */
static struct colour star(struct colour under, double x, double y)
{
    static const struct colour plum = { 0.30, 0.05, 0.22 };
    double dx = x - 755, dy = y - 205, r = hypot(dx, dy);
    if (r > 172)
        return under;
    if (r > 164)
        return cream;
    return sin(36 * atan2(dy, dx)) > 0 ? cream : plum;
}

/* Twenty-five hairlines from one point, each 1.2 pixels wide. */
static struct colour fan(struct colour under, double x, double y)
{
    double dx = x - 480, dy = y - 105;
    if (dy < 40 || dy > 265)
        return under;
    double step = pi / 90, angle = atan2(dx, dy), nearest = round(angle / step) * step;
    if (fabs(nearest) > 12.5 * step || fabs(sin(angle - nearest)) * hypot(dx, dy) > 0.6)
        return under;
    return cream;
}

/* A ball lit from the upper left, with a highlight. */
static struct colour ball(struct colour under, double x, double y, double centre, double radius,
                          struct colour paint)
{
    double nx = (x - centre) / radius, ny = (y - (575 - radius)) / radius, across = nx * nx + ny * ny;
    if (across > 1)
        return under;
    double nz = sqrt(1 - across);
    double light = fmax(-0.45 * nx - 0.6 * ny + 0.66 * nz, 0);
    double shine = pow(fmax(-0.3 * nx - 0.42 * ny + 0.857 * nz, 0), 60);
    struct colour shaded = mix(mix(night, paint, 0.25 + 0.75 * light), cream, 0.9 * shine);
    return mix(shaded, paint, 0.35 * pow(1 - nz, 3)); /* light from behind along the rim */
}

static struct colour balls(struct colour under, double x, double y)
{
    static const struct {
        double centre, radius;
        struct colour paint;
    } all[] = { { 118, 88, { 0.93, 0.33, 0.28 } },
                { 290, 62, { 0.97, 0.72, 0.24 } },
                { 447, 78, { 0.16, 0.68, 0.60 } },
                { 610, 56, { 0.85, 0.40, 0.72 } },
                { 806, 98, { 0.25, 0.50, 0.94 } } };
    for (int i = 0; i < 5; i++)
        under = ball(under, x, y, all[i].centre, all[i].radius, all[i].paint);
    return under;
}

/* Lines of text, from a title down to letters with one pixel per dot. */
static struct colour letters(struct colour under, double x, double y)
{
    static const struct {
        int left, top, scale;
        const char *text;
    } lines[] = { { 401, 40, 7, "ABBE" },
                  { 403, 104, 2, "Fourier plane" },
                  { 40, 600, 2, "A lens forms the Fourier transform of a picture," },
                  { 624, 606, 1, "and a mask on that plane filters it. 0123456789" } };
    for (int i = 0; i < 4; i++) {
        double column = floor((x - lines[i].left) / lines[i].scale);
        double row = floor((y - lines[i].top) / lines[i].scale);
        if (text_dot(lines[i].text, (int)column, (int)row))
            return y > 590 ? night : cream;
    }
    return under;
}

static struct colour point(double x, double y)
{
    struct colour colour = sky(x, y);
    colour = zone_plate(colour, x, y);
    colour = star(colour, x, y);
    colour = fan(colour, x, y);
    colour = balls(colour, x, y);
    return letters(colour, x, y);
}

static uint8_t level(double sum)
{
    return (uint8_t)(fmin(fmax(sum / (POINTS * POINTS), 0), 1) * 255 + 0.5);
}

void test_picture_draw(uint8_t *rgb)
{
    for (int y = 0; y < TEST_PICTURE_HEIGHT; y++) {
        for (int x = 0; x < TEST_PICTURE_WIDTH; x++, rgb += 3) {
            struct colour sum = { 0, 0, 0 };
            for (int i = 0; i < POINTS * POINTS; i++) {
                struct colour one = point(x + (i % POINTS + 0.5) / POINTS, y + (i / POINTS + 0.5) / POINTS);
                sum.red += one.red;
                sum.green += one.green;
                sum.blue += one.blue;
            }
            rgb[0] = level(sum.red);
            rgb[1] = level(sum.green);
            rgb[2] = level(sum.blue);
        }
    }
}
