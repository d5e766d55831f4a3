/* --where of abbe filter: a picture that says where results are filtered. */
#include "where.h"

#include "samples.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>

static double pixel_weight(const struct picture *mask, size_t pixel)
{
    int colours = mask->view.channels - mask->has_alpha;
    size_t first = pixel * (size_t)mask->view.channels;
    double sum = 0, alpha = mask->has_alpha ? (double)sample_load(&mask->view, first + (size_t)colours) : 1;
    for (int c = 0; c < colours; c++)
        sum += (double)sample_load(&mask->view, first + (size_t)c);
    return fmin(fmax(alpha * sum / colours, 0), 1); /* NaN is 0 */
}

bool where_read(const char *name, const struct reading *reading, struct where *where)
{
    struct picture mask;
    if (!picture_read(name, reading, 0, 0, &mask))
        return false;
    size_t pixels = (size_t)mask.view.width * (size_t)mask.view.height;
    *where = (struct where){ name, mask.view.width, mask.view.height, calloc(pixels, sizeof(float)) };
    if (!where->weights)
        say_error("%s: out of memory", name);
    bool filters = false;
    for (size_t i = 0; i < pixels && where->weights; i++) {
        where->weights[i] = (float)pixel_weight(&mask, i);
        filters |= where->weights[i] > 0;
    }
    picture_free(&mask);
    if (where->weights && !filters)
        say_warning("%s: is black or transparent everywhere, so nothing is filtered", name);
    return where->weights != NULL;
}

void where_free(struct where *where)
{
    free(where->weights);
    *where = (struct where){ 0 };
}

bool where_fits(const struct where *where, const char *name, const struct picture *picture)
{
    if (!where->weights || (where->width == picture->view.width && where->height == picture->view.height))
        return true;
    say_error("%s: is %d x %d pixels, but the mask %s is %d x %d; scale the mask to the picture", name,
              picture->view.width, picture->view.height, where->name, where->width, where->height);
    return false;
}

void where_mix(double weight, const double *source, int channels, bool by_alpha, double *filtered)
{
    double kept = 1 - weight, before = 1, after = 1;
    int colours = channels - by_alpha;
    if (by_alpha) {
        double alpha = weight * filtered[colours] + kept * source[colours];
        bool is_seen = alpha > 0;
        after = is_seen ? filtered[colours] / alpha : 1;
        before = is_seen ? source[colours] / alpha : 1;
        filtered[colours] = alpha;
    }
    for (int c = 0; c < colours; c++)
        filtered[c] = weight * after * filtered[c] + kept * before * source[c];
}
