// Arithmetic of samples for the shaders of every device; it matches src/core/sample.c.

float half_to_float(uint h)
{
    uint sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 31u)
        return uintBitsToFloat(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0u)
        return uintBitsToFloat(sign | (exponent + 112u) << 23 | fraction << 13);
    float tiny = float(fraction) * uintBitsToFloat(0x33800000u); // 2^-24
    return sign != 0u ? -tiny : tiny;
}

uint float_to_half(float value)
{
    uint bits = floatBitsToUint(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return sign | 0x7e00u;
    if (size >= 0x477fe000u)
        return sign | 0x7bffu;
    if (size < 0x38800000u)
        return sign | uint(roundEven(uintBitsToFloat(size) * 16777216.0));
    uint rounded = size + 0xfffu + (size >> 13 & 1u);
    return sign | min((rounded >> 13) - (112u << 10), 0x7bffu);
}

bool is_finite(float value)
{
    return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
}

const float LARGEST = 3.4028234e38;

// The curve of IEC 61966-2-1, continued as an odd function. A finite sample stays finite,
// so that alpha 0 makes it 0.
float srgb_decode(float coded)
{
    float size = abs(coded);
    float linear = size <= 0.04045 ? size / 12.92 : pow((size + 0.055) / 1.055, 2.4);
    linear = min(linear, LARGEST);
    return coded < 0.0 ? -linear : linear;
}

float srgb_encode(float linear)
{
    float size = abs(linear);
    float coded = size <= 0.0031308 ? size * 12.92 : 1.055 * pow(size, 1.0 / 2.4) - 0.055;
    return linear < 0.0 ? -coded : coded;
}
