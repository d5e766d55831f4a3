/* Template: the transposition of LANES vectors in registers. Included by rows_tmpl.h after
 * cpu/vector_tmpl.h. */

/* Index lists for __builtin_shufflevector on two vectors. LOW and HIGH interleave single lanes, or pairs of
 * lanes, within every 16 bytes; EVEN and ODD take every second 16 bytes of both vectors. */
#if VECTOR_BYTES == 16
#define LOW_SINGLES 0, 4, 1, 5
#define HIGH_SINGLES 2, 6, 3, 7
#define LOW_PAIRS 0, 1, 4, 5
#define HIGH_PAIRS 2, 3, 6, 7
#elif VECTOR_BYTES == 32
#define LOW_SINGLES 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH_SINGLES 2, 10, 3, 11, 6, 14, 7, 15
#define LOW_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#define EVEN_QUADS 0, 1, 2, 3, 8, 9, 10, 11
#define ODD_QUADS 4, 5, 6, 7, 12, 13, 14, 15
#elif VECTOR_BYTES == 64
#define LOW_SINGLES 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH_SINGLES 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define LOW_PAIRS 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_PAIRS 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define EVEN_QUADS 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define ODD_QUADS 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#endif

/* Transposes every 4 × 4 block of lanes: column 4s + e of rows q … q + 3 goes to the 16 bytes s of x[q +
 * e]. */
INLINE void transpose_quads(VECTOR *x)
{
    for (int q = 0; q < LANES; q += 4) {
        VECTOR low = __builtin_shufflevector(x[q], x[q + 1], LOW_SINGLES);
        VECTOR high = __builtin_shufflevector(x[q], x[q + 1], HIGH_SINGLES);
        VECTOR low2 = __builtin_shufflevector(x[q + 2], x[q + 3], LOW_SINGLES);
        VECTOR high2 = __builtin_shufflevector(x[q + 2], x[q + 3], HIGH_SINGLES);
        x[q] = __builtin_shufflevector(low, low2, LOW_PAIRS);
        x[q + 1] = __builtin_shufflevector(low, low2, HIGH_PAIRS);
        x[q + 2] = __builtin_shufflevector(high, high2, LOW_PAIRS);
        x[q + 3] = __builtin_shufflevector(high, high2, HIGH_PAIRS);
    }
}

/* Transposes LANES vectors in place. */
INLINE void transpose(VECTOR *x)
{
    transpose_quads(x);
#if VECTOR_BYTES == 32
    for (int e = 0; e < 4; e++) {
        VECTOR low = x[e], high = x[4 + e];
        x[e] = __builtin_shufflevector(low, high, EVEN_QUADS);
        x[4 + e] = __builtin_shufflevector(low, high, ODD_QUADS);
    }
#elif VECTOR_BYTES == 64
    for (int e = 0; e < 4; e++) {
        VECTOR even = __builtin_shufflevector(x[e], x[4 + e], EVEN_QUADS);
        VECTOR odd = __builtin_shufflevector(x[e], x[4 + e], ODD_QUADS);
        VECTOR even2 = __builtin_shufflevector(x[8 + e], x[12 + e], EVEN_QUADS);
        VECTOR odd2 = __builtin_shufflevector(x[8 + e], x[12 + e], ODD_QUADS);
        x[e] = __builtin_shufflevector(even, even2, EVEN_QUADS);
        x[4 + e] = __builtin_shufflevector(odd, odd2, EVEN_QUADS);
        x[8 + e] = __builtin_shufflevector(even, even2, ODD_QUADS);
        x[12 + e] = __builtin_shufflevector(odd, odd2, ODD_QUADS);
    }
#endif
}
