/* Template: interleaved pixels to complex rows and back. */

INLINE void split_vector(const float *pixels, int channels, int count, int channel, float *to)
{
    for (int l = 0; l < count; l++)
        to[l] = pixels[l * channels + channel];
    for (int l = count; l < LANES; l++)
        to[l] = 0;
}

INLINE void split_of(const float *pixels, int channels, int count, int part, float *const *rows)
{
    for (int x = 0; x < count; x += LANES, pixels += LANES * channels) {
        size_t at = 2 * (size_t)x;
        if (count - x >= LANES) {
            for (int c = 0; c + 1 < channels; c += 2) {
                split_vector(pixels, channels, LANES, c, rows[c / 2] + at);
                split_vector(pixels, channels, LANES, c + 1, rows[c / 2] + at + LANES);
            }
            if (channels % 2)
                split_vector(pixels, channels, LANES, channels - 1, rows[channels / 2] + at + part * LANES);
            continue;
        }
        for (int c = 0; c < channels; c++)
            split_vector(pixels, channels, count - x, c,
                         rows[c / 2] + at + (c == channels - 1 && channels % 2 ? part : c % 2) * LANES);
    }
}

static void split(const float *pixels, int channels, int count, int part, float *const *rows)
{
    switch (channels) {
    case 1: split_of(pixels, 1, count, part, rows); break;
    case 2: split_of(pixels, 2, count, part, rows); break;
    case 3: split_of(pixels, 3, count, part, rows); break;
    case 4: split_of(pixels, 4, count, part, rows); break;
    default: split_of(pixels, channels, count, part, rows); break;
    }
}

/* Lanes low … high − 1 of one vector of every row. */
INLINE void merge_vector(const float *const *rows, size_t at, int low, int high, int channels, int part,
                         float *pixels)
{
    for (int c = 0; c < channels; c++) {
        const float *from = rows[c / 2] + at + (c == channels - 1 && channels % 2 ? part : c % 2) * LANES;
        for (int l = low; l < high; l++)
            pixels[(l - low) * channels + c] = from[l];
    }
}

INLINE void merge_of(const float *const *rows, int first, int channels, int count, int part, float *pixels)
{
    for (int x = first, end = first + count; x < end;) {
        size_t at = 2 * (size_t)(x / LANES * LANES);
        int low = x % LANES, high = end - x < LANES - low ? low + end - x : LANES;
        if (high - low == LANES)
            merge_vector(rows, at, 0, LANES, channels, part, pixels);
        else
            merge_vector(rows, at, low, high, channels, part, pixels);
        pixels += (high - low) * channels;
        x += high - low;
    }
}

static void merge(const float *const *rows, int first, int channels, int count, int part, float *pixels)
{
    switch (channels) {
    case 1: merge_of(rows, first, 1, count, part, pixels); break;
    case 2: merge_of(rows, first, 2, count, part, pixels); break;
    case 3: merge_of(rows, first, 3, count, part, pixels); break;
    case 4: merge_of(rows, first, 4, count, part, pixels); break;
    default: merge_of(rows, first, channels, count, part, pixels); break;
    }
}
