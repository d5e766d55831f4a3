// The ground: a woven, checked cloth that extends to the horizon. Periodic patterns are averaged over the
// pixel, so that they fade where they become finer than pixels.
#include "light.glsl"

uniform highp sampler2D ground_occlusion;

const float check = 0.62;   // length of one light and one dark check
const float thread = 0.045; // length of two threads
const float haze = 60.0;    // distance at which the ground has faded to 1/e
const float ground_half = 6.0; // the texture of the occlusion extends from -half to half

const vec3 linen = vec3(0.80, 0.77, 0.71);
const vec3 indigo = vec3(0.045, 0.075, 0.20);

// A square wave of period 1, 0 in its first half and 1 in its second, averaged over `width` around x.
float stripes(float x, float width)
{
    float a = x - 0.5 * width, b = x + 0.5 * width;
    float sum_a = 0.5 * floor(a) + max(fract(a) - 0.5, 0.0);
    float sum_b = 0.5 * floor(b) + max(fract(b) - 0.5, 0.0);
    return (sum_b - sum_a) / width;
}

// Colour of the ground at a point, averaged over the extent of a pixel.
vec3 cloth(vec2 at, vec2 extent)
{
    vec2 width = max(extent, vec2(1e-4));
    vec2 dyed = vec2(stripes(at.x / check, width.x / check), stripes(at.y / check, width.y / check));
    vec2 k = vec2(2.0 * pi / thread);
    vec2 seen = exp(-0.25 * (k * width) * (k * width));
    vec2 wave = sin(k * at) * seen;
    float over = 0.5 + 0.5 * wave.x * wave.y; // which thread is on top: along x or along y
    float round_thread = 1.0 + 0.22 * cos(2.0 * k.x * at.x) * seen.x * seen.x * over
                             + 0.22 * cos(2.0 * k.y * at.y) * seen.y * seen.y * (1.0 - over);
    return mix(linen, indigo, mix(dyed.x, dyed.y, over)) * round_thread;
}

// The part of the sky that the teapot does not hide from a point of the ground.
float sky_seen(vec2 at)
{
    vec2 own = vec2(turn.x * at.x + turn.y * at.y, turn.x * at.y - turn.y * at.x);
    vec2 edge = smoothstep(vec2(0.8 * ground_half), vec2(ground_half), abs(own));
    float open = texture(ground_occlusion, own / (2.0 * ground_half) + 0.5).r;
    return mix(open, 1.0, max(edge.x, edge.y));
}

// Radiance of a point of the ground towards a viewer at that distance.
vec3 ground(vec2 at, vec2 extent, float distance)
{
    vec3 from = vec3(at, 0.0);
    vec3 irradiance = window_colour * (window_irradiance(from, vec3(0.0, 0.0, 1.0)) * window_seen(from)) +
                      sky_irradiance * sky_seen(at);
    vec3 colour = cloth(at, extent) * irradiance / pi;
    return mix(horizon, colour, exp(-distance * distance / (haze * haze)));
}
