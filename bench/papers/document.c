/* Parses JSON by recursive descent (RFC 8259). */
#include "papers/document.h"

#include "say.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, FILE_MAX = 64 << 20 };

struct parser {
    const char *at;
    const char *problem;
    int depth;
};

static struct value *parse_value(struct parser *parser);

static void skip_space(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool refuse(struct parser *parser, const char *problem)
{
    if (!parser->problem)
        parser->problem = problem;
    return false;
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

static bool read_hex(struct parser *parser, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = *parser->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return refuse(parser, "a \\u without four digits");
        *code = *code << 4 | (unsigned)digit;
        parser->at++;
    }
    return true;
}

/* Writes a code point as UTF-8. The reports have none above U+FFFF; halves of pairs become U+FFFD. */
static char *put_code(char *out, unsigned code)
{
    if (code >= 0xD800 && code < 0xE000)
        code = 0xFFFD;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

static bool put_escape(struct parser *parser, char **out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char letter = *parser->at;
    parser->at += letter != '\0';
    const char *found = letter ? strchr(letters, letter) : NULL;
    unsigned code = 0;
    if (found) {
        *(*out)++ = meanings[found - letters];
        return true;
    }
    if (letter != 'u')
        return refuse(parser, "an unknown escape in a text");
    if (!read_hex(parser, &code))
        return false;
    if (code == 0)
        return refuse(parser, "a text with a zero character");
    *out = put_code(*out, code);
    return true;
}

/* Returns a text that the caller frees. No escape is shorter than what it stands for. */
static char *parse_text(struct parser *parser)
{
    if (*parser->at != '"') {
        refuse(parser, "a text is missing");
        return NULL;
    }
    const char *start = ++parser->at, *end = start;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *text = malloc((size_t)(end - start) + 1), *out = text;
    if (!text) {
        refuse(parser, "out of memory");
        return NULL;
    }
    while (!parser->problem && *parser->at && *parser->at != '"') {
        if ((unsigned char)*parser->at < 0x20)
            refuse(parser, "a control character in a text");
        else if (*parser->at == '\\' && parser->at++)
            put_escape(parser, &out);
        else
            *out++ = *parser->at++;
    }
    *out = '\0';
    if (!parser->problem && *parser->at != '"')
        refuse(parser, "a text without its end");
    parser->at += !parser->problem;
    if (parser->problem) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static bool take(struct parser *parser, char c)
{
    skip_space(parser);
    bool there = *parser->at == c;
    parser->at += there;
    return there;
}

static struct value *parse_item(struct parser *parser, bool named)
{
    char *key = NULL;
    skip_space(parser);
    if (named && !(key = parse_text(parser)))
        return NULL;
    if (named && !take(parser, ':')) {
        refuse(parser, "a ':' is missing");
        free(key);
        return NULL;
    }
    struct value *item = parse_value(parser);
    if (item)
        item->key = key;
    else
        free(key);
    return item;
}

static void parse_items(struct parser *parser, struct value *value, char close)
{
    struct value **last = &value->first;
    if (parser->depth++ >= DEPTH_MAX)
        refuse(parser, "nested too deeply");
    if (!parser->problem && take(parser, close)) {
        parser->depth--;
        return;
    }
    while (!parser->problem) {
        *last = parse_item(parser, value->kind == VALUE_OBJECT);
        if (!*last)
            break;
        last = &(*last)->next;
        if (take(parser, close))
            break;
        if (!take(parser, ','))
            refuse(parser, "a ',' is missing");
    }
    parser->depth--;
}

static void parse_number(struct parser *parser, struct value *value)
{
    char *end = NULL;
    size_t length = strspn(parser->at, "+-.eE0123456789");
    value->kind = VALUE_NUMBER;
    value->number = strtod(parser->at, &end);
    if (length == 0 || end != parser->at + length)
        refuse(parser, "an unknown value");
    else
        parser->at = end;
}

static bool take_word(struct parser *parser, const char *word)
{
    size_t length = strlen(word);
    bool there = !strncmp(parser->at, word, length);
    parser->at += there ? length : 0;
    return there;
}

static struct value *parse_value(struct parser *parser)
{
    struct value *value = calloc(1, sizeof *value);
    if (!value) {
        refuse(parser, "out of memory");
        return NULL;
    }
    skip_space(parser);
    if (take(parser, '{')) {
        value->kind = VALUE_OBJECT;
        parse_items(parser, value, '}');
    } else if (take(parser, '[')) {
        value->kind = VALUE_LIST;
        parse_items(parser, value, ']');
    } else if (*parser->at == '"') {
        value->kind = VALUE_TEXT;
        value->text = parse_text(parser);
    } else if (take_word(parser, "true")) {
        *value = (struct value){ .kind = VALUE_BOOL, .number = 1 };
    } else if (take_word(parser, "false")) {
        value->kind = VALUE_BOOL;
    } else if (!take_word(parser, "null")) {
        parse_number(parser, value);
    }
    if (!parser->problem)
        return value;
    document_free(value);
    return NULL;
}

struct value *document_parse(const char *text, const char **problem)
{
    struct parser parser = { .at = text };
    struct value *value = parse_value(&parser);
    if (value)
        skip_space(&parser);
    if (value && *parser.at) {
        refuse(&parser, "more than one value");
        document_free(value);
        value = NULL;
    }
    *problem = parser.problem;
    return value;
}

void document_free(struct value *value)
{
    while (value) {
        struct value *next = value->next;
        document_free(value->first);
        free(value->text);
        free(value->key);
        free(value);
        value = next;
    }
}

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Returns the bytes of a file with a zero behind them, or NULL with a message. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, room = 0;
    bool fine = file;
    while (fine && !feof(file)) {
        if (room - used < 2) {
            room = room ? 2 * room : 1 << 16;
            char *more = room > FILE_MAX ? NULL : realloc(text, room);
            fine = more;
            text = more ? more : text;
        }
        if (fine)
            used += fread(text + used, 1, room - used - 1, file);
        fine = fine && !ferror(file);
    }
    if (!fine)
        say_error("%s: cannot be read: %s", path, room > FILE_MAX ? "it is too large" : strerror(errno));
    else
        text[used] = '\0';
    if (file)
        fclose(file);
    if (!fine) {
        free(text);
        return NULL;
    }
    return text;
}

struct value *document_read(const char *path)
{
    const char *problem = NULL;
    char *text = read_file(path);
    if (!text)
        return NULL;
    struct value *value = document_parse(text, &problem);
    free(text);
    if (!value)
        say_error("%s: not a report of abbe-bench: %s", path, problem);
    return value;
}

/* ---- Items --------------------------------------------------------------------------------------------- */

const struct value *document_get(const struct value *object, const char *key)
{
    const struct value *item = object && object->kind == VALUE_OBJECT ? object->first : NULL;
    while (item && strcmp(item->key, key))
        item = item->next;
    return item;
}

const char *document_text(const struct value *object, const char *key)
{
    const struct value *item = document_get(object, key);
    return item && item->kind == VALUE_TEXT ? item->text : "";
}

double document_number(const struct value *object, const char *key)
{
    const struct value *item = document_get(object, key);
    return item && item->kind == VALUE_NUMBER ? item->number : 0;
}
