// Draws letters on a grid over the window; each cell has a character code. Letters are bright with a dark
// outline.
uniform highp sampler2D letters; // one character code per cell
uniform highp sampler2D glyphs;  // 128 letters side by side, six dots wide and eight high
uniform vec4 grid;               // columns; rows; height of a cell in dots; side of a dot in pixels
uniform vec4 size;               // of the window, pixels

in vec2 at;
out vec4 pixel;

bool dot_at(ivec2 d)
{
    ivec2 cell = ivec2(d.x / 6, d.y / int(grid.z)), within = ivec2(d.x % 6, d.y % int(grid.z));
    if (d.x < 0 || d.y < 0 || cell.x >= int(grid.x) || cell.y >= int(grid.y) || within.y >= 8)
        return false;
    int code = int(texelFetch(letters, cell, 0).r * 255.0 + 0.5);
    return texelFetch(glyphs, ivec2(code * 6 + within.x, within.y), 0).r > 0.5;
}

void main()
{
    ivec2 d = ivec2(floor(at * size.xy / grid.w));
    if (dot_at(d)) {
        pixel = vec4(1.0, 0.97, 0.9, 1.0);
        return;
    }
    bool rim = dot_at(d + ivec2(-1, 0)) || dot_at(d + ivec2(1, 0)) || dot_at(d + ivec2(0, -1)) ||
               dot_at(d + ivec2(0, 1)) || dot_at(d + ivec2(-1, -1));
    if (!rim)
        discard;
    pixel = vec4(0.0, 0.0, 0.0, 1.0);
}
