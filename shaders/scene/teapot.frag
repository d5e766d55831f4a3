// The teapot: diffuse light from window, sky and ground, under a layer that reflects all three.
#include "ground.glsl"
#include "patterns.glsl"

in vec3 world;
in vec3 own;
in vec3 outwards; // in the pot's coordinates
in vec2 open;
out vec4 pixel;

// Irradiance from the cloth on a surface above it.
const vec3 ground_irradiance = vec3(0.95, 0.95, 1.0);

// The extent of the reflected ground is its change from one pixel to the next.
vec3 from_below(vec3 direction, float cone)
{
    float t = world.z / max(-direction.z, 0.02);
    vec2 at = world.xy + t * direction.xy;
    vec2 extent = abs(dFdx(at)) + abs(dFdy(at)) + vec2(2.0 * t * cone);
    return ground(at, extent, t);
}

// Fresnel's reflectance (Schlick): it approaches 1 at grazing angles, less so on rough surfaces.
vec3 mirrored_share(vec3 straight, float cosine, float roughness)
{
    vec3 most = max(vec3(1.0 - roughness), straight);
    return straight + (most - straight) * pow(1.0 - cosine, 5.0);
}

// From the pot's coordinates to the world.
vec3 turned(vec3 v)
{
    return vec3(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

void main()
{
    vec3 own_normal = normalize(gl_FrontFacing ? outwards : -outwards);
    vec3 with_studs = studded_normal(own, own_normal);
    vec3 normal = turned(finish.z == studded ? with_studs : own_normal);
    vec3 colour_here = painted_colour(own, paint.rgb);
    vec3 to_eye = normalize(eye.xyz - world);
    float roughness = finish.x, metal = paint.a, cone = 1.2 * roughness * roughness;
    float cosine = clamp(dot(normal, to_eye), 0.0, 1.0); // rounding may exceed 1

    float inside = gl_FrontFacing ? 1.0 : 0.15;
    float seen = window_seen(world + 0.02 * normal);
    vec3 irradiance = window_colour * (window_irradiance(world, normal) * seen) +
                      inside * (sky_irradiance * open.x + ground_irradiance * open.y);
    vec3 share = mirrored_share(mix(vec3(finish.y), colour_here, metal), cosine, roughness);

    vec3 direction = reflect(-to_eye, normal);
    float above = smoothstep(-0.02 - 0.5 * cone, 0.02 + 0.5 * cone, direction.z);
    float facing_window = smoothstep(-0.05, 0.05, dot(normal, light.xyz - world));
    vec3 mirrored = mix(from_below(direction, cone),
                        from_above(world, direction, cone, seen * facing_window), above);
    float unhidden = clamp(2.0 * (open.x + open.y), 0.0, 1.0) * inside;

    vec3 colour = colour_here * (1.0 - metal) * (1.0 - share) * irradiance / pi + share * mirrored * unhidden;
    pixel = vec4(colour, 1.0);
}
