// Colours boxes, smooth lines and letters.
uniform highp sampler2D glyphs; // dots of 128 letters side by side

in vec2 dots;   // in the glyphs; negative for plain colour
in vec2 across; // distance from the middle of a line, and where the line ends
in vec4 paint;
out vec4 pixel;

void main()
{
    float cover = clamp(across.y + 0.5 - abs(across.x), 0.0, 1.0);
    if (dots.x >= 0.0)
        cover = texelFetch(glyphs, ivec2(dots), 0).r;
    pixel = vec4(paint.rgb, paint.a * cover);
}
