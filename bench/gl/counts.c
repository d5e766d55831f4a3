/* Runs each engine of the device gl once and multiplies the fragments that it draws by the instructions of their
 * shaders. */
#include "counts.h"

#include "ledger.h"
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row of a file of an engine; NULL if there are too many. */
static struct count_row *find_row(struct count_list *counts, const char *engine, const char *program)
{
    for (int i = 0; i < counts->count; i++)
        if (counts->rows[i].engine == engine && !strcmp(counts->rows[i].program, program))
            return &counts->rows[i];
    if (counts->count == COUNT_ROWS_MAX)
        return NULL;
    struct count_row *row = &counts->rows[counts->count++];
    *row = (struct count_row){ .engine = engine };
    snprintf(row->program, sizeof row->program, "%s", program);
    return row;
}

static void add_range(int range[2], int value, bool first)
{
    range[0] = first || value < range[0] ? value : range[0];
    range[1] = first || value > range[1] ? value : range[1];
}

/* The device names the file of a shader in a comment on its second line. */
static bool read_program_name(const char *text, char name[40])
{
    return sscanf(text, "%*[^\n]\n// %39s", name) == 1;
}

static const char *add_entry(struct count_list *counts, const char *engine, const struct ledger_entry *entry)
{
    struct instructions each;
    char name[40] = "";
    const char *problem = instructions_count(entry->text, &each);
    if (problem)
        return problem;
    struct count_row *row = read_program_name(entry->text, name) ? find_row(counts, engine, name) : NULL;
    if (!row)
        return "a shader has no name";
    add_range(row->arithmetic, each.arithmetic, row->variants == 0);
    add_range(row->lookups, each.lookups, row->variants == 0);
    row->variants++;
    row->fragments += entry->fragments;
    row->operations += entry->fragments * each.arithmetic;
    row->fetched += entry->fragments * each.lookups;
    row->written += entry->fragments * each.outputs;
    return NULL;
}

/* Draws with an adopted device. Returns NULL, or why it cannot. */
static const char *draw_once(abbe_device *device)
{
    struct scene_picture from = { 0 }, to = { 0 };
    char reason[SCENE_REASON] = "";
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    const abbe_image like = { .width = COUNT_SIDE, .height = COUNT_SIDE };
    bool fine = !abbe_filter_parse("disk:radius=5", NULL, &filter) &&
                stage_picture_create(&like, &from, reason) && stage_picture_create(&like, &to, reason);
    fine = fine && !abbe_plan_create(device,
                                     &(abbe_plan_params){ .width = COUNT_SIDE,
                                                          .height = COUNT_SIDE,
                                                          .channels = 4,
                                                          .source_type = ABBE_F32,
                                                          .result_type = ABBE_F32,
                                                          .filters = (const abbe_filter *const[]){ filter },
                                                          .filter_count = 1,
                                                          .border = ABBE_BORDER_WRAP,
                                                          .method = ABBE_METHOD_FFT,
                                                          .nonfinite = ABBE_NONFINITE_TRUST },
                                     &plan);
    ledger_reset();
    fine = fine && !abbe_gl_filter(plan, from.texture, &to.texture);
    stage_finish();
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    stage_picture_destroy(&to);
    stage_picture_destroy(&from);
    return fine ? NULL : "the picture of the count cannot be filtered";
}

static const char *count_engine(struct count_list *counts, const char *engine)
{
    abbe_device *device = NULL;
    if (stage_adopt(engine, 1, ledger_counting, &device))
        return abbe_error_text(NULL);
    const char *problem = draw_once(device);
    int count = 0;
    const struct ledger_entry *entries = ledger_entries(&count);
    for (int i = 0; i < count && !problem; i++)
        if (entries[i].fragments > 0)
            problem = add_entry(counts, engine, &entries[i]);
    abbe_device_close(&device);
    ledger_free();
    return problem;
}

void papers_count(const char *device, struct count_list *counts)
{
    static const char *const engines[] = { "moreland", "fialka", "fast" };
    char reason[SCENE_REASON] = "";
    *counts = (struct count_list){ 0 };
    if (!stage_open(device, reason)) {
        snprintf(counts->problem, sizeof counts->problem, "%.*s", (int)sizeof counts->problem - 1, reason);
        return;
    }
    const char *problem = NULL;
    for (int i = 0; i < 3 && !problem; i++)
        problem = count_engine(counts, engines[i]);
    if (problem)
        *counts = (struct count_list){ 0 };
    if (problem)
        snprintf(counts->problem, sizeof counts->problem, "%s", problem);
    stage_close();
}
