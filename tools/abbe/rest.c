/* Results of abbe filter that are not filtered, but left by others: --rest, and high passes beside low passes. */
#include "rest.h"

#include "sum.h"

#include <math.h>
#include <string.h>

/* ---- Complements --------------------------------------------------------------------------------------- */

/* The text after that name of a filter; NULL if it begins with another name. */
static const char *skip_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    text += strspn(text, " ");
    return !strncmp(text, name, length) && (!text[length] || strchr(": ", text[length])) ? text + length
                                                                                         : NULL;
}

bool rest_is_complement(const char *text, const char *other)
{
    static const char *const pairs[][2] = { { "highpass", "lowpass" }, { "bandpass", "bandreject" } };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *keys = skip_name(text, pairs[i][0]), *others = skip_name(other, pairs[i][1]);
        if (keys && others)
            return !strcmp(keys, others) && !strchr(keys, ',') && !strstr(keys, "then");
    }
    return false;
}

/* Whether what is left of the stored result `other` may stand for result `i`. It differs from the filtered
 * result by the rounding of the other, at most half a level, or where the other was clipped. Gains of either
 * would amplify that; in linear light and with premultiplied alpha, results do not add up. */
static bool replaces_result(const struct request *request, const struct picture *source,
                            const abbe_type *types, int i, int other)
{
    return request->texts[i] && request->texts[other] && types[other] != ABBE_F32 && !source->has_alpha &&
           !request->settings.linear && request->channels.kind == CHANNELS_ALL && !request->where &&
           fabs(request->finishes[i].gain) <= 1 && request->finishes[other].gain == 1 &&
           request->finishes[i].threshold == 0 && request->finishes[other].threshold == 0 &&
           rest_is_complement(request->texts[i], request->texts[other]);
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static struct term result_term(const struct request *request, const abbe_type *types,
                               const struct picture *results, int i)
{
    const struct finish *finish = &request->finishes[i];
    return (struct term){ &results[i], finish->gain, finish_offset(finish->offset, types[i]) };
}

static bool make_rest(const struct finish *finish, const struct picture *source, const struct term *terms,
                      int count, abbe_type type, double offset, const char *name, struct picture *result)
{
    struct picture rest;
    size_t clipped = 0;
    if (!sum_rest(source, terms, count, type, finish->gain, offset, &rest, &clipped))
        return false;
    if (clipped)
        say_warning("%s: %zu samples do not fit and are clipped, so abbe combine will not restore them; "
                    "--gain 0.5 --depth 16 holds all",
                    name, clipped);
    picture_free(result);
    *result = rest;
    return true;
}

bool rest_results(const struct request *request, const struct picture *source, const abbe_type *types,
                  const struct destination *names, struct picture *results)
{
    struct term terms[RESULTS_MAX];
    bool done = true;
    for (int i = 0; i < request->result_count; i++)
        for (int j = 0; j < request->result_count && done; j++)
            if (replaces_result(request, source, types, i, j)) {
                terms[0] = result_term(request, types, results, j);
                done = make_rest(&request->finishes[i], source, terms, 1, types[i],
                                 finish_offset(request->finishes[i].offset, types[i]), names[i].name,
                                 &results[i]);
                break;
            }
    for (int i = 0, count = 0; i < request->result_count && done; i++) {
        const struct finish *finish = &request->finishes[i];
        if (request->texts[i]) {
            terms[count++] = result_term(request, types, results, i);
            continue;
        }
        double offset = finish->has_offset ? finish_offset(finish->offset, types[i])
                                           : sum_default_offset(types[i]);
        done = make_rest(finish, source, terms, count, types[i], offset, names[i].name, &results[i]);
        count = 0;
    }
    return done;
}
