/* The part of CUDA C++ that the kernels use, for g++ and clang++: compiled with it (-include prelude.cuh), a
 * kernel runs on the CPU, one fiber for each thread (grid.h).
 *
 * * The constants of a specialised kernel (ABCU_CONSTANTS) are variables here, so each kernel is compiled
 * once for all lengths. The C library's headers are not included, because NVRTC has none. */
#ifndef ABBE_TESTS_CUDA_PRELUDE_H
#define ABBE_TESTS_CUDA_PRELUDE_H

#define ABCU_EMULATED 1

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __shared__ /* the one array `extern __shared__ float4 abcu_shared[]` is defined by grid.c */
#define __forceinline__ inline /* all radices inlined into one kernel would take minutes to compile */
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
/* Kernels take `const struct abcu_params __grid_constant__ name`. */
#define __grid_constant__ &

typedef __SIZE_TYPE__ size_t;

/* ---- Vectors ------------------------------------------------------------------------------------------- */

#define EMULATED_VECTORS(name, type, align2, align4)                                                         \
    struct __align__(align2) name##2 { type x, y; };                                                         \
    struct name##3 { type x, y, z; };                                                                        \
    struct __align__(align4) name##4 { type x, y, z, w; };                                                   \
    __forceinline__ name##2 make_##name##2(type x, type y) { return name##2{ x, y }; }                       \
    __forceinline__ name##3 make_##name##3(type x, type y, type z) { return name##3{ x, y, z }; }            \
    __forceinline__ name##4 make_##name##4(type x, type y, type z, type w) { return name##4{ x, y, z, w }; }
EMULATED_VECTORS(float, float, 8, 16)
EMULATED_VECTORS(int, int, 8, 16)
EMULATED_VECTORS(uint, unsigned, 8, 16)
EMULATED_VECTORS(ushort, unsigned short, 4, 8)
EMULATED_VECTORS(uchar, unsigned char, 2, 4)

extern "C" {

/* ---- Threads: grid.c ----------------------------------------------------------------------------------- */

extern uint3 threadIdx, blockIdx, blockDim, gridDim;
extern const int warpSize;
void emulated_syncthreads(void);
void emulated_syncwarp(void);

/* Asynchronous copies to shared memory (cp.async): made by emulated_wait and no sooner, so that a missing
 * wait shows. */
void emulated_copy_async(void *shared, const void *global, int bytes);
void emulated_commit(void);
void emulated_wait(int groups); /* until at most `groups` of this thread's groups are under way */

/* Halves as bits, rounded to nearest even. */
float emulated_half_to_float(unsigned short bits);
unsigned short emulated_float_to_half(float value);

float sqrtf(float), fabsf(float), floorf(float), ceilf(float), truncf(float), rintf(float), roundf(float);
float fminf(float, float), fmaxf(float, float), powf(float, float), exp2f(float), log2f(float), copysignf(float, float);
float sinf(float), cosf(float), expf(float), logf(float), cbrtf(float);
}

#define __syncthreads() emulated_syncthreads()
#define __syncwarp(...) emulated_syncwarp()
#define __threadfence()
#define __threadfence_block()

/* ---- Arithmetic ---------------------------------------------------------------------------------------- */

/* The product of floats is exact in double. A call of the C library would take longer than the kernels'
 * other work. */
__forceinline__ float fmaf(float a, float b, float c)
{
    return (float)((double)a * b + c);
}

__forceinline__ float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
__forceinline__ float __fmul_rn(float a, float b) { return a * b; }
__forceinline__ float __fadd_rn(float a, float b) { return a + b; }
__forceinline__ float __fsub_rn(float a, float b) { return a - b; }
__forceinline__ float __fdiv_rn(float a, float b) { return a / b; }
__forceinline__ float __fdividef(float a, float b) { return a / b; }
__forceinline__ float __frcp_rn(float a) { return 1 / a; }
__forceinline__ float rsqrtf(float a) { return 1 / sqrtf(a); }
/* As the hardware does: a NaN becomes 0. */
__forceinline__ float __saturatef(float a) { return !(a > 0) ? 0 : a > 1 ? 1 : a; }
__forceinline__ int __float2int_rn(float a) { return a != a ? 0 : (int)rintf(a); }
__forceinline__ unsigned __float2uint_rn(float a) { return !(a > 0) ? 0 : (unsigned)rintf(a); }
__forceinline__ int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
__forceinline__ unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
__forceinline__ float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
__forceinline__ float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
__forceinline__ bool isnan(float a) { return a != a; }
__forceinline__ bool isinf(float a) { return __builtin_isinf(a); }
__forceinline__ bool isfinite(float a) { return __builtin_isfinite(a); }

__forceinline__ int __mul24(int a, int b) { return a * b; }
__forceinline__ unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__forceinline__ int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
__forceinline__ int __ffs(int a) { return __builtin_ffs(a); }
__forceinline__ int __popc(unsigned a) { return __builtin_popcount(a); }

#define EMULATED_MINMAX(type)                                                 \
    __forceinline__ type min(type a, type b) { return a < b ? a : b; }        \
    __forceinline__ type max(type a, type b) { return a > b ? a : b; }
EMULATED_MINMAX(int)
EMULATED_MINMAX(unsigned)
EMULATED_MINMAX(long long)
__forceinline__ float min(float a, float b) { return fminf(a, b); }
__forceinline__ float max(float a, float b) { return fmaxf(a, b); }
__forceinline__ int abs(int a) { return a < 0 ? -a : a; }

/* ---- Memory -------------------------------------------------------------------------------------------- */

#define EMULATED_LOAD(name) template <typename T> __forceinline__ T name(const T *from) { return *from; }
#define EMULATED_STORE(name) template <typename T> __forceinline__ void name(T *to, T value) { *to = value; }
EMULATED_LOAD(__ldg) EMULATED_LOAD(__ldcg) EMULATED_LOAD(__ldca) EMULATED_LOAD(__ldcs) EMULATED_LOAD(__ldlu)
EMULATED_STORE(__stcg) EMULATED_STORE(__stcs) EMULATED_STORE(__stwb) EMULATED_STORE(__stwt)

/* Threads run one at a time. */
template <typename T> __forceinline__ T atomicOr(T *at, T value) { T old = *at; *at = old | value; return old; }
template <typename T> __forceinline__ T atomicAdd(T *at, T value) { T old = *at; *at = old + value; return old; }
template <typename T> __forceinline__ T atomicMax(T *at, T value) { T old = *at; *at = max(old, value); return old; }
template <typename T> __forceinline__ T atomicExch(T *at, T value) { T old = *at; *at = value; return old; }

/* ---- The constants of a specialised kernel ------------------------------------------------------------- */

#include "interface.h"

#define EMULATED_CONSTANT(name) extern "C" int ABCU_##name;
ABCU_CONSTANTS(EMULATED_CONSTANT)

#endif
