/* Writes the report as comma-separated values: one line per case and contender, times in seconds. */
#include "report.h"

/* Nothing needs quotes: names of cases, peers and methods contain neither commas nor quotes. */
static void write_csv_line(FILE *out, const struct result *result, int index)
{
    const struct bench_case *what = result->what;
    const struct contender *contender = &result->contenders[index];
    const struct figures *figures = &contender->figures;
    fprintf(out, "%s,%s,%d,%d,%d,%d,%s,%s,%d,", what->name, what->group, result->threads, what->width,
            what->height, what->channels, abbe_type_name(what->type), abbe_border_name(what->border),
            what->side);
    fprintf(out, "%s,%s,%zu,", contender->peer->name, contender->note.detail, figures->runs);
    if (figures->runs)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%s,", figures->median, figures->minimum,
                figures->lower, figures->upper, figures_per_pixel(figures, what), contender->prepare,
                contender->error, contender->difference, contender->differs ? "no" : "yes");
    else
        fputs(",,,,,,,,,", out);
    double ratio = result_ratio(result, index);
    if (ratio > 0)
        fprintf(out, "%.6g", ratio);
    if (what->every_method)
        fprintf(out, ",%s,%.6g\n", abbe_method_name(result->chosen), result_regret(result));
    else
        fputs(",,\n", out);
}

void write_csv(FILE *out, const struct report *report)
{
    fputs("case,group,threads,width,height,channels,type,border,kernel,contender,detail,runs,median,minimum,"
          "lower_quartile,upper_quartile,ns_per_pixel,prepare,error,difference,agrees,ratio,chosen,regret\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (int j = 0; j < report->results[i].count; j++)
            write_csv_line(out, &report->results[i], j);
}
