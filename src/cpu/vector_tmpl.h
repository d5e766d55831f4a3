/* Template: vectors of floats, VECTOR_BYTES wide, for the kernels of the CPU device. */
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#define REAL float
#include "core/vector_tmpl.h"

typedef int INTS __attribute__((vector_size(VECTOR_BYTES)));

INLINE VECTOR load(const float *from)
{
    VECTOR vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

INLINE void store(float *to, VECTOR vector)
{
    memcpy(to, &vector, sizeof vector);
}

/* Clamps to 0 … most; NaN becomes 0. Intrinsics, because compilers turn neither vector types nor loops into
 * minimum and maximum: storing RGBA bytes took three times as long. */
INLINE VECTOR within(VECTOR x, VECTOR most)
{
    const VECTOR zero = { 0 };
#if defined __x86_64__ && VECTOR_BYTES == 64
    return _mm512_min_ps(_mm512_max_ps(x, zero), most);
#elif defined __x86_64__ && VECTOR_BYTES == 32
    return _mm256_min_ps(_mm256_max_ps(x, zero), most);
#elif defined __x86_64__
    return _mm_min_ps(_mm_max_ps(x, zero), most);
#else
    INTS positive = x > zero, below = x < most;
    return (VECTOR)(((INTS)x & below & positive) | ((INTS)most & ~below & positive));
#endif
}

/* A non-temporal store, for data that are not read soon; `to` is aligned to a whole vector. */
INLINE void stream(float *to, VECTOR vector)
{
#if defined __clang__
    __builtin_nontemporal_store(vector, (VECTOR *)to);
#elif defined __x86_64__ && VECTOR_BYTES == 64
    __builtin_ia32_movntps512(to, vector);
#elif defined __x86_64__ && VECTOR_BYTES == 32
    __builtin_ia32_movntps256(to, vector);
#elif defined __x86_64__
    __builtin_ia32_movntps(to, vector);
#else
    store(to, vector);
#endif
}
