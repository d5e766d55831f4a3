/* The packed spectrum of a real picture (Moreland & Angel 2003, eq. 9 and 10), for even and odd sizes.
 *
 * The picture and its packed spectrum A are width × height, the paper's M × N; A[u][v] is column u, row v.
 * F(u, v) and F(M − u, N − v) are conjugates, so half of the spectrum has all of it: M · N real numbers.
 *
 *     A[u][v] holds    u = 0, M/2      0 < u < M/2       M/2 < u < M
 *     v ≤ N/2          Re F(u, v)      Re F(u, N − v)    Im F(u, v)
 *     v > N/2          Im F(u, v)      Re F(u, N − v)    Im F(u, v)
 *
 * where row N − 0 is row 0. Odd sizes have no column M/2 or no row N/2, and the rules hold as they stand. */
#ifndef ABBE_SPECTRUM_PACKED_H
#define ABBE_SPECTRUM_PACKED_H

/* Where F(u, v) lies: Re = A[re_u][re_v], Im = im_sign · A[im_u][im_v].
 * im_sign is 0 where F is its own conjugate, and −1 in one, 1 in the other of each conjugate pair. Both of a
 * pair lie in the same two places, which belong to no other frequency. */
struct packed_place {
    int re_u, re_v;
    int im_u, im_v;
    int im_sign;
};

/* 0 ≤ u < width, 0 ≤ v < height. */
struct packed_place packed_place(int width, int height, int u, int v);

#endif
