/* Computes what follows from the figures of a report, and the names that all formats print. */
#include "report.h"

/* Methods are compared by their minimum, to which other programs on the machine contribute least. */
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

double figures_per_pixel(const struct figures *figures, const struct bench_case *what)
{
    return 1e9 * figures->median / ((double)what->width * what->height);
}

double contender_deviation(const struct contender *contender)
{
    /* The comparison is false for a NaN, which is then returned. */
    return contender->difference <= contender->error ? contender->error : contender->difference;
}

struct planner_summary planner_summarise(const struct report *report, int threads)
{
    struct planner_summary summary = { .threads = threads };
    double sum = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        if (!result->what->every_method || result->threads != threads)
            continue;
        double regret = result_regret(result);
        summary.cells++;
        summary.within += regret <= PLANNER_BOUND;
        sum += regret;
        if (!summary.worst_cell || regret > summary.worst) {
            summary.worst = regret;
            summary.worst_cell = result;
        }
    }
    summary.mean = summary.cells ? sum / (double)summary.cells : 0;
    return summary;
}

void describe_peer(const struct peer *peer, char *text, size_t size)
{
    char version[48] = "";
    if (peer->absent) {
        snprintf(text, size, "%s: not in this build (install %s and build again)", peer->name, peer->absent);
        return;
    }
    peer->version(version, sizeof version);
    snprintf(text, size, "%s %s", peer->name, version);
}
