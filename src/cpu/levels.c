/* Instruction-set levels: which there are, and which is used. */
#include "cpu/levels.h"

#include "core/error.h"
#include "core/processor.h"
#include "core/text.h"

#include <abbe/abbe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool always(void)
{
    return true;
}

static const struct fused_kernels baseline = { &fused_rows_baseline, &fused_columns_baseline, 1.1, 1.1 };
#if defined __x86_64__
static const struct fused_kernels avx2 = { &fused_rows_avx2, &fused_columns_avx2, 1.15, 1.1 };
static const struct fused_kernels wide = { &fused_rows_avx512, &fused_columns_avx512, 2, 1.8 };
static const struct fused_kernels mixed = { &fused_rows_avx512_narrow, &fused_columns_avx512, 1.8, 2 };
static const struct fused_kernels narrow = { &fused_rows_avx512_narrow, &fused_columns_avx512_narrow, 1,
                                             1.1 };
#endif

const struct level cpu_levels[] = {
    { "plain", always, { NULL }, NULL },
#if defined __x86_64__
    { "baseline", always, { &baseline }, &space_baseline },
    { "avx2", core_has_avx2, { &avx2 }, &space_avx2 },
    { "avx512", core_has_avx512, { &wide, &mixed, &narrow }, &space_avx512 },
#elif defined __aarch64__
    { "neon", always, { &baseline }, &space_baseline },
#else
    { "baseline", always, { &baseline }, &space_baseline },
#endif
};

const int cpu_level_count = sizeof cpu_levels / sizeof cpu_levels[0];

static int best_level(void)
{
    int best = cpu_level_count - 1;
    while (!cpu_levels[best].present())
        best--;
    return best;
}

/* "plain, baseline, avx2 and avx512" */
static void list_levels(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < cpu_level_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0                     ? ""
                                 : i == cpu_level_count - 1 ? " and "
                                                            : ", ",
                                 cpu_levels[i].name);
}

int cpu_level_choose(const char *name)
{
    const char *wanted = name ? name : getenv("ABBE_CPU");
    const char *where = name ? "device 'cpu'" : "ABBE_CPU";
    if (!wanted || (!name && !*wanted))
        return best_level();
    for (int i = 0; i < cpu_level_count; i++) {
        if (strcmp(wanted, cpu_levels[i].name))
            continue;
        if (cpu_levels[i].present())
            return i;
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED, "%s: this machine's best level is %s, not %s", where,
                         cpu_levels[best_level()].name, cpu_levels[i].name);
    }
    char levels[128];
    list_levels(levels, sizeof levels);
    return core_fail(NULL, ABBE_ERR_INVALID, "%s: no level is called '%s'; there are %s", where,
                     text_show(wanted, strlen(wanted)).text, levels);
}
