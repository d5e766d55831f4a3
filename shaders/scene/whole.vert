// One triangle that covers the picture, at the far plane.
out vec2 at;

void main()
{
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    at = corner;
    gl_Position = vec4(corner, 1.0, 1.0);
}
