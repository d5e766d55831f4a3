/* PFM files: floats, grey or RGB, from the lowest row to the highest, behind three lines of text.
 *
 *     PF           colour; Pf: grey
 *     640 480      width and height
 *     -1.0         negative: little-endian; its magnitude, a unit, is ignored as in most programs
 *
 * libvips 8.14 reads and writes the rows the other way round, and writes a comment that netpbm refuses. */
#include "bitmap.h"
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 1024, SIDE_MAX = 1 << 30 };

static void decode_own_order(const struct rows *rows, const unsigned char *from, void *to)
{
    memcpy(to, from, (size_t)rows->width * (size_t)rows->channels * sizeof(float));
}

static void decode_other_order(const struct rows *rows, const unsigned char *from, void *to)
{
    unsigned char *bytes = to;
    for (size_t i = 0; i < (size_t)rows->width * (size_t)rows->channels; i++, from += 4, bytes += 4)
        bytes[0] = from[3], bytes[1] = from[2], bytes[2] = from[1], bytes[3] = from[0];
}

/* Takes the next word of the header, behind blanks and comments; NULL where it ends. The byte behind the word
 * becomes zero. */
static char *next_word(char **at)
{
    *at += strspn(*at, " \t\r\n");
    while (**at == '#') {
        *at += strcspn(*at, "\n");
        *at += strspn(*at, " \t\r\n");
    }
    char *word = *at;
    size_t length = strcspn(word, " \t\r\n");
    if (length == 0 || word[length] == 0)
        return NULL;
    word[length] = 0;
    *at = word + length + 1;
    return word;
}

static int side_of(const char *word)
{
    char *end = NULL;
    long side = word && g_ascii_isdigit(*word) ? strtol(word, &end, 10) : 0;
    return end && !*end && side >= 1 && side <= SIDE_MAX ? (int)side : 0;
}

/* As much of the beginning of a file as fits, with a zero behind it. */
static void read_header(VipsSource *source, char text[HEADER_MAX + 1])
{
    gint64 got = 0, more = vips_source_seek(source, 0, SEEK_SET) == 0;
    while (more > 0 && got < HEADER_MAX) {
        more = vips_source_read(source, text + got, (size_t)(HEADER_MAX - got));
        got += more > 0 ? more : 0;
    }
    text[got] = 0;
}

VipsImage *pfm_load(VipsSource *source)
{
    char text[HEADER_MAX + 1], *at = text, *end = NULL;
    read_header(source, text);
    const char *kind = next_word(&at);
    int width = side_of(next_word(&at)), height = side_of(next_word(&at));
    const char *unit = next_word(&at);
    double scale = unit ? g_ascii_strtod(unit, &end) : 0;
    if (!kind || !width || !height || !unit || *end || scale == 0 || !isfinite(scale)) {
        vips_error("pfm", "its header is damaged");
        return NULL;
    }
    bool colour = !strcmp(kind, "PF"), own = (scale < 0) == (G_BYTE_ORDER == G_LITTLE_ENDIAN);
    struct rows rows = { .width = width,
                         .height = height,
                         .channels = colour ? 3 : 1,
                         .samples = VIPS_FORMAT_FLOAT,
                         .colours = colour ? VIPS_INTERPRETATION_scRGB : VIPS_INTERPRETATION_B_W,
                         .first = (guint64)(at - text),
                         .size = (guint64)width * (colour ? 12 : 4),
                         .from_bottom = true,
                         .decode = own ? decode_own_order : decode_other_order };
    return rows_image(source, &rows, sizeof rows);
}

/* Alpha has no place: two channels become one, four three. */
static void encode_row(const VipsImage *image, const void *from, unsigned char *to)
{
    size_t kept = image->Bands > 2 ? 3 : 1;
    const float *pixel = from;
    for (int x = 0; x < image->Xsize; x++, pixel += image->Bands, to += kept * sizeof(float))
        memcpy(to, pixel, kept * sizeof(float));
}

bool pfm_save(VipsImage *image, VipsTarget *target)
{
    char header[64];
    bool colour = image->Bands > 2;
    int length = snprintf(header, sizeof header, "%s\n%d %d\n%s\n", colour ? "PF" : "Pf", image->Xsize,
                          image->Ysize, G_BYTE_ORDER == G_LITTLE_ENDIAN ? "-1.0" : "1.0");
    size_t row = (size_t)image->Xsize * (colour ? 3 : 1) * sizeof(float);
    return vips_target_write(target, header, (size_t)length) == 0 &&
           rows_write(image, target, row, encode_row);
}
