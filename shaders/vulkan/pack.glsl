// Pixels that are no whole words, put together in shared memory: rows of `parts`, each of which begins a word.

// Adds a group of pixel `index` of the row that begins at word `first`; the words were zero.
void pack_pixel(uint first, uint index, uint group, BITS bits)
{
    uint size = bits_per(RESULT_TYPE);
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels) {
            uint bit = (index * channels + group * CHANNELS + c) * size;
            atomicOr(parts[first + (bit >> 5)], bits[c] << (bit & 31u));
        }
}

// Words of a row of so many pixels.
uint words_of(uint pixels)
{
    return (pixels * channels * bits_per(RESULT_TYPE) + 31u) >> 5;
}

// Pixels of an image are whole words.
void store_packed(uint y, uint word, uint at)
{
#if !RESULT_IMAGE
    result[(number * height + y) * result_pitch + word] = parts[at];
#endif
}
