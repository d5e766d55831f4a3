/* The two spellings of filter texts, read token by token. */
#include "filter/spelling.h"

#include "core/error.h"
#include "core/text.h"

#include <abbe/abbe.h>

#include <string.h>

#define BLANKS " \t\n\r"

bool token_is(struct token token, const char *word)
{
    return strlen(word) == token.length && !memcmp(word, token.start, token.length);
}

static bool is_blank(char c)
{
    return c && strchr(BLANKS, c);
}

static void skip_blanks(struct spelling *spelling)
{
    spelling->at += strspn(spelling->text + spelling->at, BLANKS);
}

static bool take_character(struct spelling *spelling, char c)
{
    if (spelling->text[spelling->at] != c)
        return false;
    spelling->at++;
    return true;
}

struct spelling spelling_start(const char *text)
{
    bool quoted = false, marked = false;
    for (const char *c = text; *c && !marked; c++) {
        quoted ^= *c == '"';
        marked = !quoted && strchr(":,=", *c);
    }
    return (struct spelling){ .text = text, .in_words = !marked };
}

bool spelling_ended(struct spelling *spelling)
{
    skip_blanks(spelling);
    return !spelling->text[spelling->at];
}

/* The next characters up to one of `stops`, in words up to a blank, without the blanks around them. */
static struct token peek_token(struct spelling *spelling, const char *stops)
{
    skip_blanks(spelling);
    const char *start = spelling->text + spelling->at;
    struct token token = { start, strcspn(start, spelling->in_words ? BLANKS : stops), spelling->at + 1 };
    while (token.length && is_blank(token.start[token.length - 1]))
        token.length--;
    return token;
}

static struct token take_token(struct spelling *spelling, const char *stops)
{
    struct token token = peek_token(spelling, stops);
    spelling->at += token.length;
    skip_blanks(spelling);
    return token;
}

/* Whether the text goes on with the word that joins filters. */
static bool is_at_then(struct spelling *spelling)
{
    return spelling->in_words && token_is(peek_token(spelling, ""), "then");
}

struct token spelling_name(struct spelling *spelling)
{
    if (is_at_then(spelling))
        return (struct token){ "", 0, spelling->at + 1 };
    return take_token(spelling, ",:");
}

struct token spelling_key(struct spelling *spelling)
{
    return take_token(spelling, "=,:");
}

bool spelling_has_key(struct spelling *spelling)
{
    if (!spelling->in_words)
        return take_character(spelling, ':');
    return !spelling_ended(spelling) && !is_at_then(spelling);
}

bool spelling_has_filter(struct spelling *spelling)
{
    if (!spelling->in_words)
        return take_character(spelling, ',');
    if (!is_at_then(spelling))
        return false;
    take_token(spelling, "");
    return true;
}

static int fail_quote(size_t position)
{
    return core_fail(NULL, ABBE_ERR_SYNTAX, "the quote at position %zu is not closed", position);
}

/* Takes a value in quotes, behind the first of them. The next mark or blank must follow the second. */
static int take_quoted(struct spelling *spelling, struct token *value)
{
    const char *start = spelling->text + spelling->at;
    size_t position = spelling->at;
    *value = (struct token){ start, strcspn(start, "\""), position };
    spelling->at += value->length;
    if (!take_character(spelling, '"'))
        return fail_quote(position);
    if (spelling->in_words && is_blank(spelling->text[spelling->at]))
        return ABBE_OK;
    struct token rest = take_token(spelling, ",:");
    if (rest.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at position %zu follows a quoted value",
                         text_show(rest.start, rest.length).text, rest.position);
    return ABBE_OK;
}

int spelling_value(struct spelling *spelling, struct token key, struct token *value)
{
    struct shown shown = text_show(key.start, key.length);
    bool present = spelling->in_words ? spelling_has_key(spelling) : take_character(spelling, '=');
    if (!present)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu has no value", shown.text,
                         key.position);
    skip_blanks(spelling);
    int error = ABBE_OK;
    if (take_character(spelling, '"'))
        error = take_quoted(spelling, value);
    else
        *value = take_token(spelling, ",:");
    if (!error && !value->length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu has an empty value", shown.text,
                         key.position);
    return error;
}

struct token spelling_mixed(const struct spelling *spelling, struct token name)
{
    struct token first = name;
    first.length = 0;
    while (first.length < name.length && !is_blank(name.start[first.length]))
        first.length++;
    if (spelling->in_words || first.length == name.length)
        first.length = 0;
    return first;
}
