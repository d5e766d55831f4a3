// Samples between their stored form and floats.
#include "arithmetic.glsl"

// The number that `bits` of a type stand for.
float value_of(uint bits, uint type)
{
    if (type == U8)
        return float(bits) / 255.0;
    if (type == U16)
        return float(bits) / 65535.0;
    if (type == F16)
        return half_to_float(bits);
    return uintBitsToFloat(bits);
}

// The stored number `bits` of SOURCE_TYPE.
float sample_of(uint bits)
{
    return value_of(bits, SOURCE_TYPE);
}

// What RESULT_TYPE stores; integers are rounded and saturated, and a NaN is 0.
uint bits_of(float value)
{
    if (RESULT_TYPE == F16)
        return float_to_half(value);
    if (RESULT_TYPE == F32)
        return floatBitsToUint(value);
    float white = RESULT_TYPE == U8 ? 255.0 : 65535.0;
    return uint(roundEven(!(value > 0.0) ? 0.0 : value < 1.0 ? value * white : white));
}

uint bits_per(uint type)
{
    return type == U8 ? 8u : type == F32 ? 32u : 16u;
}
