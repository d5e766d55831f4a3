// The offset of result k of a step from the place of its butterfly; slice_rows are the rows of a slice.
#if SLICED
uniform int layers;
#endif

ivec3 layer_of(int k, int slice_rows)
{
#if SLICED
    int slice = quotient(k, layers);
    return ivec3(0, slice * slice_rows, k - slice * layers);
#else
    return ivec3(0, 0, k);
#endif
}
