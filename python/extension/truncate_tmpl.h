/* Template: converts numbers of one type to integers. Define before including it:
 *
 *     NAME(x)   the name of the functions for this type
 *     NUMBER    float or double
 *     WHOLE     the signed integer of the same size, and BITS the unsigned one
 *     SHIFT     1.5 times 2 to the number of bits of the fraction: adding it rounds to the nearest whole number,
 *               which is then in the low bits
 *     LIMIT     what every number must be below, so that this holds
 */

typedef NUMBER NAME(numbers) __attribute__((vector_size(16)));
typedef WHOLE NAME(wholes) __attribute__((vector_size(16)));

enum { NAME(LANES) = 16 / sizeof(NUMBER), NAME(VECTORS) = BLOCK / NAME(LANES) };

/* Some numbers, the integers that they become, and whether they are farther than the margin from a whole number. */
struct NAME(block) {
    union {
        NAME(numbers) vectors[NAME(VECTORS)];
        NUMBER each[BLOCK];
    } from;
    union {
        NAME(wholes) vectors[NAME(VECTORS)];
        WHOLE each[BLOCK];
    } to, far;
    bool fits, all_far;
};

static void NAME(convert_block)(struct NAME(block) * block, NUMBER margin)
{
    const NAME(numbers) shift = (NAME(numbers)){ 0 } + (NUMBER)SHIFT, one = (NAME(numbers)){ 0 } + 1;
    const NAME(wholes) sign = (NAME(wholes)){ 0 } + (WHOLE)((BITS)1 << (8 * sizeof(BITS) - 1));
    NAME(wholes) fits = ~(NAME(wholes)){ 0 }, all_far = fits;
    for (int i = 0; i < NAME(VECTORS); i++) {
        const NAME(numbers) number = block->from.vectors[i], whole = (number + shift) - shift;
        const NAME(numbers) rest = number - whole;
        const NAME(numbers) size = (NAME(numbers))((NAME(wholes))number & ~sign);
        const NAME(wholes) is_far = (NAME(numbers))((NAME(wholes))rest & ~sign) > margin;
        const NAME(wholes) is_beyond = is_far & ((NAME(numbers))((NAME(wholes))whole & ~sign) > size);
        const NAME(wholes) step = ((NAME(wholes))one | ((NAME(wholes))whole & sign)) & is_beyond;
        const NAME(numbers) chosen = whole - (NAME(numbers))step;
        block->to.vectors[i] = (NAME(wholes))(chosen + shift) - (NAME(wholes))shift;
        block->far.vectors[i] = is_far;
        fits &= size < (NUMBER)LIMIT;
        all_far &= is_far;
    }
    block->fits = block->all_far = true;
    for (int lane = 0; lane < NAME(LANES); lane++) {
        block->fits = block->fits && fits[lane];
        block->all_far = block->all_far && all_far[lane];
    }
}

/* Stores the low bytes of integers from the position `at` on. */
static void NAME(store)(const WHOLE *wholes, size_t at, size_t count, const struct conversion *conversion)
{
    void *integers = (char *)conversion->integers + at * conversion->width;
    switch (conversion->width) {
    case 1:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)integers)[i] = (uint8_t)wholes[i];
        break;
    case 2:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)integers)[i] = (uint16_t)wholes[i];
        break;
    case 4:
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)integers)[i] = (uint32_t)wholes[i];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)integers)[i] = (uint64_t)wholes[i];
    }
}

/* Converts all numbers. False where one is not below the limit. */
static bool NAME(convert)(const NUMBER *numbers, struct conversion *conversion)
{
    struct undecided *undecided = &conversion->undecided;
    struct NAME(block) block = { .from = { .each = { 0 } } };
    for (size_t at = 0; at < conversion->count && !undecided->too_many; at += BLOCK) {
        const size_t left = conversion->count - at, count = left < BLOCK ? left : BLOCK;
        memcpy(block.from.each, numbers + at, count * sizeof *numbers);
        NAME(convert_block)(&block, (NUMBER)conversion->margin);
        if (!block.fits)
            return false;
        NAME(store)(block.to.each, at, count, conversion);
        if (!undecided->wanted || block.all_far)
            continue;
        for (size_t i = 0; i < count && !undecided->too_many; i++)
            if (!block.far.each[i])
                note_position(undecided, at + i);
    }
    return true;
}

#undef NAME
#undef NUMBER
#undef WHOLE
#undef BITS
#undef SHIFT
#undef LIMIT
