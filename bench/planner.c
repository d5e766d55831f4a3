/* How good the planner's choices were, over the whole grid. */
#include "report.h"

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
