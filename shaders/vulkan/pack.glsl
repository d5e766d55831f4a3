// Packing of pixels that are not whole words: rows in shared memory, each of which begins at a word.

// Adds a group of channels of pixel `index` to the row that begins at word `first`.
// The words were zero before.
void pack_pixel(uint first, uint index, uint group, BITS bits)
{
    uint size = bits_per(RESULT_TYPE);
    [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
        if (group * CHANNELS + c < channels) {
            uint bit = (index * channels + group * CHANNELS + c) * size;
            atomicOr(shared_words[first + (bit >> 5)], bits[c] << (bit & 31u));
        }
}

// Words of a row of `pixels` pixels.
uint row_words(uint pixels)
{
    return (pixels * channels * bits_per(RESULT_TYPE) + 31u) >> 5;
}

// Stores word `at` of shared memory as word `word` of row y. Not used for images,
// whose pixels are whole words.
void store_packed(uint y, uint word, uint at)
{
#if !RESULT_IMAGE
    result[(number * height + y) * result_pitch + word] = shared_words[at];
#endif
}
