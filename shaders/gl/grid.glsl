// The fast engine's grid: texels in one long line, rolled up to rows of 1 << grid_shift in every layer.

uniform int grid_shift;

vec4 grid_texel(sampler2DArray from, int place, int layer)
{
    return texelFetch(from, ivec3(place & ((1 << grid_shift) - 1), place >> grid_shift, layer), 0);
}
