// Places the teapot, and passes on the visibility of sky and ground at each vertex.
#include "frame.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

uniform highp sampler2D occlusion; // a texel per vertex, row by row

out vec3 world;
out vec3 own; // position in the pot's coordinates
out vec3 outwards;
out vec2 open;

vec3 turned(vec3 v)
{
    return vec3(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

void main()
{
    int columns = textureSize(occlusion, 0).x;
    open = texelFetch(occlusion, ivec2(gl_VertexID % columns, gl_VertexID / columns), 0).rg;
    own = position;
    world = turned(position);
    outwards = normal;
    gl_Position = camera * vec4(world, 1.0);
}
