/* Instruction-set levels of the CPU. */
#define _GNU_SOURCE
#include "core/level.h"

#include "core/error.h"
#include "core/text.h"

#include <abbe/abbe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[LEVEL_COUNT] = {
    [LEVEL_PLAIN] = "plain",
#if defined __aarch64__
    [LEVEL_BASELINE] = "neon",
#else
    [LEVEL_BASELINE] = "baseline",
#endif
#if defined __x86_64__
    [LEVEL_AVX2] = "avx2",
    [LEVEL_AVX512] = "avx512",
#endif
};

const char *core_level_name(enum core_level level)
{
    return level_names[level];
}

bool core_level_present(enum core_level level)
{
    bool present = true;
#if defined __x86_64__
    if (level >= LEVEL_AVX2)
        present = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (level >= LEVEL_AVX512)
        present = present && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    (void)level;
#endif
    return present;
}

enum core_level core_level_best(void)
{
    int best = LEVEL_COUNT - 1;
    while (!core_level_present(best))
        best--;
    return best;
}

/* Writes "plain, baseline, avx2 and avx512". */
static void list_levels(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < LEVEL_COUNT && used < size; i++) {
        const char *separator = i == 0 ? "" : i == LEVEL_COUNT - 1 ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, level_names[i]);
    }
}

int core_level_choose(const char *name)
{
    const char *wanted = name ? name : secure_getenv("ABBE_CPU");
    const char *where = name ? "device 'cpu'" : "ABBE_CPU";
    if (!wanted || (!name && !*wanted))
        return core_level_best();
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (strcmp(wanted, level_names[i]))
            continue;
        if (core_level_present(i))
            return i;
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED, "%s: this machine's best level is %s, not %s", where,
                         level_names[core_level_best()], level_names[i]);
    }
    char levels[128];
    list_levels(levels, sizeof levels);
    return core_fail(NULL, ABBE_ERR_INVALID, "%s: no level is called '%s'; the levels are %s", where,
                     text_show(wanted, strlen(wanted)).text, levels);
}
