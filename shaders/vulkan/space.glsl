// Convolution in space: the source pixel at a coordinate of the region, border included.
//
// maps hold coordinates −before … size + after − 1; what lies beyond is read by threads without a result only.

ivec2 mapped(ivec2 at)
{
    int column = clamp(at.x + int(before_x), 0, int(columns) - 1), row = clamp(at.y + int(before_y), 0, int(rows) - 1);
    return ivec2(maps[map_x + uint(column)], maps[map_y + uint(row)]);
}

ELEMENT pixel_at(int px, int py, uint group)
{
    ivec2 at = mapped(ivec2(px, py));
    return load_pixel(at.y, at.x, group);
}

// Whether size.x × size.y coordinates from `corner` on are pixels one beside the other, the first of them `from`: maps
// go up by one at most, so it is enough to look at the ends.
bool is_inside(ivec2 corner, ivec2 size, out ivec2 from)
{
    ivec2 before = ivec2(before_x, before_y), last = corner + size - 1;
    from = mapped(corner);
    bool known = all(greaterThanEqual(corner + before, ivec2(0))) &&
                 all(lessThan(last + before, ivec2(columns, rows)));
    return known && all(greaterThanEqual(from, ivec2(0))) && mapped(last) - from == size - 1;
}
