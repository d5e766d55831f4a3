/* The options with which scene and view choose what is drawn, and the light that is drawn as a file. */
#ifndef ABBE_TOOL_SCENE_OPTIONS_H
#define ABBE_TOOL_SCENE_OPTIONS_H

#include "command.h"

#include <scene.h>

enum scene_option {
    SCENE_SIZE = 2000,
    SCENE_ANGLE,
    SCENE_ELEVATION,
    SCENE_ZOOM,
    SCENE_MATERIAL,
    SCENE_SAMPLES,
};

/* The rows of a table of options, but for the size and the samples, whose defaults differ. */
/* clang-format off */
#define SCENE_OPTIONS \
    { SCENE_ANGLE, 0, "angle", "DEGREES", "turn of the teapot, counter-clockwise from above (-30)" }, \
    { SCENE_ELEVATION, 0, "elevation", "DEGREES", "height of the camera above the horizon, 0 to 90 (20)" }, \
    { SCENE_ZOOM, 0, "zoom", "FACTOR", "how much larger the teapot is shown, 0.1 to 10 (1)" }, \
    { SCENE_MATERIAL, 0, "material", "NAME", "ceramic porcelain clay copper silver iron (ceramic)" }
/* clang-format on */

/* Takes one of them. 1: taken, 0: not one of them, −1: wrong, and said. */
int scene_take(struct scene_params *params, const char *command, const struct option *option);

/* Whether the picture has no more pixels than the settings allow; says what is wrong. */
bool scene_size_fits(const struct scene_params *params, const struct settings *settings);

/* Writes light under that name: as floats where the format holds them, else through the tone curve. Standard output is
 * a PNG, as a person who writes "> teapot.png" expects. */
bool light_write(const struct picture *light, const char *path, double from, double to);

#endif
