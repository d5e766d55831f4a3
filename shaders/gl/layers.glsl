// Where result k of a step lies, seen from the place of its butterfly.
#if SLICED
uniform int layers;
#endif

ivec3 layer_of(int k, int block)
{
#if SLICED
    int below = quotient(k, layers);
    return ivec3(0, below * block, k - below * layers);
#else
    return ivec3(0, 0, k);
#endif
}
