/* Options of scene and view that choose what is drawn, and files of the light that was drawn. */
#ifndef ABBE_TOOL_SCENE_OPTIONS_H
#define ABBE_TOOL_SCENE_OPTIONS_H

#include "settings.h"

#include <scene.h>

enum scene_option {
    SCENE_SIZE = 2000,
    SCENE_ANGLE,
    SCENE_ELEVATION,
    SCENE_ZOOM,
    SCENE_MATERIAL,
    SCENE_SAMPLES,
};

/* Rows for a table of options. Size and samples are not among them, because their defaults differ. */
/* clang-format off */
#define SCENE_OPTIONS \
    { SCENE_ANGLE, 0, "angle", "DEGREES", "rotation of the teapot, counter-clockwise from above (-30)" }, \
    { SCENE_ELEVATION, 0, "elevation", "DEGREES", "angle of the camera above the horizon, 0 to 90 (20)" }, \
    { SCENE_ZOOM, 0, "zoom", "FACTOR", "magnification of the teapot, 0.1 to 10 (1)" }, \
    { SCENE_MATERIAL, 0, "material", "NAME", "ceramic porcelain clay copper silver iron (ceramic)" }
/* clang-format on */

/* Stores the value of one of these options. Returns 1, 0 for another option, or −1 for a wrong value after
 * printing an error. */
int scene_take(struct scene_params *params, const char *command, const struct option *option);

/* Whether the size is within --max-pixels; prints an error otherwise. */
bool scene_size_fits(const struct scene_params *params, const struct settings *settings);

/* Writes light to a checked destination: as floats if the format holds them, else through the tone curve.
 * Standard output is a PNG, as "> teapot.png" suggests. */
bool light_write(const struct picture *light, struct destination *destination, double from, double to);

#endif
