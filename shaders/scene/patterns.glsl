// Patterns painted on the pot or cast into it, in the pot's coordinates.
const float unpatterned = 0.0, painted = 1.0, studded = 2.0;
const vec3 cobalt = vec3(0.012, 0.035, 0.21);
const float belly = 2.02; // slightly more than the largest radius of the body; handle and spout lie outside

// 1 where value is negative, 0 where it is positive, with a transition of one pixel.
float within(float value)
{
    float step_across = max(fwidth(value), 1e-4);
    return clamp(0.5 - value / step_across, 0.0, 1.0);
}

float line_at(float height, float middle, float half_width)
{
    return within(abs(height - middle) - half_width);
}

// Lines around rim, shoulder and foot, and a frieze of nested diamonds.
float brush(vec3 p)
{
    float lines = line_at(p.z, 2.47, 0.035) + line_at(p.z, 2.22, 0.014) + line_at(p.z, 2.14, 0.026) +
                  line_at(p.z, 0.44, 0.026) + line_at(p.z, 0.36, 0.014) + line_at(p.z, 2.93, 0.03) +
                  line_at(p.z, 1.58, 0.018) + line_at(p.z, 0.96, 0.018);
    float around = fract(atan(p.y, p.x) * 18.0 / (2.0 * pi));
    float diamond = abs(2.0 * around - 1.0) + abs(p.z - 1.27) / 0.25;
    float frieze = within(abs(diamond - 0.82) - 0.09) + within(diamond - 0.34);
    return clamp(lines + frieze * within(length(p.xy) - belly), 0.0, 1.0);
}

vec3 painted_colour(vec3 p, vec3 colour)
{
    float painted_here = brush(p); // outside the condition, because it uses derivatives
    return finish.z == painted ? mix(colour, cobalt, painted_here) : colour;
}

// Rows of studs around the belly: height of the surface at an angle and a row.
float stud(float around, float row)
{
    vec2 cell = vec2(fract(around + 0.5 * mod(floor(row), 2.0)), fract(row)) - 0.5;
    float r2 = dot(cell, cell) * 9.0;
    return r2 < 1.0 ? (1.0 - r2) * (1.0 - r2) : 0.0;
}

// The normal of the surface with studs. `outwards_here` is the normal without them; both are in the pot's
// coordinates.
vec3 studded_normal(vec3 p, vec3 outwards_here)
{
    const float count = 64.0, pitch = 0.185, height = 0.05, h = 0.02;
    float r = length(p.xy), around = atan(p.y, p.x) * count / (2.0 * pi), row = p.z / pitch;
    float there = within(r - belly) * smoothstep(0.5, 0.65, p.z) * smoothstep(2.12, 1.97, p.z) *
                  smoothstep(0.9, 0.3, fwidth(row));
    float along = (stud(around + h, row) - stud(around - h, row)) / (2.0 * h) * count / (2.0 * pi * r);
    float up = (stud(around, row + h) - stud(around, row - h)) / (2.0 * h) / pitch;
    vec3 tangent = vec3(-p.y, p.x, 0.0) / max(r, 1e-3);
    vec3 rising = cross(outwards_here, tangent);
    return normalize(outwards_here - height * there * (along * tangent + up * rising));
}
