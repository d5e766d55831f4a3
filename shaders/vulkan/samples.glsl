// Conversion of samples between stored bits and floats.
#include "arithmetic.glsl"

// Value of stored bits of a type.
float value_of(uint bits, uint type)
{
    return type == U8    ? float(bits) / 255.0
           : type == U16 ? float(bits) / 65535.0
           : type == F16 ? half_to_float(bits)
                         : uintBitsToFloat(bits);
}

// Value of stored bits of the source.
#define sample_of(bits) value_of(bits, SOURCE_TYPE)

// Bits that a result stores for a value. Integers are rounded and saturated; a NaN becomes 0.
uint bits_of(float value)
{
    float white = RESULT_TYPE == U8 ? 255.0 : 65535.0;
    return RESULT_TYPE == F16   ? float_to_half(value)
           : RESULT_TYPE == F32 ? floatBitsToUint(value)
                                : uint(roundEven(!(value > 0.0) ? 0.0 : value < 1.0 ? value * white : white));
}

// Bits of a sample of a type.
uint bits_per(uint type)
{
    return type == U8 ? 8u : type == F32 ? 32u : 16u;
}
