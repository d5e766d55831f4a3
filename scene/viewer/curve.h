/* Fast conversions between stored values, light and display values, by tables. */
#ifndef ABBE_SCENE_VIEWER_CURVE_H
#define ABBE_SCENE_VIEWER_CURVE_H

#include <math.h>

/* What the samples of a picture are. */
enum samples {
    SAMPLES_CODED, /* display values 0 … 1, sRGB-coded; averages are taken of their light */
    SAMPLES_LIGHT, /* linear light, which the tone curve brings to the display */
    SAMPLES_PLAIN  /* numbers that are averaged as they are */
};

enum { CURVE_STEPS = 4096, CURVE_LIGHT = 16 }; /* light beyond CURVE_LIGHT is shown as white */

/* `decoded` goes from display values to light; the others from the square root of light, in which the curves
 * are nearly straight, to display values. */
struct curve_tables {
    float decoded[CURVE_STEPS + 2], encoded[CURVE_STEPS + 2], toned[CURVE_STEPS + 2];
};
extern struct curve_tables curve_tables;

/* Fills the tables; must be called before the functions below. */
void curve_begin(void);

/* Interpolates between 0 and 1; not a number becomes 0. */
static inline float curve_look_up(const float *table, float at)
{
    at = at > 0 ? at < 1 ? at : 1 : 0;
    int index = (int)(at * CURVE_STEPS);
    float share = at * CURVE_STEPS - (float)index;
    return table[index] + share * (table[index + 1] - table[index]);
}

/* The number that is averaged. */
static inline float curve_open(enum samples samples, float value)
{
    return samples == SAMPLES_CODED ? curve_look_up(curve_tables.decoded, value) : value;
}

/* The display value, 0 … 1, of an average. */
static inline float curve_close(enum samples samples, float average)
{
    if (samples == SAMPLES_PLAIN)
        return average > 0 ? average < 1 ? average : 1 : 0;
    return samples == SAMPLES_CODED ? curve_look_up(curve_tables.encoded, sqrtf(average))
                                    : curve_look_up(curve_tables.toned, sqrtf(average / CURVE_LIGHT));
}

#endif
