// Projects the teapot into a shadow map.
layout(location = 0) in vec3 position;

uniform mat4 view; // the teapot's coordinates to clip space

void main()
{
    gl_Position = view * vec4(position, 1.0);
}
