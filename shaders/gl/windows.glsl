// Windows: the texels that one transform reads. Tile t begins at origin + step · (t mod across, t div
// across).
//
// A window holds one group of channels of one tile or, for pixels of one or two channels, of tiles_per_texel
// tiles in the channels of a texel. Windows are counted [set of tiles][group].

uniform ivec2 origin, tile_step;
uniform int tiles, tiles_across; // of the region
uniform int tiles_per_texel, groups;
uniform int window_first; // first window of this pass

ivec2 tile_origin(int tile)
{
    return origin + tile_step * ivec2(tile % tiles_across, tile / tiles_across);
}

// The texel at (x, y) of window w, counted from window_first.
vec4 window_pixel(int w, ivec2 at)
{
    if (tiles == 1)
        return load_pixel(origin + at, w + window_first);
    int tile = (w + window_first) / groups * tiles_per_texel, group = (w + window_first) % groups;
    if (tiles_per_texel == 1)
        return load_pixel(tile_origin(tile) + at, group);
    vec4 value = vec4(0);
    for (int i = 0; i < tiles_per_texel; i++) {
        vec4 pixel = load_pixel(tile_origin(min(tile + i, tiles - 1)) + at, 0);
        if (tiles_per_texel == 4)
            value[i] = pixel.x;
        else if (i == 0)
            value.xy = pixel.xy;
        else
            value.zw = pixel.xy;
    }
    return value;
}
