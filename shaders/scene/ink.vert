// Places the corners of ink.h, which are in pixels of the window.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec2 corner_dots;
layout(location = 2) in vec2 corner_across;
layout(location = 3) in vec4 corner_paint;
uniform vec4 size; // of the window

out vec2 dots;
out vec2 across;
out vec4 paint;

void main()
{
    dots = corner_dots;
    across = corner_across;
    paint = corner_paint;
    gl_Position = vec4(2.0 * corner.x / size.x - 1.0, 1.0 - 2.0 * corner.y / size.y, 0.0, 1.0);
}
