// The lights of the scene: a sky, a window, which is the main light, and a strip behind the teapot.
#include "frame.glsl"

uniform highp sampler2DShadow shadow_map;

const vec3 window_colour = vec3(1.0, 0.94, 0.86);
const vec3 strip_colour = vec3(0.80, 0.90, 1.0);
const vec3 zenith = vec3(0.045, 0.085, 0.16);
const vec3 horizon = vec3(0.60, 0.64, 0.68);

// The sky depends on the height above the horizon only, by a power law.
const float sky_power = 0.4;

// Irradiance of a surface that faces up is π times this: the mean weighted by the cosine, ∫ 2z sky(z) dz.
const vec3 sky_mean = mix(horizon, zenith, 2.0 / (2.0 + sky_power));
const vec3 sky_irradiance = pi * sky_mean;

vec3 sky(float height)
{
    return mix(horizon, zenith, pow(max(height, 0.0), sky_power));
}

// The part of a blurred edge below x: from 0 at −1 to 1 at 1.
float below(float x)
{
    return smoothstep(-1.0, 1.0, x);
}

// A bar from -half_width to half_width, blurred without loss of light.
float bar(float x, float half_width, float blur)
{
    return below((x + half_width) / blur) - below((x - half_width) / blur);
}

// The point where a ray meets the plane of a light: coordinates along its axes and distance; 0 for rays that
// miss it.
vec3 meet(vec3 from, vec3 direction, vec4 middle, vec4 across, vec4 up)
{
    vec3 normal = cross(across.xyz, up.xyz);
    float along = dot(direction, normal);
    float t = dot(middle.xyz - from, normal) / (abs(along) > 1e-4 ? along : 1e-4);
    vec3 q = from + t * direction - middle.xyz;
    return t > 0.0 ? vec3(dot(q, across.xyz), dot(q, up.xyz), t) : vec3(0.0);
}

// The window is three panes wide and six high, with bars between them.
float panes(vec3 hit, float cone)
{
    float blur = max(hit.z * cone, 0.01);
    float w = window_x.w, h = window_y.w, lead = 0.05 * w;
    float across = bar(hit.x, w, blur) - bar(abs(hit.x) - w / 3.0, lead, blur);
    float up = bar(hit.y, h, blur) - bar(hit.y, lead, blur)
             - bar(abs(abs(hit.y) - h / 2.0) - h / 6.0, lead, blur);
    return across * up;
}

// Radiance from above for a surface that reflects into a cone of that half angle (radians). `seen` is the
// visible part of the window.
vec3 from_above(vec3 from, vec3 direction, float cone, float seen)
{
    vec3 light_above = mix(sky(direction.z), sky_mean, min(cone, 1.0));
    vec3 hit = meet(from, direction, window, window_x, window_y);
    if (hit.z > 0.0)
        light_above += window_colour * (window.w * seen * panes(hit, cone));
    hit = meet(from, direction, strip, strip_x, strip_y);
    float blur = max(hit.z * cone, 0.05);
    if (hit.z > 0.0)
        light_above += strip_colour * (strip.w * bar(hit.x, strip_x.w, blur) * bar(hit.y, strip_y.w, blur));
    return light_above;
}

// Visibility of this sample's point of the window, by nine taps of the shadow map.
float window_seen(vec3 from)
{
    vec4 projected = shadow * vec4(from, 1.0);
    vec3 at = projected.xyz / projected.w;
    float sum = 0.0, blur = turn.w;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += texture(shadow_map, vec3(at.xy + blur * vec2(x, y), at.z));
    return sum / 9.0;
}

// Irradiance from that point if nothing hides it.
float window_irradiance(vec3 from, vec3 normal)
{
    vec3 to_light = light.xyz - from;
    float distance2 = dot(to_light, to_light);
    vec3 direction = to_light * inversesqrt(distance2);
    vec3 facing = cross(window_x.xyz, window_y.xyz);
    return light.w * max(dot(normal, direction), 0.0) * abs(dot(facing, direction)) / distance2;
}
