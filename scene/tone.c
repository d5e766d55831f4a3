/* The tone curve. */
#include "scene.h"

#include <math.h>

double scene_tone(double light)
{
    const double knee = 0.6, rest = 1 - knee;
    if (!(light > 0))
        return 0;
    double shown = light <= knee ? light : knee + rest * (1 - exp((knee - light) / rest));
    return shown <= 0.0031308 ? 12.92 * shown : 1.055 * pow(shown, 1 / 2.4) - 0.055;
}
