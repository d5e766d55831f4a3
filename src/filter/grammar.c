/* The grammar of filters:
 *
 *     chain  = filter { "," filter }
 *     filter = name { ":" key "=" value }
 *     value  = anything but "," and ":"  |  '"' anything but '"' '"'
 *
 * Blanks around names, keys and values do not count. Numbers are decimal under every locale; frequencies are
 * fractions of Nyquist, or carry a unit: "0.1cpp" (cycles per pixel), "24px" (period). Every error names the
 * token and its position in the text, from 1. */
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
#include "filter/catalogue.h"
#include "filter/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHAIN_MAX = 64, FILE_NAME_MAX = 4096, CAUSE_MAX = 300 };

struct token {
    const char *start;
    size_t length;
    size_t position; /* from 1 */
};

struct scanner {
    const char *text;
    size_t at;
    const abbe_loader *loader;
};

/* One filter with the arguments read so far. */
struct call {
    const struct definition *definition;
    struct token name;
    unsigned given; /* a bit per parameter */
    struct arguments arguments;
    struct token file;
};

static struct shown show(struct token token)
{
    return text_show(token.start, token.length);
}

static bool is(struct token token, const char *word)
{
    return strlen(word) == token.length && !memcmp(word, token.start, token.length);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct scanner *scanner)
{
    while (is_blank(scanner->text[scanner->at]))
        scanner->at++;
}

/* Everything up to one of `stops` or the end, without the blanks around it. */
static struct token take(struct scanner *scanner, const char *stops)
{
    skip_blanks(scanner);
    struct token token = { scanner->text + scanner->at, strcspn(scanner->text + scanner->at, stops),
                           scanner->at + 1 };
    scanner->at += token.length;
    while (token.length && is_blank(token.start[token.length - 1]))
        token.length--;
    return token;
}

static bool take_character(struct scanner *scanner, char c)
{
    if (scanner->text[scanner->at] != c)
        return false;
    scanner->at++;
    return true;
}

/* "unknown WHAT 'WORD' at POSITION", with the nearest known name if there is one. */
static int fail_unknown(const char *what, struct token token, const char *nearest)
{
    if (nearest)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at %zu; did you mean '%s'?", what,
                         show(token).text, token.position, nearest);
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at %zu", what, show(token).text, token.position);
}

static int find_definition(struct token name, const struct definition **definition)
{
    struct nearest nearest = { name.start, name.length, NULL, 0 };
    for (size_t i = 0; (*definition = catalogue_definition(i)) != NULL; i++) {
        if (is(name, (*definition)->entry->name))
            return ABBE_OK;
        nearest_try(&nearest, (*definition)->entry->name);
    }
    return fail_unknown("filter", name, nearest.name);
}

static int find_parameter(const struct definition *definition, struct token key, size_t *index)
{
    struct nearest nearest = { key.start, key.length, NULL, 0 };
    for (size_t i = 0; definition->parameters[i].key; i++) {
        if (is(key, definition->parameters[i].key)) {
            *index = i;
            return ABBE_OK;
        }
        nearest_try(&nearest, definition->parameters[i].key);
    }
    if (nearest.name)
        return fail_unknown("key", key, nearest.name);
    bool none = !definition->parameters[0].key;
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown key '%s' at %zu; '%s' takes %s", show(key).text,
                     key.position, definition->entry->name, none ? "none" : definition->entry->parameters);
}

static int read_word(const struct parameter *parameter, struct token token, double *value)
{
    struct nearest nearest = { token.start, token.length, NULL, 0 };
    for (int i = 0; parameter->words[i]; i++) {
        if (is(token, parameter->words[i])) {
            *value = i;
            return ABBE_OK;
        }
        nearest_try(&nearest, parameter->words[i]);
    }
    if (nearest.name)
        return fail_unknown(parameter->key, token, nearest.name);
    char known[64] = "";
    for (int i = 0; parameter->words[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", parameter->words[i]);
    }
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at %zu; there are %s", parameter->key,
                     show(token).text, token.position, known);
}

static int check_range(const struct parameter *parameter, struct token token, double value)
{
    bool whole = parameter->kind == PARAMETER_INTEGER;
    if (value >= parameter->low && value <= parameter->high && (!whole || value == rint(value)))
        return ABBE_OK;
    return core_fail(NULL, ABBE_ERR_RANGE, "%s must be %s %g … %g%s, not '%s' at %zu", parameter->key,
                     whole ? "a whole number within" : "within", parameter->low, parameter->high,
                     parameter->kind == PARAMETER_FREQUENCY ? " of Nyquist" : "", show(token).text,
                     token.position);
}

static int read_number(const struct parameter *parameter, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    if (!read || read != token.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at %zu is not a number", parameter->key,
                         show(token).text, token.position);
    if (!isfinite(number))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at %zu is not a finite number", parameter->key,
                         show(token).text, token.position);
    int status = check_range(parameter, token, number);
    if (!status)
        *value = number;
    return status;
}

/* A fraction of Nyquist f means f/2 cycles per pixel, a period of p pixels 1/p. */
static int read_frequency(const struct parameter *parameter, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    struct token unit = { token.start + read, token.length - read, 0 };
    bool in_cycles = is(unit, "cpp"), in_pixels = is(unit, "px");
    if (!read || !isfinite(number) || (unit.length && !in_cycles && !in_pixels))
        return core_fail(NULL, ABBE_ERR_SYNTAX,
                         "%s: '%s' at %zu is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px",
                         parameter->key, show(token).text, token.position);
    double cycles = in_cycles ? number : in_pixels ? 1.0 / number : 0.5 * number;
    int status = check_range(parameter, token, 2.0 * cycles);
    if (!status)
        *value = cycles;
    return status;
}

static int read_value(struct call *call, size_t index, struct token token)
{
    const struct parameter *parameter = &call->definition->parameters[index];
    double *value = &call->arguments.value[index];
    switch (parameter->kind) {
    case PARAMETER_NUMBER:
    case PARAMETER_INTEGER: return read_number(parameter, token, value);
    case PARAMETER_FREQUENCY: return read_frequency(parameter, token, value);
    case PARAMETER_WORD: return read_word(parameter, token, value);
    case PARAMETER_FILE: call->file = token; return ABBE_OK;
    }
    return ABBE_OK;
}

/* A value, with or without quotes. */
static int take_value(struct scanner *scanner, struct token key, struct token *value)
{
    skip_blanks(scanner);
    size_t quote = scanner->at + 1;
    bool quoted = take_character(scanner, '"');
    *value = quoted ? (struct token){ scanner->text + scanner->at, strcspn(scanner->text + scanner->at, "\""),
                                      quote }
                    : take(scanner, ",:");
    if (quoted) {
        scanner->at += value->length;
        if (!take_character(scanner, '"'))
            return core_fail(NULL, ABBE_ERR_SYNTAX, "the quote at %zu is not closed", quote);
    }
    if (!value->length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at %zu has an empty value", show(key).text,
                         key.position);
    struct token rest = take(scanner, ",:");
    if (rest.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at %zu follows a quoted value", show(rest).text,
                         rest.position);
    return ABBE_OK;
}

static int parse_parameter(struct scanner *scanner, struct call *call)
{
    struct token key = take(scanner, "=,:"), value;
    size_t index = 0;
    if (!key.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key=value is missing at %zu", key.position);
    int status = find_parameter(call->definition, key, &index);
    if (status)
        return status;
    if (call->given & 1u << index)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at %zu is given twice", show(key).text,
                         key.position);
    if (!take_character(scanner, '='))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at %zu has no value", show(key).text, key.position);
    status = take_value(scanner, key, &value);
    if (status)
        return status;
    call->given |= 1u << index;
    return read_value(call, index, value);
}

static int check_required(const struct call *call)
{
    const struct parameter *parameters = call->definition->parameters;
    for (size_t i = 0; parameters[i].key; i++)
        if (parameters[i].required && !(call->given & 1u << i))
            return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at %zu needs %s=", call->definition->entry->name,
                             call->name.position, parameters[i].key);
    return ABBE_OK;
}

/* Asks the loader for the file a filter names. Its own sentence, if it left one, becomes part of ours. */
static int load(const struct call *call, const abbe_loader *loader, abbe_matrix *matrix)
{
    char name[FILE_NAME_MAX + 1], cause[CAUSE_MAX];
    struct token file = call->file;
    if (file.length > FILE_NAME_MAX)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the file name '%s' at %zu is longer than %d bytes",
                         show(file).text, file.position, FILE_NAME_MAX);
    if (!loader || !loader->load)
        return core_fail(NULL, ABBE_ERR_FILE, "file '%s' at %zu: no loader was given to bring it",
                         show(file).text, file.position);
    memcpy(name, file.start, file.length);
    name[file.length] = '\0';
    core_forget(NULL);
    int status = loader->load(loader->user, name, matrix);
    if (!status)
        status = matrix_check(matrix, "matrix");
    if (!status)
        return ABBE_OK;
    snprintf(cause, sizeof cause, "%s", core_failure(NULL));
    return core_fail(NULL, ABBE_ERR_FILE, "file '%s' at %zu could not be loaded%s%s", show(file).text,
                     file.position, *cause ? ": " : "", cause);
}

static int fail_building(const struct call *call, int status)
{
    const char *name = call->definition->entry->name;
    size_t position = call->name.position;
    if (status == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (status == ABBE_ERR_RANGE)
        return core_fail(NULL, status, "'%s' at %zu: %s", name, position, call->definition->rule);
    return core_fail(NULL, status, "'%s' at %zu has more than %d taps a side or %d in all", name, position,
                     ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
}

static int build(struct call *call, const abbe_loader *loader, struct abbe_filter *filter)
{
    abbe_matrix matrix = { 0 };
    int status = call->file.length ? load(call, loader, &matrix) : ABBE_OK;
    if (!status) {
        call->arguments.matrix = &matrix;
        status = call->definition->build(&call->arguments, filter);
        if (status)
            fail_building(call, status);
    }
    abbe_matrix_free(&matrix);
    return status;
}

static void set_defaults(struct call *call)
{
    const struct parameter *parameters = call->definition->parameters;
    for (size_t i = 0; parameters[i].key; i++)
        call->arguments.value[i] = parameters[i].kind == PARAMETER_FREQUENCY ? 0.5 * parameters[i].standard
                                                                             : parameters[i].standard;
}

static int parse_filter(struct scanner *scanner, struct call *call, struct abbe_filter *filter)
{
    *call = (struct call){ .name = take(scanner, ",:") };
    if (!call->name.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "empty filter at %zu", call->name.position);
    int status = find_definition(call->name, &call->definition);
    if (status)
        return status;
    set_defaults(call);
    while (!status && take_character(scanner, ':'))
        status = parse_parameter(scanner, call);
    if (!status)
        status = check_required(call);
    return status ? status : build(call, scanner->loader, filter);
}

static int fail_chaining(const struct call *call, int status)
{
    struct shown name = show(call->name);
    size_t position = call->name.position;
    if (status == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (status == ABBE_ERR_UNSUPPORTED)
        return core_fail(NULL, status, "'%s' at %zu follows a magnitude, which only the last filter may take",
                         name.text, position);
    if (status == ABBE_ERR_RANGE)
        return core_fail(NULL, status, "the chain's taps grow beyond what a float holds at '%s' at %zu",
                         name.text, position);
    return core_fail(NULL, status, "the chain has more than %d taps a side or %d in all at '%s' at %zu",
                     ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX, name.text, position);
}

/* Reads the filters behind the first one, each after its comma. */
static int parse_rest(struct scanner *scanner, struct abbe_filter *chain)
{
    int status = ABBE_OK;
    for (int count = 1; !status && take_character(scanner, ','); count++) {
        struct abbe_filter next = { 0 };
        struct call call;
        if (count == CHAIN_MAX)
            return core_fail(NULL, ABBE_ERR_SIZE, "more than %d filters in a chain, at %zu", CHAIN_MAX,
                             scanner->at + 1);
        status = parse_filter(scanner, &call, &next);
        if (status)
            return status;
        status = filter_append(chain, &next);
        filter_clear(&next);
        if (status)
            fail_chaining(&call, status);
    }
    return status;
}

int abbe_filter_parse(const char *text, const abbe_loader *loader, abbe_filter **filter)
{
    if (!text || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_parse: text or filter is NULL");
    struct scanner scanner = { text, 0, loader };
    skip_blanks(&scanner);
    if (!text[scanner.at])
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the filter text is empty");
    struct abbe_filter chain = { 0 };
    struct call call;
    int status = parse_filter(&scanner, &call, &chain);
    if (!status)
        status = parse_rest(&scanner, &chain);
    if (status) {
        filter_clear(&chain);
        return status;
    }
    return filter_publish(&chain, filter);
}
