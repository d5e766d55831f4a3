// Samples between their stored form and floats.
#include "arithmetic.glsl"

// The number that `bits` of a type stand for.
float value_of(uint bits, uint type)
{
    return type == U8    ? float(bits) / 255.0
           : type == U16 ? float(bits) / 65535.0
           : type == F16 ? half_to_float(bits)
                         : uintBitsToFloat(bits);
}

// The stored number `bits` of SOURCE_TYPE.
#define sample_of(bits) value_of(bits, SOURCE_TYPE)

// What RESULT_TYPE stores; integers are rounded and saturated, and a NaN is 0.
uint bits_of(float value)
{
    float white = RESULT_TYPE == U8 ? 255.0 : 65535.0;
    return RESULT_TYPE == F16   ? float_to_half(value)
           : RESULT_TYPE == F32 ? floatBitsToUint(value)
                                : uint(roundEven(!(value > 0.0) ? 0.0 : value < 1.0 ? value * white : white));
}

uint bits_per(uint type)
{
    return type == U8 ? 8u : type == F32 ? 32u : 16u;
}
