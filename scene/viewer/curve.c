/* Fills the tables of the sRGB curve and of the tone curve. */
#include "curve.h"

#include <scene.h>

struct curve_tables curve_tables;

static double decode_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double encode_srgb(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

void curve_begin(void)
{
    for (int i = 0; i < CURVE_STEPS + 2; i++) {
        double at = (double)i / CURVE_STEPS;
        curve_tables.decoded[i] = (float)decode_srgb(at);
        curve_tables.encoded[i] = (float)encode_srgb(at * at);
        curve_tables.toned[i] = (float)scene_tone(at * at * CURVE_LIGHT);
    }
}
