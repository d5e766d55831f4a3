/* Treats denormal floats as zero while a kernel runs: each costs about a hundred cycles, and the tails of a
 * wide Gaussian's spectrum are full of them. */
#ifndef ABBE_CORE_DENORMALS_H
#define ABBE_CORE_DENORMALS_H

/* Changes the floating-point mode of the calling thread and returns the previous mode. */
static inline unsigned long core_denormals_off(void)
{
#if defined __SSE__
    enum { FLUSH_RESULTS = 0x8000, FLUSH_OPERANDS = 0x40 };
    unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | FLUSH_RESULTS | FLUSH_OPERANDS);
    return mode;
#elif defined __aarch64__
    const unsigned long flush = 1ul << 24;
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | flush));
    return mode;
#else
    return 0;
#endif
}

static inline void core_denormals_restore(unsigned long mode)
{
#if defined __SSE__
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined __aarch64__
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}

#endif
