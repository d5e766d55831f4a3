// Untangles the transforms F and G of two real lines from the transform H = F + jG of both (eq. 8) and packs
// them as in eq. 9: real parts in the lower HALF, imaginary parts in the upper.
#include "moreland.glsl"

uniform float scale;

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), mirrored = moved(at, length_of_lines() - along(at));
#if PART == REAL && HALF == 0
    value = stored(scale * 0.5 * (at_place(at) + at_place(mirrored)));
#elif PART == REAL
    value = stored(scale * 0.5 * (at_place(other_part(at)) - at_place(other_part(mirrored))));
#elif HALF == 0
    value = stored(scale * 0.5 * (at_place(at) + at_place(mirrored)));
#else
    value = stored(scale * 0.5 * (at_place(other_part(mirrored)) - at_place(other_part(at))));
#endif
}
