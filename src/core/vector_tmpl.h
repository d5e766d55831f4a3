/* Template: a vector of REAL numbers, VECTOR_BYTES wide.
 *
 * Kernels use vector types instead of loops over scalars: neither gcc nor clang vectorises sixteen streams
 * that might overlap, and the pragmas that promise they do not overlap are unreliable. */
#ifndef ABBE_CORE_VECTOR_TMPL_H
#define ABBE_CORE_VECTOR_TMPL_H

/* The default is the width of a register in every baseline instruction set. */
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif
typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));

enum { LANES = sizeof(VECTOR) / sizeof(REAL) };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#endif
