/* Finds damage in JPEG data that the decoder passes over.
 *
 * A damaged Huffman stream nearly always decodes to something. What gives it away is the end: blocks run out
 * before the bytes, or bytes before the blocks. libjpeg sees that only if it is asked to read on, which libvips
 * does not do. The walk here reads every code and computes no pixel. Files of several scans are read to their
 * end by libjpeg itself. */
#include "vips_picture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 4, TABLES = 4, FAST_BITS = 10, LONGEST = 16, CHUNK = 1 << 16, END_OF_FILE = -1 };
enum { SOF0 = 0xC0, SOF1 = 0xC1, DHT = 0xC4, SOF15 = 0xCF, RST0 = 0xD0, SOI = 0xD8, SOS = 0xDA, DRI = 0xDD };

/* A Huffman table: codes of up to FAST_BITS by their bits, longer ones by their length. */
struct huffman {
    uint16_t fast[1 << FAST_BITS]; /* 256·length + symbol; 0 for longer codes and for bits without a code */
    int first[LONGEST + 1];        /* code of each length */
    int count[LONGEST + 1];        /* codes of each length */
    int index[LONGEST + 1];        /* of the first symbol of each length */
    uint8_t symbols[256];
};

struct component {
    int id, across, down; /* blocks in an MCU */
    int dc, ac;           /* tables */
};

struct jpeg {
    VipsSource *source;
    unsigned char *chunk; /* bytes of the file that are next */
    size_t at, end;
    uint64_t bits; /* the lowest `bit_count` of them are next */
    int bit_count;
    int marker; /* 0, or the marker or END_OF_FILE that ends the data */
    int width, height, component_count, interval;
    struct component components[COMPONENTS];
    struct huffman *tables[2][TABLES]; /* DC and AC; NULL where undefined */
};

/* ---- Bytes and bits ------------------------------------------------------------------------------------ */

static int next_byte(struct jpeg *jpeg)
{
    if (jpeg->at == jpeg->end) {
        gint64 got = vips_source_read(jpeg->source, jpeg->chunk, CHUNK);
        jpeg->at = 0;
        jpeg->end = got > 0 ? (size_t)got : 0;
    }
    return jpeg->at < jpeg->end ? jpeg->chunk[jpeg->at++] : END_OF_FILE;
}

static int next_number(struct jpeg *jpeg)
{
    int high = next_byte(jpeg), low = next_byte(jpeg);
    return high < 0 || low < 0 ? END_OF_FILE : high << 8 | low;
}

/* The next marker, after bytes that may fill the space before it. */
static int next_marker(struct jpeg *jpeg)
{
    int byte = next_byte(jpeg);
    while (byte == 0xFF)
        byte = next_byte(jpeg);
    return byte;
}

/* Fills the bits up to a marker, with zeros from there on. */
static void fill_bits(struct jpeg *jpeg)
{
    while (jpeg->bit_count <= 56 && !jpeg->marker) {
        int byte = next_byte(jpeg);
        if (byte == 0xFF) {
            int after = next_marker(jpeg);
            if (after != 0)
                jpeg->marker = after;
        } else if (byte < 0) {
            jpeg->marker = END_OF_FILE;
        }
        if (!jpeg->marker) {
            jpeg->bits = jpeg->bits << 8 | (unsigned)byte;
            jpeg->bit_count += 8;
        }
    }
}

/* The next 16 bits, with zeros after the end of the data. */
static unsigned peek_bits(const struct jpeg *jpeg)
{
    if (jpeg->bit_count >= LONGEST)
        return jpeg->bits >> (jpeg->bit_count - LONGEST) & 0xFFFF;
    return (unsigned)(jpeg->bits << (LONGEST - jpeg->bit_count)) & 0xFFFF;
}

/* ---- Huffman codes ------------------------------------------------------------------------------------- */

/* The next symbol; −1 for bits without a code, and at the end of the data. */
static int next_symbol(struct jpeg *jpeg, const struct huffman *table)
{
    if (jpeg->bit_count < 32)
        fill_bits(jpeg);
    unsigned bits = peek_bits(jpeg);
    int entry = table->fast[bits >> (LONGEST - FAST_BITS)], length = entry >> 8;
    for (int longer = FAST_BITS + 1; !entry && longer <= LONGEST; longer++) {
        int code = (int)(bits >> (LONGEST - longer)) - table->first[longer];
        if (code >= 0 && code < table->count[longer]) {
            length = longer;
            entry = table->symbols[table->index[longer] + code];
            break;
        }
    }
    jpeg->bit_count -= length;
    return length == 0 || jpeg->bit_count < 0 ? -1 : entry & 0xFF;
}

static bool skip_bits(struct jpeg *jpeg, int count)
{
    jpeg->bit_count -= count;
    return jpeg->bit_count >= 0;
}

/* Reads the codes of one table; false if they do not fit into their lengths. */
static bool read_table(struct jpeg *jpeg, struct huffman *table)
{
    int total = 0, code = 0;
    for (int length = 1; length <= LONGEST; length++) {
        int count = next_byte(jpeg);
        if (count < 0)
            return false;
        table->count[length] = count;
        table->first[length] = code;
        table->index[length] = total;
        total += count;
        code += count;
        if (total > 256 || code > 1 << length)
            return false;
        code <<= 1;
    }
    for (int i = 0; i < total; i++)
        table->symbols[i] = (uint8_t)next_byte(jpeg); /* at the end of the file the scan fails */
    memset(table->fast, 0, sizeof table->fast);
    for (int length = 1; length <= FAST_BITS; length++)
        for (int i = 0; i < table->count[length]; i++)
            for (int rest = 0; rest < 1 << (FAST_BITS - length); rest++)
                table->fast[(table->first[length] + i) << (FAST_BITS - length) | rest] =
                    (uint16_t)(length << 8 | table->symbols[table->index[length] + i]);
    return true;
}

/* ---- Segments ------------------------------------------------------------------------------------------ */

static bool read_tables(struct jpeg *jpeg, int size)
{
    while (size > 0) {
        int which = next_byte(jpeg);
        if (which < 0 || which >> 4 > 1 || (which & 15) >= TABLES)
            return false;
        struct huffman **table = &jpeg->tables[which >> 4][which & 15];
        if (!*table)
            *table = calloc(1, sizeof **table);
        if (!*table || !read_table(jpeg, *table))
            return false;
        size -= 1 + LONGEST + (*table)->index[LONGEST] + (*table)->count[LONGEST];
    }
    return size == 0;
}

static bool read_frame(struct jpeg *jpeg)
{
    bool has_bytes = next_byte(jpeg) == 8;
    jpeg->height = next_number(jpeg);
    jpeg->width = next_number(jpeg);
    jpeg->component_count = next_byte(jpeg);
    if (!has_bytes || jpeg->height < 1 || jpeg->width < 1 || jpeg->component_count < 1 ||
        jpeg->component_count > COMPONENTS)
        return false;
    for (int i = 0; i < jpeg->component_count; i++) {
        struct component *component = &jpeg->components[i];
        component->id = next_byte(jpeg);
        int blocks = next_byte(jpeg);
        next_byte(jpeg); /* quantisation */
        component->across = blocks >> 4;
        component->down = blocks & 15;
        if (blocks < 0 || component->across < 1 || component->across > 4 || component->down < 1 ||
            component->down > 4)
            return false;
    }
    /* In a scan of one component, an MCU is one block. */
    if (jpeg->component_count == 1)
        jpeg->components[0].across = jpeg->components[0].down = 1;
    return true;
}

/* Whether a scan has all components, in the order of the frame, and its tables exist. */
static bool read_scan(struct jpeg *jpeg)
{
    if (jpeg->component_count == 0 || next_byte(jpeg) != jpeg->component_count)
        return false;
    for (int i = 0; i < jpeg->component_count; i++) {
        struct component *component = &jpeg->components[i];
        int id = next_byte(jpeg), tables = next_byte(jpeg);
        component->dc = tables >> 4;
        component->ac = tables & 15;
        if (id != component->id || tables < 0 || component->dc >= TABLES || component->ac >= TABLES ||
            !jpeg->tables[0][component->dc] || !jpeg->tables[1][component->ac])
            return false;
    }
    return next_byte(jpeg) == 0 && next_byte(jpeg) == 63 && next_byte(jpeg) == 0;
}

static bool skip_segment(struct jpeg *jpeg, int size)
{
    while (size > 0 && next_byte(jpeg) >= 0)
        size--;
    return size == 0;
}

/* Reads up to the data of the only scan; false for other kinds of files, and for damaged headers, which the
 * decoder refuses. */
static bool find_scan(struct jpeg *jpeg)
{
    if (next_number(jpeg) != (0xFF00 | SOI))
        return false;
    for (;;) {
        if (next_byte(jpeg) != 0xFF)
            return false;
        int marker = next_marker(jpeg), size = next_number(jpeg) - 2;
        if (marker < 0 || size < 0)
            return false;
        bool is_other_frame = marker > SOF1 && marker <= SOF15 && marker != DHT;
        if (is_other_frame)
            return false;
        if (marker == SOS)
            return read_scan(jpeg);
        if (marker == DRI)
            jpeg->interval = next_number(jpeg);
        bool fine = marker == SOF0 || marker == SOF1 ? read_frame(jpeg)
                    : marker == DHT                  ? read_tables(jpeg, size)
                    : marker == DRI                  ? size == 2
                                                     : skip_segment(jpeg, size);
        if (!fine)
            return false;
    }
}

/* ---- The data ------------------------------------------------------------------------------------------ */

static bool walk_block(struct jpeg *jpeg, const struct huffman *dc, const struct huffman *ac)
{
    int size = next_symbol(jpeg, dc);
    if (size < 0 || size > LONGEST || !skip_bits(jpeg, size))
        return false;
    for (int k = 1; k < 64; k++) {
        int symbol = next_symbol(jpeg, ac), zeros = symbol >> 4;
        if (symbol < 0 || !skip_bits(jpeg, symbol & 15))
            return false;
        if (symbol == 0)
            break;
        k += zeros;
        if (k > 63)
            return false;
    }
    return true;
}

static bool walk_mcu(struct jpeg *jpeg)
{
    for (int i = 0; i < jpeg->component_count; i++) {
        const struct component *component = &jpeg->components[i];
        for (int block = 0; block < component->across * component->down; block++)
            if (!walk_block(jpeg, jpeg->tables[0][component->dc], jpeg->tables[1][component->ac]))
                return false;
    }
    return true;
}

/* Whether the data ends here, within a byte, by a marker. */
static bool ends_here(struct jpeg *jpeg)
{
    fill_bits(jpeg);
    return jpeg->bit_count < 8 && jpeg->marker > 0;
}

static bool walk_data(struct jpeg *jpeg)
{
    int across = 1, down = 1;
    for (int i = 0; i < jpeg->component_count; i++) {
        across = MAX(across, jpeg->components[i].across);
        down = MAX(down, jpeg->components[i].down);
    }
    long columns = (jpeg->width - 1) / (8 * across) + 1, rows = (jpeg->height - 1) / (8 * down) + 1;
    for (long mcu = 0; mcu < columns * rows; mcu++) {
        bool restarts = mcu > 0 && jpeg->interval > 0 && mcu % jpeg->interval == 0;
        if (restarts) {
            long number = mcu / jpeg->interval - 1;
            if (!ends_here(jpeg) || jpeg->marker != RST0 + number % 8)
                return false;
            jpeg->marker = jpeg->bit_count = 0;
        }
        if (!walk_mcu(jpeg))
            return false;
    }
    return ends_here(jpeg);
}

bool inspect_jpeg_data(VipsSource *source)
{
    struct jpeg jpeg = { .source = source, .chunk = malloc(CHUNK) };
    bool sound = !jpeg.chunk || vips_source_rewind(source) != 0 || !find_scan(&jpeg) || walk_data(&jpeg);
    for (int i = 0; i < 2 * TABLES; i++)
        free(jpeg.tables[i / TABLES][i % TABLES]);
    free(jpeg.chunk);
    return sound;
}
