/* Kernels whose taps are areas: the part of each pixel's square that a figure covers, in closed form. */
#include "filter/angle.h"
#include "filter/shapes.h"

#include <abbe/abbe.h>

#include <math.h>

int shape_box(int width, int height, struct kernel *out)
{
    int error = kernel_create_separable(width, height, 1, out);
    if (error)
        return error;
    for (int i = 0; i < width; i++)
        out->rows[i] = 1.0 / width;
    for (int j = 0; j < height; j++)
        out->columns[j] = 1.0 / height;
    out->centre_x = (width - 1) / 2; /* convolution reads width − 1 − centre pixels to the left */
    out->centre_y = (height - 1) / 2;
    return ABBE_OK;
}

/* The farthest pixel that a figure of `extent` from the centre of pixel 0 covers; an overlap below 10⁻⁹ is
 * rounding and does not count. */
static int figure_reach(double extent)
{
    double pixels = ceil(extent - 0.5 - 1e-9);
    return pixels > 0.0 ? (int)fmin(pixels, ABBE_KERNEL_SIDE_MAX) : 0;
}

/* √(r² − x²) for 0 ≤ x ≤ r, as a product that rounding cannot make negative. */
static double circle_height(double x, double r)
{
    return sqrt((r - x) * (r + x));
}

/* ∫ √(r² − x²) dx = ½ (x √(r² − x²) + r² asin(x / r)). */
static double circle_integral(double x, double r)
{
    return 0.5 * (x * circle_height(x, r) + r * r * asin(x / r));
}

/* The area of the disc within 0 … x, 0 … y: a rectangle up to where the circle falls below y, then the area
 * under the circle. */
static double disc_corner(double x, double y, double r)
{
    x = fmin(x, r);
    y = fmin(y, r);
    double a = circle_height(y, r);
    if (x <= a)
        return x * y;
    return a * y + circle_integral(x, r) - circle_integral(a, r);
}

/* The area of the disc within the pixel (i, j), both ≥ 0. A pixel on an axis is twice its positive half. */
static double disc_pixel(int i, int j, double r)
{
    double x0 = fmax(0.0, i - 0.5), x1 = i + 0.5, y0 = fmax(0.0, j - 0.5), y1 = j + 0.5;
    if (x1 * x1 + y1 * y1 <= r * r)
        return 1.0;
    if (x0 * x0 + y0 * y0 >= r * r)
        return 0.0;
    double area = disc_corner(x1, y1, r) - disc_corner(x0, y1, r) - disc_corner(x1, y0, r) +
                  disc_corner(x0, y0, r);
    return fmax(0.0, area) * (i ? 1.0 : 2.0) * (j ? 1.0 : 2.0);
}

int shape_disk(double radius, struct kernel *out)
{
    int half = figure_reach(radius), side = 2 * half + 1;
    int error = kernel_create_dense(side, side, out);
    if (error)
        return error;
    /* One octant is computed; the others are its mirror images. */
    for (int j = 0; j <= half; j++)
        for (int i = 0; i <= j; i++) {
            double area = disc_pixel(i, j, radius);
            for (int mirror = 0; mirror < 8; mirror++) {
                int x = mirror & 1 ? -i : i, y = mirror & 2 ? -j : j;
                int column = half + (mirror & 4 ? y : x), row = half + (mirror & 4 ? x : y);
                out->taps[(size_t)row * (size_t)side + (size_t)column] = area;
            }
        }
    shape_normalize(out);
    return ABBE_OK;
}

/* A convex polygon; a rectangle cut by four lines has at most eight corners. */
struct polygon {
    int count;
    double x[8], y[8];
};

/* Keeps the part of a polygon where a·x + b·y ≤ c (Sutherland & Hodgman 1974). */
static struct polygon clip_polygon(const struct polygon *polygon, double a, double b, double c)
{
    struct polygon kept = { 0 };
    for (int i = 0; i < polygon->count; i++) {
        int next = (i + 1) % polygon->count;
        double here = a * polygon->x[i] + b * polygon->y[i] - c;
        double there = a * polygon->x[next] + b * polygon->y[next] - c;
        if (here <= 0.0 && kept.count < 8) {
            kept.x[kept.count] = polygon->x[i];
            kept.y[kept.count++] = polygon->y[i];
        }
        if ((here < 0.0) != (there < 0.0) && here != 0.0 && there != 0.0 && kept.count < 8) {
            double t = here / (here - there);
            kept.x[kept.count] = polygon->x[i] + t * (polygon->x[next] - polygon->x[i]);
            kept.y[kept.count++] = polygon->y[i] + t * (polygon->y[next] - polygon->y[i]);
        }
    }
    return kept;
}

/* Gauss's shoelace: ½ |Σ x_i y_{i+1} − x_{i+1} y_i|. */
static double polygon_area(const struct polygon *polygon)
{
    double sum = 0.0;
    for (int i = 0; i < polygon->count; i++) {
        int next = (i + 1) % polygon->count;
        sum += polygon->x[i] * polygon->y[next] - polygon->x[next] * polygon->y[i];
    }
    return 0.5 * fabs(sum);
}

/* The area of the pixel (i, j) within the rectangle |p·t| ≤ length/2, |p·n| ≤ ½ with t along (tx, ty). */
static double motion_pixel(int i, int j, double length, double tx, double ty)
{
    /* A pixel whose centre lies more than half its diagonal outside the rectangle is not covered. */
    if (fabs(i * tx + j * ty) > 0.5 * length + M_SQRT1_2 || fabs(j * tx - i * ty) > 0.5 + M_SQRT1_2)
        return 0.0;
    struct polygon pixel = {
        .count = 4,
        .x = { i - 0.5, i + 0.5, i + 0.5, i - 0.5 },
        .y = { j - 0.5, j - 0.5, j + 0.5, j + 0.5 },
    };
    pixel = clip_polygon(&pixel, tx, ty, 0.5 * length);
    pixel = clip_polygon(&pixel, -tx, -ty, 0.5 * length);
    pixel = clip_polygon(&pixel, -ty, tx, 0.5);
    pixel = clip_polygon(&pixel, ty, -tx, 0.5);
    return polygon_area(&pixel);
}

int shape_motion(double length, double angle, struct kernel *out)
{
    double tx, ty;
    angle_vector(angle, &tx, &ty);
    int half_x = figure_reach(0.5 * (length * fabs(tx) + fabs(ty)));
    int half_y = figure_reach(0.5 * (length * fabs(ty) + fabs(tx)));
    int error = kernel_create_dense(2 * half_x + 1, 2 * half_y + 1, out);
    if (error)
        return error;
    /* The rectangle is its own point reflection, so the upper half gives the lower half. */
    size_t last = (size_t)out->width * (size_t)out->height - 1;
    for (size_t k = 0; k <= last / 2; k++) {
        int i = (int)(k % (size_t)out->width) - half_x, j = (int)(k / (size_t)out->width) - half_y;
        out->taps[k] = out->taps[last - k] = motion_pixel(i, j, length, tx, ty);
    }
    shape_normalize(out);
    return ABBE_OK;
}
