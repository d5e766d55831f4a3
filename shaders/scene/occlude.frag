// Adds one direction to the visibility of each point: red for the sky, green for the ground.
uniform highp sampler2D points;  // positions, one per texel
uniform highp sampler2D normals;
uniform highp sampler2D before;
uniform highp sampler2DShadow depths; // depth of the teapot along the direction
uniform mat4 view;                    // to coordinates and depth of that map, 0 to 1
uniform vec3 direction;               // unit, towards the light
uniform float weight;
out vec4 sum;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 normal = texelFetch(normals, at, 0).xyz;
    vec3 from = texelFetch(points, at, 0).xyz + 0.03 * normal;
    float seen = texture(depths, (view * vec4(from, 1.0)).xyz);
    float share = weight * seen * max(dot(normal, direction), 0.0);
    vec2 kind = direction.z > 0.0 ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
    sum = texelFetch(before, at, 0) + vec4(share * kind, 0.0, 0.0);
}
