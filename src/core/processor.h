/* Which vectors this processor has. */
#ifndef ABBE_CORE_PROCESSOR_H
#define ABBE_CORE_PROCESSOR_H

#include <stdbool.h>

#if defined __x86_64__
static inline bool core_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline bool core_has_avx512(void)
{
    return core_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#endif
