// A town at night: a sky with stars and a moon, houses with lit windows, and street lamps mirrored in a
// river. Light is linear, and a lamp is a thousand times brighter than a wall.
#version 450

layout(location = 0) out vec4 colour;
layout(push_constant) uniform Frame { vec2 size; };

const float HORIZON = 0.62, HOUSES = 14.0;

// Random number in 0 … 1 for a place (PCG, O'Neill 2014).
float noise(ivec2 place, int kind)
{
    uint state = uint(place.x) * 747796405u + uint(place.y) * 2891336453u + uint(kind) * 277803737u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return float((word >> 22) ^ word) / 4294967295.0;
}

vec3 warmth(float t)
{
    return mix(vec3(1.0, 0.55, 0.2), vec3(0.8, 0.9, 1.0), t * t);
}

// A light at a random place in a random share of the cells.
vec3 points(vec2 p, float cells, float share, float radius, float power, int kind)
{
    ivec2 cell = ivec2(floor(p * cells));
    vec2 place = vec2(noise(cell, kind), noise(cell, kind + 1)) * 0.6 + 0.2;
    float apart = length(fract(p * cells) - place) / cells;
    bool lit = noise(cell, kind + 2) < share && apart < radius;
    return lit ? warmth(noise(cell, kind + 3)) * power : vec3(0);
}

vec3 sky(vec2 p)
{
    vec3 light = mix(vec3(0.002, 0.003, 0.01), vec3(0.03, 0.02, 0.03), smoothstep(0.0, HORIZON, p.y));
    light += points(p, 24.0, 0.5, 0.0016, 2.0, 10);
    if (length(p - vec2(1.2, 0.14)) < 0.05)
        light = vec3(6.0, 5.6, 4.8);
    return light;
}

vec3 town(vec2 p)
{
    int house = int(floor(p.x * HOUSES));
    float top = HORIZON - 0.1 - 0.28 * noise(ivec2(house, 0), 20);
    if (p.y < top)
        return sky(p);
    vec2 window = vec2(fract(p.x * HOUSES) * 5.0, (p.y - top) * 45.0);
    ivec2 number = ivec2(floor(window)) + ivec2(house * 8, 0);
    vec2 inside = abs(fract(window) - 0.5);
    bool lit = noise(number, 21) < 0.3 && inside.x < 0.3 && inside.y < 0.3;
    return lit ? warmth(noise(number, 22)) * (1.0 + 5.0 * noise(number, 23)) : vec3(0.004, 0.004, 0.006);
}

vec3 above(vec2 p)
{
    vec3 lamps = p.y > HORIZON - 0.03 ? points(vec2(p.x, 0.5), 9.0, 0.9, 0.004, 60.0, 30) : vec3(0);
    lamps *= step(abs(p.y - HORIZON + 0.015), 0.004);
    return lamps == vec3(0) ? town(p) : lamps;
}

void main()
{
    vec2 p = gl_FragCoord.xy / size.y;
    float depth = p.y - HORIZON;
    vec2 mirrored = vec2(p.x + 0.006 * sin(900.0 * depth * depth + 40.0 * p.x), HORIZON - depth);
    colour = vec4(depth < 0.0 ? above(p) : 0.35 * above(mirrored), 1.0);
}
