#version 450
// Copies a buffer: the lower bound for any pass over a picture.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint EACH = 1;

layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = group * (gl_WorkGroupSize.x * EACH) + gl_LocalInvocationID.x;
    for (uint i = 0; i < EACH; i++) {
        uint index = first + i * gl_WorkGroupSize.x;
        if (index < from.length())
            to[index] = from[index];
    }
}
