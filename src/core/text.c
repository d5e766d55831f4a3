/* Words that users type: shown safely in messages, and matched with the nearest known name. */
#include "core/text.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_LENGTH = 31 };

/* Bytes of the printable UTF-8 character at `word`; 0 for control characters, overlong forms, surrogates and
 * stray bytes. */
static size_t character_bytes(const unsigned char *word, size_t length)
{
    if (word[0] < 0x80)
        return word[0] >= 0x20 && word[0] != 0x7f;
    size_t bytes = word[0] >= 0xf0 ? 4 : word[0] >= 0xe0 ? 3 : 2;
    if (word[0] < 0xc2 || word[0] > 0xf4 || bytes > length)
        return 0;
    unsigned long point = word[0] & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((word[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (word[i] & 0x3f);
    }
    unsigned long least = bytes == 2 ? 0xa0 : bytes == 3 ? 0x800 : 0x10000;
    if (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0;
    return bytes;
}

struct shown text_show(const char *word, size_t length)
{
    struct shown shown = { 0 };
    size_t used = 0, at = 0;
    while (at < length) {
        size_t bytes = character_bytes((const unsigned char *)word + at, length - at);
        if (used + (bytes ? bytes : 1) > TEXT_SHOWN)
            break;
        if (bytes)
            memcpy(shown.text + used, word + at, bytes);
        else
            shown.text[used] = '?';
        used += bytes ? bytes : 1;
        at += bytes ? bytes : 1;
    }
    if (at < length)
        memcpy(shown.text + used, "...", 4);
    return shown;
}

bool text_contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length))
            return true;
    return false;
}

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: d[i][j] from the first i letters of a to the first j of b. */
static int distance_between(const char *a, size_t a_length, const char *b)
{
    size_t b_length = strlen(b);
    int d[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
    if (a_length > NAME_MAX_LENGTH || b_length > NAME_MAX_LENGTH)
        return INT_MAX;
    for (size_t i = 0; i <= a_length; i++)
        for (size_t j = 0; j <= b_length; j++) {
            if (!i || !j) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int change = d[i - 1][j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
            d[i][j] = minimum(change, minimum(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]))
                d[i][j] = minimum(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a_length][b_length];
}

/* A candidate is near when at most a third of the letters are wrong, and never all of them. */
void nearest_try(struct nearest *nearest, const char *candidate)
{
    size_t length = strlen(candidate), longer = nearest->length > length ? nearest->length : length;
    int distance = distance_between(nearest->word, nearest->length, candidate);
    int bound = longer < 6 ? 1 : longer < NAME_MAX_LENGTH ? (int)longer / 3 : 0;
    bool near = distance <= bound && distance < (int)length;
    if (near && (!nearest->name || distance < nearest->distance)) {
        nearest->name = candidate;
        nearest->distance = distance;
    }
}
