/* The packed spectrum as printed in Moreland & Angel 2003.
 *
 * Eq. 9 and 10 case by case; A[u][v] is stored at a[v · M + u]. The paper has even sizes only; odd sizes
 * follow by leaving out the cases M/2 and N/2, which no u or v reaches. */
#ifndef TESTS_UNIT_PAPER_H
#define TESTS_UNIT_PAPER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct paper_value {
    double re, im;
};

/* Whether u is half of n; never true for odd n. */
static inline bool paper_is_half(int u, int n)
{
    return 2 * u == n;
}

/* Eq. 9, for N numbers `step` apart. */
static inline struct paper_value paper_line(const double *a, size_t step, int N, int u)
{
#define A(i) a[(size_t)(i)*step]
    struct paper_value f;
    f.re = 2 * u <= N ? A(u) : A(N - u);
    if (u == 0 || paper_is_half(u, N))
        f.im = 0;
    else if (2 * u < N)
        f.im = -A(N - u);
    else
        f.im = A(u);
    return f;
#undef A
}

/* Eq. 10. */
static inline struct paper_value paper_plane(const double *a, int M, int N, int u, int v)
{
#define A(i, j) a[(size_t)(j) * (size_t)M + (size_t)(i)]
    bool real_column = u == 0 || paper_is_half(u, M), real_row = v == 0 || paper_is_half(v, N);
    struct paper_value f;
    if (real_column && 2 * v <= N)
        f.re = A(u, v);
    else if (real_column)
        f.re = A(u, N - v);
    else if (2 * u < M && real_row)
        f.re = A(u, v);
    else if (2 * u < M)
        f.re = A(u, N - v);
    else
        f.re = A(M - u, v);

    if (real_column && real_row)
        f.im = 0;
    else if (real_column && 2 * v < N)
        f.im = -A(u, N - v);
    else if (real_column)
        f.im = A(u, v);
    else if (2 * u < M && real_row)
        f.im = -A(M - u, v);
    else if (2 * u < M)
        f.im = -A(M - u, N - v);
    else
        f.im = A(u, v);
    return f;
#undef A
}

/* F(u, v) = 1/(MN) ΣΣ f(x, y) e^(−j2π(ux/M + vy/N)) of the real picture f(x, y) = f[y · M + x]. */
static inline struct paper_value paper_transform(const double *f, int M, int N, int u, int v)
{
    struct paper_value sum = { 0, 0 };
    for (int y = 0; y < N; y++)
        for (int x = 0; x < M; x++) {
            double turns = (double)(u * x % M) / M + (double)(v * y % N) / N;
            sum.re += f[(size_t)y * (size_t)M + (size_t)x] * cos(2 * acos(-1) * turns);
            sum.im -= f[(size_t)y * (size_t)M + (size_t)x] * sin(2 * acos(-1) * turns);
        }
    return (struct paper_value){ sum.re / ((double)M * N), sum.im / ((double)M * N) };
}

#endif
