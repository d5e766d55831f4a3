// Draws ground and sky behind the teapot, along the ray of each pixel.
#include "ground.glsl"

in vec2 at;
out vec4 pixel;

void main()
{
    vec3 direction = normalize(ray.xyz + at.x * ray_x.xyz + at.y * ray_y.xyz);
    float down = max(-direction.z, 1e-4), t = eye.z / down;
    vec2 place = eye.xy + t * direction.xy;

    // A pixel is a circle across its ray, and on the ground an ellipse whose long axis follows the ray.
    float across = t * turn.z, lengthwise = across / down;
    vec2 heading = direction.xy / max(length(direction.xy), 1e-4);
    vec2 along = min(heading * heading, 1.0);
    vec2 extent = sqrt(across * across * (1.0 - along) + lengthwise * lengthwise * along);

    vec3 below = ground(place, extent, t);
    float horizon_width = 0.5 * turn.z;
    float above = smoothstep(-horizon_width, horizon_width, direction.z);
    pixel = vec4(mix(below, sky(direction.z), above), 1.0);
}
