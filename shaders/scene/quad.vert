// A rectangle of the window, as a strip of two triangles.
uniform vec4 place; // left, top, right, bottom in clip space

out vec2 at; // 0 to 1, from the top left

void main()
{
    at = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    gl_Position = vec4(mix(place.xy, place.zw, at), 0.0, 1.0);
}
