// Adds one sample to the sum of the samples before it.
uniform highp sampler2D before;
uniform highp sampler2D one;
uniform float weight; // of one sample
uniform float kept;   // 0 for the first, 1 for the others
out vec4 sum;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    sum = weight * texelFetch(one, at, 0);
    if (kept > 0.0)
        sum += texelFetch(before, at, 0);
}
