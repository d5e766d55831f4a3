/* Lets every allocation of a public call fail once. */
#include "support/exhaust.h"
#include "core/error.h"
#include "support/faults.h"
#include "support/test.h"

#include <string.h>

static void release(struct outputs *out, const struct outputs *before)
{
    if (out->device != before->device)
        abbe_device_close(&out->device);
    if (out->filter != before->filter)
        abbe_filter_destroy(&out->filter);
    if (out->plan != before->plan)
        abbe_plan_destroy(&out->plan);
    if (out->matrix.values != before->matrix.values)
        abbe_matrix_free(&out->matrix);
}

static void check_failure(const struct attempt *attempt, long n, int code, size_t live)
{
    bool expected = code == ABBE_ERR_MEMORY || (attempt->loads_files && code == ABBE_ERR_FILE);
    if (!expected)
        fail_msg("%s, allocation %ld: %s", attempt->name, n, abbe_error_name(code));
    if (!*abbe_error_text(attempt->reports_to))
        fail_msg("%s, allocation %ld: no message", attempt->name, n);
    if (faults_live() != live)
        fail_msg("%s, allocation %ld: %zu blocks leaked", attempt->name, n, faults_live() - live);
}

/* Lets allocation 0, 1, 2 … fail until none is left. Returns the number of allocations. */
static long exhaust_once(const struct attempt *attempt, bool and_all_after, struct outputs *out)
{
    static struct outputs before;
    size_t live = faults_live();
    before = *out;
    for (long n = 0;; n++) {
        core_forget(attempt->reports_to); /* otherwise an older message could pass for this one */
        faults_arm(n, and_all_after);
        int code = attempt->call(attempt, out);
        if (!faults_disarm()) {
            if (code)
                fail_msg("%s: %s", attempt->name, abbe_error_text(attempt->reports_to));
            release(out, &before);
            if (faults_live() != live)
                fail_msg("%s: %zu blocks leaked by success", attempt->name, faults_live() - live);
            return n;
        }
        check_failure(attempt, n, code, live);
        if (memcmp(out, &before, sizeof before))
            fail_msg("%s, allocation %ld: an output was written", attempt->name, n);
    }
}

void exhaust(const struct attempt *attempt, struct outputs *out)
{
    static char marks[4];
    for (int and_all_after = 0; and_all_after < 2; and_all_after++) {
        memset(out, 0, sizeof *out);
        memset(out->array, PATTERN, sizeof out->array);
        if (attempt->in_place)
            memcpy(out->array, attempt->source, sizeof out->array);
        out->device = (abbe_device *)&marks[0];
        out->filter = (abbe_filter *)&marks[1];
        out->plan = (abbe_plan *)&marks[2];
        out->matrix = (abbe_matrix){ 11, 13, (double *)(void *)&marks[3] };
        if (exhaust_once(attempt, and_all_after, out) < 1)
            fail_msg("%s: nothing was made to fail", attempt->name);
    }
}
