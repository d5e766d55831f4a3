/* The grammar of filters:
 *
 *     chain  = filter { "," filter }
 *     filter = name { ":" key "=" value }
 *     value  = characters except "," and ":"  |  '"' characters except '"' '"'
 *
 * Blanks around names, keys and values are ignored. Numbers are decimal in every locale. Frequencies are
 * fractions of Nyquist, or carry a unit: "0.1cpp" (cycles per pixel), "24px" (period). Every message names
 * the token and its position in the text, in bytes from 1. */
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

/* One filter of the chain, with the arguments read so far. */
struct call {
    const struct definition *definition;
    struct token name;
    unsigned given; /* bit i: parameter i has a value */
    struct arguments arguments;
    struct token file;
};

/* The token in the form in which messages show it. */
static struct shown show_token(struct token token)
{
    return text_show(token.start, token.length);
}

static bool token_is(struct token token, const char *word)
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

/* Takes everything up to one of `stops` or the end, without the blanks around it. */
static struct token take_token(struct scanner *scanner, const char *stops)
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

/* Reports "unknown WHAT 'WORD' at position N", with the nearest known name if there is one. */
static int fail_unknown(const char *what, struct token token, const char *nearest)
{
    if (nearest)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu; did you mean '%s'?", what,
                         show_token(token).text, token.position, nearest);
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu", what, show_token(token).text,
                     token.position);
}

static int find_definition(struct token name, const struct definition **definition)
{
    struct nearest nearest = { name.start, name.length, NULL, 0 };
    for (size_t i = 0; (*definition = catalogue_definition(i)) != NULL; i++) {
        if (token_is(name, (*definition)->entry->name))
            return ABBE_OK;
        nearest_try(&nearest, (*definition)->entry->name);
    }
    return fail_unknown("filter", name, nearest.name);
}

static int find_parameter(const struct definition *definition, struct token key, size_t *index)
{
    struct nearest nearest = { key.start, key.length, NULL, 0 };
    for (size_t i = 0; definition->parameters[i].key; i++) {
        if (token_is(key, definition->parameters[i].key)) {
            *index = i;
            return ABBE_OK;
        }
        nearest_try(&nearest, definition->parameters[i].key);
    }
    if (nearest.name)
        return fail_unknown("key", key, nearest.name);
    bool none = !definition->parameters[0].key;
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown key '%s' at position %zu; '%s' takes %s",
                     show_token(key).text, key.position, definition->entry->name,
                     none ? "no keys" : definition->entry->parameters);
}

static int read_choice(const struct parameter *parameter, struct token token, double *value)
{
    struct nearest nearest = { token.start, token.length, NULL, 0 };
    for (int i = 0; parameter->words[i]; i++) {
        if (token_is(token, parameter->words[i])) {
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
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown %s '%s' at position %zu; the choices are %s",
                     parameter->key, show_token(token).text, token.position, known);
}

static int check_range(const struct parameter *parameter, struct token token, double value)
{
    bool whole = parameter->kind == PARAMETER_INTEGER;
    if (value >= parameter->low && value <= parameter->high && (!whole || value == rint(value)))
        return ABBE_OK;
    return core_fail(NULL, ABBE_ERR_RANGE, "%s is '%s' at position %zu; it must be %s%g to %g%s",
                     parameter->key, show_token(token).text, token.position,
                     whole ? "a whole number from " : "", parameter->low, parameter->high,
                     parameter->kind == PARAMETER_FREQUENCY ? " of Nyquist" : "");
}

static int read_number(const struct parameter *parameter, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    if (!read || read != token.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at position %zu is not a number", parameter->key,
                         show_token(token).text, token.position);
    if (!isfinite(number))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "%s: '%s' at position %zu is not a finite number",
                         parameter->key, show_token(token).text, token.position);
    int error = check_range(parameter, token, number);
    if (!error)
        *value = number;
    return error;
}

/* Reads a frequency into cycles per pixel: f/2 for a fraction f of Nyquist, 1/p for a period of p pixels. */
static int read_frequency(const struct parameter *parameter, struct token token, double *value)
{
    double number = 0.0;
    size_t read = number_read(token.start, token.length, &number);
    struct token unit = { token.start + read, token.length - read, 0 };
    bool in_cycles = token_is(unit, "cpp"), in_pixels = token_is(unit, "px");
    if (!read || !isfinite(number) || (unit.length && !in_cycles && !in_pixels))
        return core_fail(
            NULL, ABBE_ERR_SYNTAX,
            "%s: '%s' at position %zu is not a frequency such as 0.25 (of Nyquist), 0.1cpp or 24px",
            parameter->key, show_token(token).text, token.position);
    double cycles = in_cycles ? number : in_pixels ? 1.0 / number : 0.5 * number;
    int error = check_range(parameter, token, 2.0 * cycles);
    if (!error)
        *value = cycles;
    return error;
}

static int read_value(struct call *call, size_t index, struct token token)
{
    const struct parameter *parameter = &call->definition->parameters[index];
    double *value = &call->arguments.value[index];
    switch (parameter->kind) {
    case PARAMETER_NUMBER:
    case PARAMETER_INTEGER: return read_number(parameter, token, value);
    case PARAMETER_FREQUENCY: return read_frequency(parameter, token, value);
    case PARAMETER_WORD: return read_choice(parameter, token, value);
    case PARAMETER_FILE: call->file = token; return ABBE_OK;
    }
    return ABBE_OK;
}

/* Takes a value, with or without quotes. */
static int take_value(struct scanner *scanner, struct token key, struct token *value)
{
    skip_blanks(scanner);
    size_t quote = scanner->at + 1;
    bool quoted = take_character(scanner, '"');
    *value = quoted ? (struct token){ scanner->text + scanner->at, strcspn(scanner->text + scanner->at, "\""),
                                      quote }
                    : take_token(scanner, ",:");
    if (quoted) {
        scanner->at += value->length;
        if (!take_character(scanner, '"'))
            return core_fail(NULL, ABBE_ERR_SYNTAX, "the quote at position %zu is not closed", quote);
    }
    if (!value->length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu has an empty value",
                         show_token(key).text, key.position);
    struct token rest = take_token(scanner, ",:");
    if (rest.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at position %zu follows a quoted value",
                         show_token(rest).text, rest.position);
    return ABBE_OK;
}

static int parse_parameter(struct scanner *scanner, struct call *call)
{
    struct token key = take_token(scanner, "=,:"), value;
    size_t index = 0;
    if (!key.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key=value is missing at position %zu", key.position);
    int error = find_parameter(call->definition, key, &index);
    if (error)
        return error;
    if (call->given & 1u << index)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu is given twice",
                         show_token(key).text, key.position);
    if (!take_character(scanner, '='))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu has no value", show_token(key).text,
                         key.position);
    error = take_value(scanner, key, &value);
    if (error)
        return error;
    call->given |= 1u << index;
    return read_value(call, index, value);
}

static int check_required(const struct call *call)
{
    const struct parameter *parameters = call->definition->parameters;
    for (size_t i = 0; parameters[i].key; i++)
        if (parameters[i].required && !(call->given & 1u << i))
            return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at position %zu needs %s=VALUE",
                             call->definition->entry->name, call->name.position, parameters[i].key);
    return ABBE_OK;
}

/* Asks the loader for the file that a filter names. The message of the loader, if it recorded one, becomes
 * part of the message recorded here. */
static int load_file(const struct call *call, const abbe_loader *loader, abbe_matrix *matrix)
{
    char name[FILE_NAME_MAX + 1], cause[CAUSE_MAX];
    struct token file = call->file;
    if (file.length > FILE_NAME_MAX)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the file name '%s' at position %zu is longer than %d bytes",
                         show_token(file).text, file.position, FILE_NAME_MAX);
    if (!loader || !loader->load)
        return core_fail(
            NULL, ABBE_ERR_FILE,
            "file '%s' at position %zu could not be loaded: abbe_filter_parse was given no loader",
            show_token(file).text, file.position);
    memcpy(name, file.start, file.length);
    name[file.length] = '\0';
    core_forget(NULL);
    int error = loader->load(loader->user, name, matrix);
    if (!error)
        error = matrix_check(matrix, "matrix");
    if (!error)
        return ABBE_OK;
    snprintf(cause, sizeof cause, "%s", core_failure(NULL));
    return core_fail(NULL, ABBE_ERR_FILE, "file '%s' at position %zu could not be loaded%s%s",
                     show_token(file).text, file.position, *cause ? ": " : "", cause);
}

/* Records the message for an error of a builder. */
static int fail_building_call(const struct call *call, int error)
{
    const char *name = call->definition->entry->name;
    size_t position = call->name.position;
    if (error == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (error == ABBE_ERR_RANGE)
        return core_fail(NULL, error, "'%s' at position %zu: %s", name, position, call->definition->rule);
    return core_fail(NULL, error,
                     "'%s' at position %zu: the kernel has more than %d taps per side or %d in all", name,
                     position, ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
}

static int build_call(struct call *call, const abbe_loader *loader, struct abbe_filter *filter)
{
    abbe_matrix matrix = { 0 };
    int error = call->file.length ? load_file(call, loader, &matrix) : ABBE_OK;
    if (!error) {
        call->arguments.matrix = &matrix;
        error = call->definition->build(&call->arguments, filter);
        if (error)
            fail_building_call(call, error);
    }
    abbe_matrix_free(&matrix);
    return error;
}

static void set_defaults(struct call *call)
{
    const struct parameter *parameters = call->definition->parameters;
    for (size_t i = 0; parameters[i].key; i++)
        call->arguments.value[i] = parameters[i].kind == PARAMETER_FREQUENCY
                                       ? 0.5 * parameters[i].default_value
                                       : parameters[i].default_value;
}

static int parse_filter(struct scanner *scanner, struct call *call, struct abbe_filter *filter)
{
    *call = (struct call){ .name = take_token(scanner, ",:") };
    if (!call->name.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "a filter name is missing at position %zu",
                         call->name.position);
    int error = find_definition(call->name, &call->definition);
    if (error)
        return error;
    set_defaults(call);
    while (!error && take_character(scanner, ':'))
        error = parse_parameter(scanner, call);
    if (!error)
        error = check_required(call);
    return error ? error : build_call(call, scanner->loader, filter);
}

/* Records the message for an error of filter_append. */
static int fail_chaining(const struct call *call, int error)
{
    struct shown name = show_token(call->name);
    size_t position = call->name.position;
    if (error == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (error == ABBE_ERR_UNSUPPORTED)
        return core_fail(
            NULL, error,
            "'%s' at position %zu follows a filter that takes a magnitude; such a filter must be the last",
            name.text, position);
    if (error == ABBE_ERR_RANGE)
        return core_fail(NULL, error,
                         "'%s' at position %zu: the taps of the chain exceed the range of a float", name.text,
                         position);
    return core_fail(NULL, error,
                     "'%s' at position %zu: the chain has more than %d taps per side or %d in all", name.text,
                     position, ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
}

/* Reads the filters after the first, each behind its comma. */
static int parse_rest(struct scanner *scanner, struct abbe_filter *chain)
{
    int error = ABBE_OK;
    for (int count = 1; !error && take_character(scanner, ','); count++) {
        struct abbe_filter next = { 0 };
        struct call call;
        if (count == CHAIN_MAX)
            return core_fail(NULL, ABBE_ERR_SIZE, "the chain has more than %d filters, at position %zu",
                             CHAIN_MAX, scanner->at + 1);
        error = parse_filter(scanner, &call, &next);
        if (error)
            return error;
        error = filter_append(chain, &next);
        filter_clear(&next);
        if (error)
            fail_chaining(&call, error);
    }
    return error;
}

int abbe_filter_parse(const char *text, const abbe_loader *loader, abbe_filter **filter)
{
    if (!text || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_parse: %s is NULL", text ? "filter" : "text");
    struct scanner scanner = { text, 0, loader };
    skip_blanks(&scanner);
    if (!text[scanner.at])
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the filter text is empty");
    struct abbe_filter chain = { 0 };
    struct call call;
    int error = parse_filter(&scanner, &call, &chain);
    if (!error)
        error = parse_rest(&scanner, &chain);
    if (error) {
        filter_clear(&chain);
        return error;
    }
    return filter_publish(&chain, filter);
}
