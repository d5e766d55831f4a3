/* Template: vectors of floats, VECTOR_BYTES wide, for the kernels of the CPU device. */
#include <stdint.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#elif defined __wasm_simd128__
#include <wasm_simd128.h>
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

/* Keeps a loaded vector, of any type, in a register for all its uses: gcc 12 makes each of them load it again, and a
 * vector across two cache lines takes two loads. */
#if defined __x86_64__
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#elif defined __aarch64__
#define KEEP_IN_REGISTER(x) __asm__("" : "+w"(x))
#else
#define KEEP_IN_REGISTER(x) ((void)0)
#endif

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
#elif defined __wasm_simd128__
    return (VECTOR)wasm_f32x4_pmin((v128_t)most, wasm_f32x4_pmax((v128_t)zero, (v128_t)x));
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

/* ---- Integers of fewer bits ---------------------------------------------------------------------------- */

/* gcc 12 compiles __builtin_convertvector between integers of unequal size lane by lane, six times slower
 * than these. */
#if VECTOR_BYTES == 64
INLINE INTS widen_bytes(const void *from)
{
    return (INTS)_mm512_cvtepu8_epi32(_mm_loadu_si128(from));
}

INLINE INTS widen_words(const void *from)
{
    return (INTS)_mm512_cvtepu16_epi32(_mm256_loadu_si256(from));
}

INLINE void narrow_to_bytes(INTS x, void *to)
{
    _mm_storeu_si128(to, _mm512_cvtepi32_epi8((__m512i)x));
}

INLINE void narrow_to_words(INTS x, void *to)
{
    _mm256_storeu_si256(to, _mm512_cvtepi32_epi16((__m512i)x));
}
#elif VECTOR_BYTES == 32
INLINE INTS widen_bytes(const void *from)
{
    return (INTS)_mm256_cvtepu8_epi32(_mm_loadl_epi64(from));
}

INLINE INTS widen_words(const void *from)
{
    return (INTS)_mm256_cvtepu16_epi32(_mm_loadu_si128(from));
}

INLINE __m128i narrow_halves(INTS x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1));
}

INLINE void narrow_to_bytes(INTS x, void *to)
{
    __m128i words = narrow_halves(x);
    _mm_storel_epi64(to, _mm_packus_epi16(words, words));
}

INLINE void narrow_to_words(INTS x, void *to)
{
    _mm_storeu_si128(to, narrow_halves(x));
}
#elif defined __SSE2__
INLINE INTS widen_bytes(const void *from)
{
    const __m128i zero = _mm_setzero_si128();
    return (INTS)_mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_loadu_si32(from), zero), zero);
}

INLINE INTS widen_words(const void *from)
{
    return (INTS)_mm_unpacklo_epi16(_mm_loadl_epi64(from), _mm_setzero_si128());
}

INLINE void narrow_to_bytes(INTS x, void *to)
{
    __m128i words = _mm_packs_epi32((__m128i)x, (__m128i)x);
    _mm_storeu_si32(to, _mm_packus_epi16(words, words));
}

/* SSE2 packs signed words only, so the range is moved to be symmetric about zero. */
INLINE void narrow_to_words(INTS x, void *to)
{
    __m128i words = _mm_packs_epi32((__m128i)(x - 0x8000), (__m128i)(x - 0x8000));
    _mm_storel_epi64(to, _mm_xor_si128(words, _mm_set1_epi16(-0x8000)));
}
#elif defined __wasm_simd128__
INLINE INTS widen_bytes(const void *from)
{
    return (INTS)wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from)));
}

INLINE INTS widen_words(const void *from)
{
    return (INTS)wasm_u32x4_load16x4(from);
}

INLINE void narrow_to_bytes(INTS x, void *to)
{
    v128_t words = wasm_u16x8_narrow_i32x4((v128_t)x, (v128_t)x);
    wasm_v128_store32_lane(to, wasm_u8x16_narrow_i16x8(words, words), 0);
}

INLINE void narrow_to_words(INTS x, void *to)
{
    wasm_v128_store64_lane(to, wasm_u16x8_narrow_i32x4((v128_t)x, (v128_t)x), 0);
}
#else
INLINE INTS widen_bytes(const void *from)
{
    uint8_t bytes[LANES];
    memcpy(bytes, from, sizeof bytes);
    return (INTS){ bytes[0], bytes[1], bytes[2], bytes[3] };
}

INLINE INTS widen_words(const void *from)
{
    uint16_t words[LANES];
    memcpy(words, from, sizeof words);
    return (INTS){ words[0], words[1], words[2], words[3] };
}

INLINE void narrow_to_bytes(INTS x, void *to)
{
    uint8_t bytes[LANES] = { (uint8_t)x[0], (uint8_t)x[1], (uint8_t)x[2], (uint8_t)x[3] };
    memcpy(to, bytes, sizeof bytes);
}

INLINE void narrow_to_words(INTS x, void *to)
{
    uint16_t words[LANES] = { (uint16_t)x[0], (uint16_t)x[1], (uint16_t)x[2], (uint16_t)x[3] };
    memcpy(to, words, sizeof words);
}
#endif
