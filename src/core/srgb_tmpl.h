/* Template: the sRGB transfer curve of IEC 61966-2-1 for REAL numbers up to LARGEST, with the functions of
 * tgmath.h. */

REAL NAME(core_srgb_decode)(REAL coded)
{
    REAL size = fabs(coded);
    REAL linear = size <= (REAL)0.04045 ? size / (REAL)12.92
                                        : pow((size + (REAL)0.055) / (REAL)1.055, (REAL)2.4);
    /* A finite sample stays finite, so that multiplying by alpha 0 gives 0. */
    return copysign(linear > LARGEST ? LARGEST : linear, coded);
}

REAL NAME(core_srgb_encode)(REAL linear)
{
    REAL size = fabs(linear);
    REAL coded = size <= (REAL)0.0031308 ? size * (REAL)12.92
                                         : (REAL)1.055 * pow(size, 1 / (REAL)2.4) - (REAL)0.055;
    return copysign(coded, linear);
}
