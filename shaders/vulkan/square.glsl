// Stores a square of SQUARE × SQUARE results, of which a thread computes EACH, one below the other.
// The includer defines EACH.
const uint SQUARE = ABVK_SQUARE, THREADS = SQUARE * SQUARE / EACH;

// Shared memory for pixels of up to 48 bits, the largest that are not whole words.
shared uint shared_words[PACKED ? 48u * SQUARE : 1u];
#include "pack.glsl"

// Stores the square whose first pixel is `corner`. Thread t has results of column t mod SQUARE.
// SQUARE pixels are whole words.
void store_square(ELEMENT values[EACH], uvec2 corner, uint group)
{
    uint px = gl_LocalInvocationID.x % SQUARE, py = gl_LocalInvocationID.x / SQUARE * EACH;
    if (!PACKED) {
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            if (corner.x + px < width && corner.y + py + k < height)
                store_pixel(values[k], corner.x + px, corner.y + py + k, group);
        return;
    }
    uint words = row_words(SQUARE), used = row_words(width) - row_words(corner.x);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < words * SQUARE; i += THREADS)
        shared_words[i] = 0u;
    barrier();
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        uvec2 at = uvec2(px, py + k);
        if (corner.x + at.x < width && corner.y + at.y < height)
            pack_pixel(at.y * words, at.x, 0u, finish_pixel(values[k], 0u));
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < words * SQUARE; i += THREADS)
        if (i % words < used && corner.y + i / words < height)
            store_packed(corner.y + i / words, row_words(corner.x) + i % words, i);
}
