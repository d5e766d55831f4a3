// Source pixels of convolutions in space, by coordinates of the region, border included.
//
// Maps hold coordinates −before … size + after − 1. Only threads without a result read
// beyond them; they are clamped.

// Column and row of the source at a coordinate.
ivec2 mapped(ivec2 at)
{
    int column = clamp(at.x + int(before_x), 0, int(columns) - 1);
    int row = clamp(at.y + int(before_y), 0, int(rows) - 1);
    return ivec2(maps[map_x + uint(column)], maps[map_y + uint(row)]);
}

ELEMENT pixel_at(int px, int py, uint group)
{
    ivec2 at = mapped(ivec2(px, py));
    return load_pixel(at.y, at.x, group);
}

// Whether the size.x × size.y coordinates from `corner` on are neighbouring pixels, of which `from` is the
// first. Maps increase by at most one, so testing the ends is enough.
bool is_inside(ivec2 corner, ivec2 size, out ivec2 from)
{
    ivec2 before = ivec2(before_x, before_y), last = corner + size - 1;
    from = mapped(corner);
    bool known = all(greaterThanEqual(corner + before, ivec2(0))) &&
                 all(lessThan(last + before, ivec2(columns, rows)));
    return known && all(greaterThanEqual(from, ivec2(0))) && mapped(last) - from == size - 1;
}
