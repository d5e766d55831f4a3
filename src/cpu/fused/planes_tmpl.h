/* Template: pictures of one channel or of separate planes to complex rows and back; and the choice of the
 * function for a format. Neighbouring samples of a plane are consecutive, so that one function per type
 * serves any number of channels. */

/* One instance of `call` for every type; `call` is a macro of a format of one channel. */
#define CASE_OF_PLANE(type, size, call) \
    case type:                          \
        call(((struct format){ type, 1, size }));
#define CASES_OF_PLANES(call)        \
    CASE_OF_PLANE(ABBE_U8, 1, call)  \
    CASE_OF_PLANE(ABBE_U16, 2, call) \
    CASE_OF_PLANE(ABBE_F16, 2, call) \
    CASE_OF_PLANE(ABBE_F32, 4, call)

INLINE bool is_in_planes(const struct fused_pixels *how)
{
    return how->planar || how->channels == 1;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* Loads a row of channel c to `to`, where its vectors are 2 · LANES apart; but not its outside pixels. */
INLINE void load_plane(const struct fused_pixels *how, struct format format, const unsigned char *from, int c,
                       bool treat, float *to, INTS *nonfinite)
{
    float pedestal = how->pedestal ? how->pedestal[c] : 0;
    for (int i = 0; i < how->span_count; i++) {
        const struct fused_span *span = &how->spans[i];
        for (int k = 0; k < span->count; k++) {
            int v = span->vector + k;
            VECTOR x;
            if (span->pixel < 0)
                gather_vector(format, from, how->index + (size_t)v * LANES, &x);
            else
                load_vector(format, from + (size_t)(span->pixel + k * LANES) * format.size, &x);
            if (treat && how->zero_nonfinite)
                x = finite_only(x);
            if (format.type == ABBE_F16 || format.type == ABBE_F32)
                *nonfinite |= (INTS)(x - x); /* 0 or a NaN */
            store(to + 2 * LANES * (size_t)v, treat ? x - pedestal : x);
        }
    }
}

/* Multiplies the rows of all colours by alpha, the last channel. */
static void multiply_planes(const struct fused_pixels *how, int part, float *const *rows)
{
    const struct fused_span *last = &how->spans[how->span_count - 1];
    const float *alpha = sample_vector(rows, how->channels, how->channels - 1, part, 0);
    for (int c = 0; c + 1 < how->channels; c++) {
        float *row = sample_vector(rows, how->channels, c, part, 0);
        for (size_t at = 0; at < 2 * LANES * (size_t)(last->vector + last->count); at += 2 * LANES)
            store(row + at, load(row + at) * load(alpha + at));
    }
}

/* Loads a row of planes whose type is a constant; returns whether all samples were finite. */
INLINE bool load_planes_as(const struct fused_pixels *how, struct format format, const unsigned char *from,
                           int part, float *const *rows)
{
    INTS nonfinite = { 0 };
    for (int c = 0; c < how->channels; c++, from += how->plane) {
        float *to = sample_vector(rows, how->channels, c, part, 0);
        if (how->ahead)
            prefetch_row(how, format.size, from);
        if (how->zero_nonfinite || how->pedestal)
            load_plane(how, format, from, c, true, to, &nonfinite);
        else
            load_plane(how, format, from, c, false, to, &nonfinite);
    }
    if (how->premultiply)
        multiply_planes(how, part, rows);
    for (int i = 0; i < how->span_count; i++)
        for (int k = 0; k < how->spans[i].count && how->spans[i].pixel < 0; k++)
            lay_outside(how, how->spans[i].vector + k, part, rows);
    return is_all_zero(nonfinite);
}

static bool load_row(const struct fused_pixels *how, const void *from, int part, float *const *rows)
{
#define LOAD_PLANES(format) return load_planes_as(how, format, from, part, rows)
#define LOAD(format) return load_row_as(how, format, from, part, rows)
    if (is_in_planes(how))
        switch ((int)how->type) {
            CASES_OF_PLANES(LOAD_PLANES)
        }
    switch (8 * (int)how->type + how->channels) {
        CASES_OF_FORMATS(LOAD)
    }
#undef LOAD_PLANES
#undef LOAD
    return true;
}

/* ---- Storing ------------------------------------------------------------------------------------------ */

/* The results of channel c at sample x of the rows, treated. */
INLINE VECTOR take_results(const struct fused_pixels *how, float *const *rows, int c, int part, int x,
                           bool treat)
{
    VECTOR result[2] = { load(sample_vector(rows, how->channels, c, part, 2 * (size_t)x)) };
    if (treat && how->premultiply) {
        result[1] = load(sample_vector(rows, how->channels, how->channels - 1, part, 2 * (size_t)x));
        divide_by_alpha(how->alpha_gain, 2, result);
        if (c == how->channels - 1)
            result[0] = result[1];
    }
    return treat && how->offset ? result[0] + how->offset[c] : result[0];
}

/* Stores a vector of which not all lanes are results; `to` is the row's first result. */
INLINE void store_plane_edge(const struct fused_pixels *how, struct format format, VECTOR results, int x,
                             unsigned char *to)
{
    unsigned char samples[LANES * SAMPLE_MAX];
    int low = x < how->first ? how->first - x : 0, end = how->first + how->count - x;
    store_channel_vector(format.type, results, samples);
    memcpy(to + (size_t)(x + low - how->first) * format.size, samples + (size_t)low * format.size,
           (size_t)((end < LANES ? end : LANES) - low) * format.size);
}

/* Stores a row of channel c. Floats may be streamed. */
INLINE void store_plane(const struct fused_pixels *how, struct format format, float *const *rows, int c,
                        int part, bool treat, unsigned char *to)
{
    int first = how->first, end = first + how->count, x = first / LANES * LANES;
    if (x < first) {
        store_plane_edge(how, format, take_results(how, rows, c, part, x, treat), x, to);
        x += LANES;
    }
    unsigned char *next = to + (ptrdiff_t)(x - first) * (ptrdiff_t)format.size;
    bool streams = format.type == ABBE_F32 && how->stream && (size_t)next % VECTOR_BYTES == 0;
    for (; x + LANES <= end && streams; x += LANES, next += LANES * format.size)
        stream((float *)(void *)next, take_results(how, rows, c, part, x, treat));
    for (; x + LANES <= end; x += LANES, next += LANES * format.size)
        store_channel_vector(format.type, take_results(how, rows, c, part, x, treat), next);
    if (x < end)
        store_plane_edge(how, format, take_results(how, rows, c, part, x, treat), x, to);
}

INLINE void store_planes_as(const struct fused_pixels *how, struct format format, const float *const *rows,
                            int part, unsigned char *to)
{
    for (int c = 0; c < how->channels; c++, to += how->plane)
        if (how->premultiply || how->offset)
            store_plane(how, format, (float *const *)rows, c, part, true, to);
        else
            store_plane(how, format, (float *const *)rows, c, part, false, to);
}

static void store_row(const struct fused_pixels *how, const float *const *rows, int part, void *to)
{
#define STORE_PLANES(format)                      \
    store_planes_as(how, format, rows, part, to); \
    return
#define STORE(format)                          \
    store_row_as(how, format, rows, part, to); \
    return
    if (is_in_planes(how))
        switch ((int)how->type) {
            CASES_OF_PLANES(STORE_PLANES)
        }
    switch (8 * (int)how->type + how->channels) {
        CASES_OF_FORMATS(STORE)
    }
#undef STORE_PLANES
#undef STORE
}
