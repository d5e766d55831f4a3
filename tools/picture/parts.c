/* XMP of pictures with further parts: a gain map (Ultra HDR), or the video of a motion photo, behind the
 * main picture of a JPEG. Only the main picture is read, so what announces the others is removed. */
#include "say.h"
#include "vips_picture.h"

#include <string.h>

/* Vocabularies of XMP. Of the last two only properties that begin so are removed. */
static const char gain_map[] = "http://ns.adobe.com/hdr-gain-map/1.0/";
static const char container[] = "http://ns.google.com/photos/1.0/container/";
static const char camera[] = "http://ns.google.com/photos/1.0/camera/";
static const char basic[] = "http://ns.adobe.com/xap/1.0/";
static const char *const basic_properties[] = { "Thumbnails" };
static const char *const camera_properties[] = { "MotionPhoto", "MicroVideo" };

enum { PREFIX_MAX = 32 };

/* Finds the prefix that a text declares for a vocabulary: "hdrgm:" of xmlns:hdrgm="…". */
static bool find_prefix(const char *text, const char *vocabulary, char prefix[PREFIX_MAX])
{
    static const char declaration[] = "xmlns:";
    size_t length = strlen(vocabulary);
    for (const char *at = strstr(text, vocabulary); at; at = strstr(at + 1, vocabulary)) {
        bool quoted = at - text > 2 && strchr("\"'", at[-1]) && at[-2] == '=' && at[length] == at[-1];
        const char *start = quoted ? at - 2 : text;
        while (start > text && (g_ascii_isalnum(start[-1]) || strchr("_-.", start[-1])))
            start--;
        size_t size = quoted ? (size_t)(at - 2 - start) : 0;
        bool declared = size > 0 && size < PREFIX_MAX - 1 && start - text >= (int)sizeof declaration - 1 &&
                        !memcmp(start - (sizeof declaration - 1), declaration, sizeof declaration - 1);
        if (declared) {
            g_snprintf(prefix, PREFIX_MAX, "%.*s:", (int)size, start);
            return true;
        }
    }
    return false;
}

/* Whether a name at `text`, behind its prefix, is one of those to remove. */
static bool is_chosen(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (g_str_has_prefix(text, names[i]))
            return true;
    return count == 0;
}

/* The end of name="value" or name='value'; NULL for anything else. */
static const char *end_of_attribute(const char *text)
{
    text += strcspn(text, "=\"'<>");
    if (*text != '=' || !text[1] || !strchr("\"'", text[1]))
        return NULL;
    const char *end = strchr(text + 2, text[1]);
    return end ? end + 1 : NULL;
}

/* The end of <name …/> or <name …>…</name>, from its name on; NULL where it does not end. */
static const char *end_of_element(const char *text)
{
    size_t length = strcspn(text, " \t\r\n/>");
    const char *close = strchr(text, '>');
    if (!close || close[-1] == '/')
        return close ? close + 1 : NULL;
    for (const char *at = strstr(close, "</"); at; at = strstr(at + 2, "</"))
        if (!strncmp(at + 2, text, length) && at[2 + length] == '>')
            return at + 3 + length;
    return NULL;
}

/* The length of a comment, of characters without markup, or of an instruction that begins here; 0 for others, and where
 * it does not end. */
static size_t opaque_length(const char *text)
{
    static const char *const marks[][2] = { { "<!--", "-->" }, { "<![CDATA[", "]]>" }, { "<?", "?>" } };
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (g_str_has_prefix(text, marks[i][0])) {
            const char *end = strstr(text + strlen(marks[i][0]), marks[i][1]);
            return end ? (size_t)(end - text) + strlen(marks[i][1]) : 0;
        }
    return 0;
}

/* Where a character lies: 0 in the text between tags, '<' in a tag, a quotation mark in the value of an attribute. */
static char next_place(char place, char character)
{
    if (place == 0)
        return character == '<' ? '<' : 0;
    if (place != '<')
        return character == place ? '<' : place;
    if (character == '>')
        return 0;
    return character == '"' || character == '\'' ? character : '<';
}

/* A copy of the text without the attributes and elements with that prefix; NULL when it is damaged. */
static char *remove_properties(const char *text, const char *prefix, const char *const *names, size_t count)
{
    GString *kept = g_string_new(NULL);
    size_t length = strlen(prefix);
    char place = 0;
    while (*text) {
        bool begins = place == 0 ? *text == '<' : place == '<' && g_ascii_isspace(*text);
        bool removed = begins && !strncmp(text + 1, prefix, length) &&
                       is_chosen(text + 1 + length, names, count);
        if (!removed) {
            size_t opaque = place == 0 ? opaque_length(text) : 0;
            place = opaque ? 0 : next_place(place, *text);
            g_string_append_len(kept, text, (gssize)MAX(opaque, 1));
            text += MAX(opaque, 1);
            continue;
        }
        text = *text == '<' ? end_of_element(text + 1) : end_of_attribute(text + 1);
        if (!text)
            return g_string_free(kept, TRUE);
    }
    return g_string_free(kept, place != 0);
}

/* Replaces *text; an empty text stands for a damaged one. Returns whether the vocabulary was in use. */
static bool drop_vocabulary(char **text, const char *vocabulary, const char *const *names, size_t count)
{
    char prefix[PREFIX_MAX];
    if (!find_prefix(*text, vocabulary, prefix))
        return false;
    char *kept = remove_properties(*text, prefix, names, count);
    bool changed = !kept || strlen(kept) != strlen(*text);
    g_free(*text);
    *text = kept ? kept : g_strdup("");
    return changed;
}

void parts_drop(const char *name, VipsImage *image)
{
    const void *data = NULL;
    size_t size = 0;
    if (vips_image_get_typeof(image, VIPS_META_XMP_NAME) == 0 ||
        vips_image_get_blob(image, VIPS_META_XMP_NAME, &data, &size) != 0)
        return;
    char *text = g_strndup(data, size);
    bool has_gain_map = drop_vocabulary(&text, gain_map, NULL, 0);
    bool has_more = drop_vocabulary(&text, container, NULL, 0);
    has_more |= drop_vocabulary(&text, camera, camera_properties, G_N_ELEMENTS(camera_properties));
    bool has_thumbnail = drop_vocabulary(&text, basic, basic_properties, G_N_ELEMENTS(basic_properties));
    if (has_gain_map || has_more)
        say_warning("%s: only its main picture is read, without the %s", name,
                    has_gain_map ? "gain map (Ultra HDR)" : "video or other parts behind it");
    bool changed = has_gain_map || has_more || has_thumbnail;
    if (changed && !*text)
        say_warning("%s: its XMP is damaged and is not kept", name);
    if (changed && *text)
        vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, text, strlen(text));
    else if (!*text)
        vips_image_remove(image, VIPS_META_XMP_NAME);
    g_free(text);
}
