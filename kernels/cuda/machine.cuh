// What depends on the machine: shared memory, cache hints, asynchronous copies, halves. All inline PTX is
// here; the tests' emulator (ABCU_EMULATED) has plain code in its place.
#ifndef ABBE_KERNELS_CUDA_MACHINE_CUH
#define ABBE_KERNELS_CUDA_MACHINE_CUH

#include "interface.h"

#define ABCU_INLINE static __device__ __forceinline__
#define ABCU_HAS(flag) ((ABCU_FLAGS & ABCU_FLAG_##flag) != 0)
// Refuses constants that a function does not work with. Those of the emulator are known at run time.
#ifdef ABCU_EMULATED
#define ABCU_REQUIRE(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define ABCU_REQUIRE(condition) static_assert(condition, #condition)
#endif
// The head of a kernel.
#define ABCU_KERNEL(name)                                                             \
    extern "C" __global__ void __launch_bounds__(ABCU_BLOCK_THREADS, ABCU_MIN_BLOCKS) \
        abcu_##name(const struct abcu_params __grid_constant__ p)

extern __shared__ float4 abcu_shared[];

// Policies of the second-level cache: for data that the next pass reads soon, and for all other data. The
// hints are given with RESIDENT alone.
struct policies {
    unsigned long long keep, drop;
};

#ifdef ABCU_EMULATED

// The number of a thread of the block; the compiler must not remember how it was computed.
ABCU_INLINE int forget(int value)
{
    return value;
}

ABCU_INLINE policies make_policies()
{
    return policies{ 0, 0 };
}

ABCU_INLINE float4 load_16(const void *from, unsigned long long)
{
    return *(const float4 *)from;
}

ABCU_INLINE float2 load_8(const void *from, unsigned long long)
{
    return *(const float2 *)from;
}

ABCU_INLINE float load_4(const void *from, unsigned long long)
{
    return *(const float *)from;
}

ABCU_INLINE void store_16(void *to, float4 value, unsigned long long)
{
    *(float4 *)to = value;
}

ABCU_INLINE void store_8(void *to, float2 value, unsigned long long)
{
    *(float2 *)to = value;
}

ABCU_INLINE void store_4(void *to, float value, unsigned long long)
{
    *(float *)to = value;
}

ABCU_INLINE void copy_async(void *shared, const void *global, int bytes, unsigned long long)
{
    emulated_copy_async(shared, global, bytes);
}

ABCU_INLINE void commit_copies()
{
    emulated_commit();
}

ABCU_INLINE void wait_for_copies()
{
    emulated_wait(0);
}

ABCU_INLINE float half_to_float(unsigned bits)
{
    return emulated_half_to_float((unsigned short)bits);
}

ABCU_INLINE unsigned float_to_half(float value)
{
    return emulated_float_to_half(value);
}

// e^(−2πi k/n) for n ≤ 64, remembered: a compiler folds what this program would compute again for each
// butterfly.
ABCU_INLINE float2 turn(int k, int n)
{
    static float2 known[65][64];
    static bool is_known[65][64];
    if (!is_known[n][k]) {
        known[n][k].x = (float)__builtin_cos(-6.283185307179586477 * k / n);
        known[n][k].y = (float)__builtin_sin(-6.283185307179586477 * k / n);
        is_known[n][k] = true;
    }
    return known[n][k];
}

#else

ABCU_INLINE int forget(int value)
{
    asm volatile("" : "+r"(value));
    __builtin_assume(value >= 0 && value < ABCU_BLOCK_THREADS);
    return value;
}

ABCU_INLINE policies make_policies()
{
    policies made = { 0, 0 };
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0) {
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(made.keep));
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(made.drop));
    }
#endif
    return made;
}

// Loads of 16, 8 and 4 bytes. They are volatile so that all loads of a thread are issued before the first is
// used.
ABCU_INLINE float4 load_16(const void *from, unsigned long long policy)
{
    float4 v;
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(from), "l"(policy));
    else if (ABCU_PREFETCH == 256)
        asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(from));
    else if (ABCU_PREFETCH == 128)
        asm volatile("ld.global.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(from));
    else
#endif
        asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(from));
    return v;
}

ABCU_INLINE float2 load_8(const void *from, unsigned long long policy)
{
    float2 v;
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("ld.global.L2::cache_hint.v2.f32 {%0, %1}, [%2], %3;"
                     : "=f"(v.x), "=f"(v.y)
                     : "l"(from), "l"(policy));
    else if (ABCU_PREFETCH == 256)
        asm volatile("ld.global.L2::256B.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
    else if (ABCU_PREFETCH == 128)
        asm volatile("ld.global.L2::128B.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
    else
#endif
        asm volatile("ld.global.L1::no_allocate.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
    return v;
}

ABCU_INLINE float load_4(const void *from, unsigned long long policy)
{
    float v;
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(from), "l"(policy));
    else
#endif
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
    return v;
}

ABCU_INLINE void store_16(void *to, float4 v, unsigned long long policy)
{
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;"
                     :
                     : "l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(policy)
                     : "memory");
    else
#endif
        asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                     : "memory");
}

ABCU_INLINE void store_8(void *to, float2 v, unsigned long long policy)
{
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;"
                     :
                     : "l"(to), "f"(v.x), "f"(v.y), "l"(policy)
                     : "memory");
    else
#endif
        asm volatile("st.global.v2.f32 [%0], {%1, %2};" : : "l"(to), "f"(v.x), "f"(v.y) : "memory");
}

ABCU_INLINE void store_4(void *to, float v, unsigned long long policy)
{
#if __CUDA_ARCH__ >= 800
    if (ABCU_RESIDENT > 0)
        asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;"
                     :
                     : "l"(to), "f"(v), "l"(policy)
                     : "memory");
    else
#endif
        asm volatile("st.global.f32 [%0], %1;" : : "l"(to), "f"(v) : "memory");
}

// Copies 16, 8 or 4 bytes to shared memory; from compute capability 8.0 on without waiting for them.
ABCU_INLINE void copy_async(void *shared, const void *global, int bytes, unsigned long long policy)
{
#if __CUDA_ARCH__ >= 800
    unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    if (ABCU_RESIDENT > 0 && bytes == 16)
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                     :
                     : "r"(to), "l"(global), "l"(policy)
                     : "memory");
    else if (bytes == 16 && ABCU_PREFETCH > 0)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;"
                     :
                     : "r"(to), "l"(global)
                     : "memory");
    else if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(global) : "memory");
    else if (ABCU_RESIDENT > 0 && bytes == 8)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 8, %2;"
                     :
                     : "r"(to), "l"(global), "l"(policy)
                     : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(global) : "memory");
#else
    if (bytes == 16)
        *(float4 *)shared = load_16(global, policy);
    else if (bytes == 8)
        *(float2 *)shared = load_8(global, policy);
    else
        *(float *)shared = load_4(global, policy);
#endif
}

// Ends a group of copies.
ABCU_INLINE void commit_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

// Waits for all copies of this thread.
ABCU_INLINE void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" : : : "memory");
#endif
}

ABCU_INLINE float half_to_float(unsigned bits)
{
    float value;
    unsigned short low = (unsigned short)bits;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(low));
    return value;
}

ABCU_INLINE unsigned float_to_half(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

// cos x and sin x for |x| ≤ π/4, to the last bit of a float: the compiler computes them.
ABCU_INLINE double cosine(double x)
{
    double s = x * x;
    return 1 -
           s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90 * (1 - s / 132 * (1 - s / 182))))));
}

ABCU_INLINE double sine(double x)
{
    double s = x * x;
    return x *
           (1 -
            s / 6 *
                (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156 * (1 - s / 210)))))));
}

// e^(−2πi k/n) for constants 0 ≤ k < n.
ABCU_INLINE float2 turn(int k, int n)
{
    const double pi = 3.14159265358979323846;
    int half = 2 * k > n ? n - k : k; // e^(−2πi (n − k)/n) is the conjugate
    int quarter = 4 * half > n ? n - 2 * half
                               : 2 * half; // in halves of 1/n; the cosine of the rest has the other sign
    double x = pi * quarter / n;
    double c = 4 * quarter > n ? sine(pi / 2 - x) : cosine(x);
    double s = 4 * quarter > n ? cosine(pi / 2 - x) : sine(x);
    return make_float2((float)(4 * half > n ? -c : c), (float)(2 * k > n ? s : -s));
}

#endif

#endif
