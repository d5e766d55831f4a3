/* Charts of lines over two axes, as SVG without scripts, for light and dark pages. */
#ifndef ABBE_BENCH_CHART_H
#define ABBE_BENCH_CHART_H

#include <stdio.h>

enum { CHART_POINTS_MAX = 24, CHART_LINES_MAX = 10 };

struct chart_line {
    char name[64];
    int published; /* 1: figures of a paper, drawn with dashes */
    int count;
    double x[CHART_POINTS_MAX], y[CHART_POINTS_MAX]; /* positive */
};

struct chart {
    const char *title, *x_title, *y_title;
    int linear_x;               /* else logarithmic; y is always logarithmic */
    double band_low, band_high; /* a range of x that is shaded, where high > low */
    const char *band_name;
    double mark; /* an x with an upright line; 0: none */
    char mark_name[64];
    int count;
    struct chart_line lines[CHART_LINES_MAX];
};

/* Starts a line and returns it; NULL if the chart has as many as it can have. Lines without points are dropped. */
struct chart_line *chart_add(struct chart *chart, int published, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a point unless one of its numbers is not positive. `line` may be NULL. */
void chart_point(struct chart_line *line, double x, double y);

/* Whether there is anything to draw besides figures of a paper. */
int chart_has_figures(const struct chart *chart);

void chart_write(FILE *out, const struct chart *chart);

#endif
