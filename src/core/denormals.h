/* Numbers too small for a normal float are taken and written as zero while a kernel runs: they cost a hundred
 * cycles each, and the tails of a wide Gaussian's spectrum are full of them. */
#ifndef ABBE_CORE_DENORMALS_H
#define ABBE_CORE_DENORMALS_H

/* Changes the calling thread's mode and returns the old one. */
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
