// Results of a tile of TILE × TILE pixels, of which a thread makes EACH of a column, as many as the includer says.
const uint TILE = ABVK_TILE, THREADS = TILE * TILE / EACH;

// Room for pixels of up to 48 bits, the largest that are no whole words.
shared uint parts[PACKED ? 48u * TILE : 1u];
#include "pack.glsl"

// The tile's results, of which thread t has EACH of column t mod TILE, one below the other. TILE pixels are whole words.
void store_tile(ELEMENT values[EACH], uvec2 corner, uint group)
{
    uint px = gl_LocalInvocationID.x % TILE, py = gl_LocalInvocationID.x / TILE * EACH;
    if (!PACKED) {
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            if (corner.x + px < width && corner.y + py + k < height)
                store_pixel(values[k], corner.x + px, corner.y + py + k, group);
        return;
    }
    uint words = words_of(TILE), used = words_of(width) - words_of(corner.x);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < words * TILE; i += THREADS)
        parts[i] = 0u;
    barrier();
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        uvec2 at = uvec2(px, py + k);
        if (corner.x + at.x < width && corner.y + at.y < height)
            pack_pixel(at.y * words, at.x, 0u, finish_pixel(values[k], 0u));
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < words * TILE; i += THREADS)
        if (i % words < used && corner.y + i / words < height)
            store_packed(corner.y + i / words, words_of(corner.x) + i % words, i);
}
