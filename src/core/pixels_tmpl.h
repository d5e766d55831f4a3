/* Template: rows of pixels of any type and layout as interleaved REAL numbers. pixels.c includes it for float
 * and for double; NAME(x) is x_f32 or x_f64. */

/* to[i · every] = sample i, read as TYPE and named s, by `value`. */
#define LOAD_CHANNEL(TYPE, value)                                 \
    for (int i = 0; i < from.count; i++) {                        \
        TYPE s;                                                   \
        memcpy(&s, from.data + i * from.step, sizeof s);          \
        to[(size_t)i * (size_t)every] = (REAL)((value)-pedestal); \
    }

static void NAME(load_channel)(abbe_type type, struct strided from, double pedestal, int every, REAL *to)
{
    switch (type) {
    case ABBE_U8: LOAD_CHANNEL(uint8_t, (REAL)s / 255) return;
    case ABBE_U16: LOAD_CHANNEL(uint16_t, (REAL)s / 65535) return;
    case ABBE_F16: LOAD_CHANNEL(uint16_t, core_half_to_float(s)) return;
    case ABBE_F32: LOAD_CHANNEL(float, s) return;
    case ABBE_F64: LOAD_CHANNEL(double, s) return;
    case ABBE_I16: LOAD_CHANNEL(int16_t, s / 32767.0) return;
    case ABBE_U32: LOAD_CHANNEL(uint32_t, s / 4294967295.0) return;
    case ABBE_I32: LOAD_CHANNEL(int32_t, s / 2147483647.0) return;
    }
}

/* Sample i of the channel = `value` of the double v, as TYPE. */
#define STORE_CHANNEL(TYPE, value)                                     \
    for (int i = 0; i < to.count; i++) {                               \
        double v = (double)from[(size_t)i * (size_t)every] + pedestal; \
        TYPE s = (TYPE)(value);                                        \
        memcpy(to.data + i * to.step, &s, sizeof s);                   \
    }

static void NAME(store_channel)(abbe_type type, const REAL *from, int every, double pedestal,
                                struct strided to)
{
    switch (type) {
    case ABBE_U8: STORE_CHANNEL(uint8_t, to_integer(v, 255, 0, 255)) return;
    case ABBE_U16: STORE_CHANNEL(uint16_t, to_integer(v, 65535, 0, 65535)) return;
    case ABBE_F16: STORE_CHANNEL(uint16_t, core_float_to_half((float)v)) return;
    case ABBE_F32: STORE_CHANNEL(float, v) return;
    case ABBE_F64: STORE_CHANNEL(double, v) return;
    case ABBE_I16: STORE_CHANNEL(int16_t, to_integer(v, 32767, -32768, 32767)) return;
    case ABBE_U32: STORE_CHANNEL(uint32_t, to_integer(v, 4294967295.0, 0, 4294967295.0)) return;
    case ABBE_I32: STORE_CHANNEL(int32_t, to_integer(v, 2147483647.0, -2147483648.0, 2147483647.0)) return;
    }
}

static void NAME(load_row)(const abbe_image *view, int x, int y, int count, const double *pedestal, REAL *row)
{
    for (int c = 0; c < view->channels; c++) {
        struct strided from = channel_of_row(view, x, y, count, c);
        NAME(load_channel)(view->type, from, pedestal ? pedestal[c] : 0, view->channels, row + c);
    }
}

static void NAME(store_row)(const abbe_image *view, int x, int y, int count, const double *pedestal,
                            const REAL *row)
{
    for (int c = 0; c < view->channels; c++) {
        struct strided to = channel_of_row(view, x, y, count, c);
        NAME(store_channel)(view->type, row + c, view->channels, pedestal ? pedestal[c] : 0, to);
    }
}

#undef LOAD_CHANNEL
#undef STORE_CHANNEL
