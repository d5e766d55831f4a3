// Depth of the teapot as a light sees it.
layout(location = 0) in vec3 position;

uniform mat4 view; // the teapot's own space to clip space

void main()
{
    gl_Position = view * vec4(position, 1.0);
}
