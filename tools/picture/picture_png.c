/* The chunks of a PNG, looked at before any decoder does: decoders ask for the memory that a chunk declares. */
#include "picture_parts.h"
#include "say.h"

#include <string.h>

/* Texts, profiles and the like are far smaller; pixels (IDAT) may be as long as they are, for they are streamed. */
static const gint64 chunk_max = 16 << 20;

enum { SIGNATURE = 8, HEAD = 8, CHECKSUM = 4 };

bool picture_is_png(VipsSource *source)
{
    unsigned char *start = NULL;
    return vips_source_sniff_at_most(source, &start, SIGNATURE) == SIGNATURE &&
           !memcmp(start, "\211PNG\r\n\032\n", SIGNATURE);
}

static bool head_at(VipsSource *source, gint64 offset, unsigned char head[HEAD])
{
    return vips_source_seek(source, offset, SEEK_SET) == offset &&
           vips_source_read(source, head, HEAD) == HEAD;
}

bool picture_png_check(const char *name, VipsSource *source)
{
    unsigned char head[HEAD];
    const char *type = (const char *)head + 4;
    gint64 size = vips_source_length(source), offset = SIGNATURE;
    while (offset <= size - HEAD && head_at(source, offset, head) && memcmp(type, "IEND", 4)) {
        gint64 length = (gint64)head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
        bool lies = length > size - offset - HEAD - CHECKSUM;
        if (memcmp(type, "IDAT", 4) && (lies || length > chunk_max)) {
            say_error("%s: is damaged or cut short: its part '%.4s' declares %lld bytes, %s", name, type,
                      (long long)length, lies ? "more than follow" : "16 MB at most");
            return false;
        }
        offset += HEAD + length + CHECKSUM;
    }
    return vips_source_rewind(source) == 0;
}
