/* Spectra of lines that are short beside the grid, several side by side, in double precision.
 *
 * Of `length` samples on a cyclic axis only `support` in a row are not zero. With length = parts · m, m ≥ support,
 *
 *     F(parts · g + b) = Σ_j (x(j) · W_length^(jb)) · W_m^(jg),
 *
 * one transform of m points for each b: no operation meets a zero that it could have known (pruning, Markel 1971), and m
 * rows stay in the first cache where `length` would not. */
#ifndef ABBE_FILTER_LINES_H
#define ABBE_FILTER_LINES_H

#include <stddef.h>

/* Lines side by side, at most: vectors that a first cache has room for. */
enum { LINES_LANES = 8 };

/* Samples of a spectrum are some nanoseconds each: another thread is worth waking for this many times as many of them as
 * core_workers has in mind. */
enum { LINES_LIGHT = 32 };

struct lines;

/* `lanes` lines in rows of [re ×lanes | im ×lanes]. Row i of the samples holds coordinate first + i,
 * i < support ≤ length. ABBE_OK, ABBE_ERR_SIZE or ABBE_ERR_MEMORY; records no sentence. */
int lines_create(int length, int first, int support, int lanes, struct lines **lines);
void lines_destroy(struct lines **lines);

/* Doubles of scratch. */
size_t lines_scratch(const struct lines *lines);

/* Bytes, at most, that a transform of these takes, and each thread's scratch. */
double lines_bytes(int length, int lanes, int threads);

/* `support` rows of samples to `length` rows of spectrum, in natural order. Threads may share `lines`, each with scratch of
 * its own. */
void lines_transform(const struct lines *lines, const double *samples, double *spectrum, double *scratch);

#endif
