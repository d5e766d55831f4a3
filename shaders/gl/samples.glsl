// Conversion between stored samples and floats.
#include "arithmetic.glsl"

// Sample types, as abbe_type numbers them.
const int U8 = 1, U16 = 2, F16 = 3, F32 = 4;

int bytes_per(int type)
{
    return type == U8 ? 1 : type == F32 ? 4 : 2;
}

// The value of a stored sample.
float sample_of(int type, uint bits)
{
    if (type == U8)
        return float(bits) / 255.0;
    if (type == U16)
        return float(bits) / 65535.0;
    if (type == F16)
        return half_to_float(bits);
    return uintBitsToFloat(bits);
}

// A value as a stored sample: integers are rounded to nearest and saturated, and NaN becomes 0.
uint bits_of(int type, float value)
{
    if (type == F16)
        return float_to_half(value);
    if (type == F32)
        return floatBitsToUint(value);
    float white = type == U8 ? 255.0 : 65535.0;
    return uint(roundEven(!(value > 0.0) ? 0.0 : value < 1.0 ? value * white : white));
}
