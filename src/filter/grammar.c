/* The grammar of filters. spelling.h has the two spellings of
 *
 *     chain  = filter { filter }
 *     filter = name { key value }
 *
 * Blanks around names, keys and values are ignored. Every message names the token and its position in the
 * text, in bytes from 1. */
#include "core/error.h"
#include "core/text.h"
#include "filter/catalogue.h"
#include "filter/matrix.h"
#include "filter/spelling.h"
#include "filter/synonyms.h"
#include "filter/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHAIN_MAX = 64, FILE_NAME_MAX = 4096, CAUSE_MAX = 300, TAKES_MAX = 160 };

/* One filter of the chain, with the arguments read so far. */
struct call {
    const abbe_filter_entry *entry;
    size_t filter; /* the index of the entry */
    struct token name;
    unsigned given; /* bit i: key i has a value */
    struct arguments arguments;
    struct token file; /* the value of the key `file_key` */
    size_t file_key;
};

/* The token in the form in which messages show it. */
static struct shown show_token(struct token token)
{
    return text_show(token.start, token.length);
}

static int find_filter(const struct spelling *spelling, struct token name, struct call *call)
{
    struct nearest nearest = { name.start, name.length, NULL, 0 };
    struct token first = spelling_mixed(spelling, name);
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        if (token_is(name, entries[i]->name)) {
            call->entry = entries[i];
            call->filter = i;
            return ABBE_OK;
        }
        if (token_is(first, entries[i]->name))
            return core_fail(NULL, ABBE_ERR_SYNTAX,
                             "'%s' at position %zu is followed by a blank; write name:key=value, or words "
                             "without ':', ',' and '='",
                             entries[i]->name, first.position);
        nearest_try(&nearest, entries[i]->name);
    }
    const char *synonym = synonym_find(name);
    if (synonym && !*synonym)
        return core_fail(NULL, ABBE_ERR_SYNTAX,
                         "unknown filter '%s' at position %zu; it is not linear, as all filters here are",
                         show_token(name).text, name.position);
    return value_fail_unknown("filter", name, synonym ? synonym : nearest.name);
}

/* Writes the keys with their defaults: "file= normalize=1 [width=]". */
static void write_keys(const abbe_filter_entry *entry, char text[TAKES_MAX])
{
    size_t used = (size_t)snprintf(text, TAKES_MAX, "%s", entry->key_count ? "" : "no keys");
    for (size_t i = 0; i < entry->key_count && used < TAKES_MAX; i++) {
        const abbe_filter_key *key = entry->keys[i];
        const char *format = key->follows ? "%s[%s=%s]" : "%s%s=%s";
        used += (size_t)snprintf(text + used, TAKES_MAX - used, format, i ? " " : "", key->name,
                                 key->default_text ? key->default_text : "");
    }
}

static int find_key(const abbe_filter_entry *entry, struct token token, size_t *index)
{
    struct nearest nearest = { token.start, token.length, NULL, 0 };
    for (size_t i = 0; i < entry->key_count; i++) {
        if (token_is(token, entry->keys[i]->name)) {
            *index = i;
            return ABBE_OK;
        }
        nearest_try(&nearest, entry->keys[i]->name);
    }
    if (nearest.name)
        return value_fail_unknown("key", token, nearest.name);
    char takes[TAKES_MAX];
    write_keys(entry, takes);
    return core_fail(NULL, ABBE_ERR_SYNTAX, "unknown key '%s' at position %zu; '%s' takes %s",
                     show_token(token).text, token.position, entry->name, takes);
}

/* Asks the loader for the file that a filter names. The message of the loader, if it recorded one, becomes
 * part of the message recorded here. */
static int load_file(const struct call *call, const abbe_loader *loader, abbe_matrix *matrix, bool *scaled)
{
    struct token file = call->file;
    char name[FILE_NAME_MAX + 1], cause[CAUSE_MAX];
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
    int error = loader->load(loader->user, call->entry->name, name, matrix);
    *scaled = error == ABBE_LOADED_SCALED;
    if (!error || *scaled)
        error = matrix_check(matrix, "matrix");
    if (!error)
        return ABBE_OK;
    snprintf(cause, sizeof cause, "%s", core_failure(NULL));
    return core_fail(NULL, ABBE_ERR_FILE, "file '%s' at position %zu could not be loaded%s%s",
                     show_token(file).text, file.position, *cause ? ": " : "", cause);
}

static int parse_key(struct spelling *spelling, struct call *call)
{
    struct token name = spelling_key(spelling), value;
    size_t index = 0;
    if (!name.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key=value is missing at position %zu", name.position);
    int error = find_key(call->entry, name, &index);
    if (error)
        return error;
    if (call->given & 1u << index)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "key '%s' at position %zu is given twice",
                         show_token(name).text, name.position);
    error = spelling_value(spelling, name, &value);
    if (error)
        return error;
    call->given |= 1u << index;
    if (call->entry->keys[index]->type == ABBE_KEY_FILE) {
        call->file = value; /* loaded when the whole filter is known to be sound */
        call->file_key = index;
    }
    return value_read(call->entry->keys[index], value, &call->arguments.value[index],
                      &call->arguments.matrix[index]);
}

/* Fills in the keys that were not given. */
static int complete_arguments(struct call *call)
{
    int error = ABBE_OK;
    for (size_t i = 0; i < call->entry->key_count && !error; i++) {
        const abbe_filter_key *key = call->entry->keys[i];
        const char *text = key->default_text;
        if (call->given & 1u << i)
            continue;
        call->arguments.value[i] = NAN;
        if (text)
            error = value_read(key, (struct token){ text, strlen(text), 0 }, &call->arguments.value[i],
                               &call->arguments.matrix[i]);
        else if (!key->follows)
            return core_fail(NULL, ABBE_ERR_SYNTAX, "'%s' at position %zu needs %s=VALUE", call->entry->name,
                             call->name.position, key->name);
    }
    return error;
}

/* Records the message for an error of a builder. */
static int fail_building_call(const struct call *call, int error)
{
    const char *name = call->entry->name;
    size_t position = call->name.position;
    if (error == ABBE_ERR_MEMORY)
        return core_fail_memory(NULL);
    if (error == ABBE_ERR_RANGE)
        return core_fail(NULL, error, "'%s' at position %zu: %s", name, position, call->entry->rule);
    return core_fail(NULL, error,
                     "'%s' at position %zu: the kernel has more than %d taps per side or %d in all", name,
                     position, ABBE_KERNEL_SIDE_MAX, KERNEL_AREA_MAX);
}

static int parse_filter(struct spelling *spelling, const abbe_loader *loader, struct call *call,
                        struct abbe_filter *filter)
{
    *call = (struct call){ .name = spelling_name(spelling) };
    if (!call->name.length)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "a filter name is missing at position %zu",
                         call->name.position);
    int error = find_filter(spelling, call->name, call);
    while (!error && spelling_has_key(spelling))
        error = parse_key(spelling, call);
    if (!error)
        error = complete_arguments(call);
    if (!error && call->file.length)
        error = load_file(call, loader, &call->arguments.matrix[call->file_key], &call->arguments.scaled);
    if (!error) {
        error = catalogue_build(call->filter, &call->arguments, filter);
        if (error)
            fail_building_call(call, error);
    }
    for (int i = 0; i < KEYS_MAX; i++)
        abbe_matrix_free(&call->arguments.matrix[i]);
    return error;
}

/* One filter of a chain that is not made yet. */
struct link {
    struct abbe_filter filter;
    struct token name;
};

/* Records the message for an error of filter_plan_chain or filter_append. */
static int fail_chaining(const struct link *link, int error)
{
    struct shown name = show_token(link->name);
    size_t position = link->name.position;
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

/* Reads all filters, and refuses a chain that is too large before it is made. */
static int parse_links(struct spelling *spelling, const abbe_loader *loader, struct link *links, int *count)
{
    struct chain_plan plan = { 0 };
    int error = ABBE_OK;
    while (!error && (*count == 0 || spelling_has_filter(spelling))) {
        struct call call;
        struct link *link = &links[*count];
        if (*count == CHAIN_MAX)
            return core_fail(NULL, ABBE_ERR_SIZE, "the chain has more than %d filters, at position %zu",
                             CHAIN_MAX, spelling->at + 1);
        error = parse_filter(spelling, loader, &call, &link->filter);
        if (error)
            return error;
        link->name = call.name;
        ++*count;
        error = filter_plan_chain(&plan, &link->filter);
        if (error)
            fail_chaining(link, error);
    }
    return error;
}

/* Makes one filter of all, in place of the first. */
static int join_links(struct link *links, int count)
{
    int error = ABBE_OK;
    for (int i = 1; i < count && !error; i++) {
        error = filter_append(&links[0].filter, &links[i].filter);
        filter_clear(&links[i].filter);
        if (error)
            fail_chaining(&links[i], error);
    }
    return error;
}

int abbe_filter_parse(const char *text, const abbe_loader *loader, abbe_filter **filter)
{
    if (!text || !filter)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_filter_parse: %s is NULL", text ? "filter" : "text");
    struct spelling spelling = spelling_start(text);
    if (spelling_ended(&spelling))
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the filter text is empty");
    struct link links[CHAIN_MAX] = { 0 };
    int count = 0;
    int error = parse_links(&spelling, loader, links, &count);
    if (!error)
        error = join_links(links, count);
    if (!error)
        return filter_publish(&links[0].filter, filter);
    for (int i = 0; i < count; i++)
        filter_clear(&links[i].filter);
    return error;
}
