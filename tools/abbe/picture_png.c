/* The chunks of a PNG, looked at before any decoder does: decoders ask for the memory that a chunk declares. */
#include "picture_parts.h"
#include "say.h"

#include <string.h>

/* Texts, profiles and the like are far smaller; pixels (IDAT) may be as long as they are, for they are streamed. */
static const gint64 chunk_max = 16 << 20;

enum { SIGNATURE = 8, HEAD = 8, CHECKSUM = 4 };

/* The bytes of a PNG from `offset` on, where they can be had; false at their end. */
struct chunks {
    VipsSource *source;           /* read by seeking, or … */
    const unsigned char *sniffed; /* … the first bytes of a pipe */
    gint64 size;                  /* of the file or of what was sniffed */
    bool whole;                   /* nothing lies beyond size */
};

static bool head_at(const struct chunks *chunks, gint64 offset, unsigned char head[HEAD])
{
    if (offset > chunks->size - HEAD)
        return false;
    if (chunks->sniffed) {
        memcpy(head, chunks->sniffed + offset, HEAD);
        return true;
    }
    return vips_source_seek(chunks->source, offset, SEEK_SET) == offset &&
           vips_source_read(chunks->source, head, HEAD) == HEAD;
}

static bool walk(const char *name, const struct chunks *chunks)
{
    unsigned char head[HEAD];
    const char *type = (const char *)head + 4;
    for (gint64 offset = SIGNATURE; head_at(chunks, offset, head);) {
        gint64 length = (gint64)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        gint64 rest = chunks->size - offset - HEAD - CHECKSUM;
        if (!memcmp(type, "IEND", 4))
            return true;
        if (memcmp(type, "IDAT", 4) && (length > chunk_max || (chunks->whole && length > rest))) {
            say_failed("%s: is damaged or cut short: its part '%.4s' declares %lld bytes, %s", name, type,
                       (long long)length,
                       chunks->whole && length > rest ? "more than follow" : "16 MB at most");
            return false;
        }
        offset += HEAD + length + CHECKSUM;
    }
    return true;
}

bool picture_png_check(const char *name, VipsSource *source)
{
    enum { SNIFFED = 4096 };
    unsigned char *start = NULL;
    gint64 sniffed = vips_source_sniff_at_most(source, &start, SNIFFED);
    if (sniffed < SIGNATURE || memcmp(start, "\211PNG\r\n\032\n", SIGNATURE))
        return true;
    struct chunks chunks = { .source = source, .sniffed = start, .size = sniffed };
    chunks.whole = vips_source_is_mappable(source);
    if (!chunks.whole)
        return walk(name, &chunks);
    chunks.sniffed = NULL;
    chunks.size = vips_source_length(source);
    return walk(name, &chunks) && vips_source_rewind(source) == 0;
}
