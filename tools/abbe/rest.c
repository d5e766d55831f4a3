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

/* A filtered result without an offset is not meant to be added up, so its clipping is not worth a warning. */
static bool make_rest(const struct finish *finish, bool is_filtered, const struct picture *source,
                      const struct term *terms, int count, abbe_type type, double offset, const char *name,
                      struct picture *result)
{
    struct picture rest;
    size_t clipped = 0;
    if (!sum_rest(source, terms, count, type, finish->gain, offset, &rest, &clipped))
        return false;
    if (clipped && (!is_filtered || finish->has_offset))
        say_warning("%s: %zu samples do not fit and are clipped, so abbe combine will not restore them; "
                    "--gain 0.5 %s--depth 16 holds all, and abbe combine needs --gain 0.5 after %s then",
                    name, clipped, offset > 0 ? "" : "--offset 0.5 ", name);
    picture_free(result);
    *result = rest;
    return true;
}

/* The result that result `i` complements; -1 where it complements none. */
static int find_complement(const struct request *request, const struct picture *source,
                           const abbe_type *types, int i)
{
    for (int j = 0; j < request->result_count; j++)
        if (replaces_result(request, source, types, i, j))
            return j;
    return -1;
}

bool rest_results(const struct request *request, const struct picture *source, const abbe_type *types,
                  const struct destination *names, const bool *skipped, struct picture *results)
{
    struct term terms[RESULTS_MAX];
    bool done = true;
    for (int i = 0; i < request->result_count && done; i++) {
        int other = skipped[i] ? -1 : find_complement(request, source, types, i);
        if (other < 0)
            continue;
        terms[0] = result_term(request, types, results, other);
        done = make_rest(&request->finishes[i], true, source, terms, 1, types[i],
                         finish_offset(request->finishes[i].offset, types[i]), names[i].name, &results[i]);
    }
    for (int i = 0, count = 0; i < request->result_count && done; i++) {
        const struct finish *finish = &request->finishes[i];
        if (request->texts[i]) {
            terms[count++] = result_term(request, types, results, i);
            continue;
        }
        double offset = finish->has_offset ? finish_offset(finish->offset, types[i])
                                           : sum_default_offset(types[i]);
        if (!skipped[i])
            done = make_rest(finish, false, source, terms, count, types[i], offset, names[i].name,
                             &results[i]);
        count = 0;
    }
    return done;
}

/* ---- Results that are kept ----------------------------------------------------------------------------- */

static void warn_of_kept(const struct destination *names, const bool *skipped, int i, int other)
{
    int kept = skipped[i] ? i : other;
    if (skipped[i] != skipped[other])
        say_warning(
            "%s: is kept; abbe combine restores the picture from it and %s only if the same options made it",
            names[kept].name, names[kept == i ? other : i].name);
}

void rest_warn_of_kept(const struct request *request, const struct picture *source, const abbe_type *types,
                       const struct destination *names, const bool *skipped)
{
    for (int i = 0, first = 0; i < request->result_count; i++) {
        int other = find_complement(request, source, types, i);
        if (other >= 0)
            warn_of_kept(names, skipped, i, other);
        for (int j = first; j < i && !request->texts[i]; j++)
            warn_of_kept(names, skipped, i, j);
        first = request->texts[i] ? first : i + 1;
    }
}
