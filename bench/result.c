/* What follows from the figures of a contest. */
#include "contest.h"

/* Methods are told apart by their least times, which other programs cannot add to. */
int result_best(const struct result *result)
{
    int best = -1;
    for (int i = 0; i < result->count; i++) {
        const struct figures *figures = &result->contenders[i].figures;
        if (figures->runs && (best < 0 || figures->minimum < result->contenders[best].figures.minimum))
            best = i;
    }
    return best;
}

double result_regret(const struct result *result)
{
    int best = result_best(result);
    for (int i = 0; i < result->count && best >= 0; i++)
        if (result->contenders[i].note.method == result->chosen)
            return result->contenders[i].figures.minimum / result->contenders[best].figures.minimum - 1;
    return 0;
}

double result_ratio(const struct result *result, int contender)
{
    if (result->what->every_method || contender == 0)
        return 0;
    double own = result->contenders[0].figures.median;
    return own > 0 ? result->contenders[contender].figures.median / own : 0;
}

double figures_spread(const struct figures *figures)
{
    return figures->median > 0 ? (figures->upper - figures->lower) / 2 / figures->median : 0;
}

double contender_deviation(const struct contender *contender)
{
    /* Written so that a NaN is the greater. */
    return contender->difference <= contender->error ? contender->error : contender->difference;
}

double figures_per_pixel(const struct figures *figures, const struct bench_case *what)
{
    return 1e9 * figures->median / ((double)what->width * what->height);
}
