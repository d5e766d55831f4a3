// The frame plus the weighted parts of its glow.
uniform sampler2D frame, part0, part1, part2;
uniform vec3 weights;

out vec4 light;

vec3 at(sampler2D texels)
{
    return texelFetch(texels, ivec2(gl_FragCoord.xy), 0).rgb;
}

void main()
{
    light = vec4(at(frame) + weights.x * at(part0) + weights.y * at(part1) + weights.z * at(part2), 1.0);
}
