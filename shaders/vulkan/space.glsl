// Convolution in space: the source pixel at a coordinate of the region, border included.
//
// maps hold coordinates −before … size + after − 1; what lies beyond is read by threads without a result only.

ELEMENT pixel_at(int px, int py, uint group)
{
    int column = clamp(px + int(before_x), 0, int(columns) - 1), row = clamp(py + int(before_y), 0, int(rows) - 1);
    return load_pixel(maps[map_y + uint(row)], maps[map_x + uint(column)], group);
}
