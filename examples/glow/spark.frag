// A point of light.
in vec3 colour;

out vec4 light;

void main()
{
    light = vec4(colour, 1.0);
}
