// Tangles two packed lines for the inverse transform, eq. 7: H = F + jG.
#include "moreland.glsl"

out vec4 value;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), mirrored = moved(at, length_of_lines() - along(at));
#if PART == REAL && HALF == 0
    value = stored(at_place(at) + at_place(other_part(mirrored)));
#elif PART == REAL
    value = stored(at_place(mirrored) - at_place(other_part(at)));
#elif HALF == 0
    value = stored(at_place(at) - at_place(other_part(mirrored)));
#else
    value = stored(at_place(mirrored) + at_place(other_part(at)));
#endif
}
