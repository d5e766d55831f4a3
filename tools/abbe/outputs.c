/* The outputs of abbe filter: names made from patterns and inputs, and conflicts between them.
 *
 * Conflicts are found before anything is written. They are conflicts of files, not of spellings. */
#include "outputs.h"

#include "say.h"
#include "target.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Names --------------------------------------------------------------------------------------------- */

bool output_has_name(const char *pattern)
{
    return strstr(pattern, "{name}") != NULL;
}

bool output_has_number(const char *pattern)
{
    const char *found = strstr(pattern, "{n}"), *options = destination_find_options(pattern);
    return found && (!options || found < options);
}

/* The dot of the extension, or the end. A dot at the beginning of a name does not begin an extension. */
static const char *find_dot(const char *base)
{
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? dot : base + strlen(base);
}

/* The folder of an input for {dir}, "." for none. It is to lie below another folder, so it has no slash at the
 * beginning and no "..": 'out/{dir}/{name}.png' never leaves 'out'. `folder` has room for the input. */
static void write_folder(const char *input, char *folder)
{
    const char *end = strrchr(input, '/');
    char *to = folder;
    for (const char *part = input; end && part < end;) {
        size_t length = strcspn(part, "/");
        bool is_name = length > 0 && strncmp(part, "..", length) != 0;
        if (is_name && to > folder)
            *to++ = '/';
        if (is_name)
            to = (char *)memcpy(to, part, length) + length;
        part += length + 1;
    }
    strcpy(to, to > folder ? "" : ".");
}

/* The pattern with the input's name without folder and extension for {name}, its extension for {ext}, its
 * folder for {dir}, and the number, unless it is 0, for {n}: with four digits, so that names sort in its order.
 * Options in brackets are not changed. The caller frees it; NULL without memory. */
static char *expand_pattern(const char *pattern, const char *input, int number)
{
    const char *slash = strrchr(input, '/');
    const char *base = !strcmp(input, "-") ? "stdin" : slash ? slash + 1 : input;
    const char *dot = find_dot(base), *extension = *dot ? dot + 1 : dot;
    size_t name_length = (size_t)(dot - base), extension_length = strlen(extension);
    /* An upper bound: no character of the pattern becomes more than an input. */
    char *name = malloc(strlen(pattern) * (strlen(input) + 8) + 1), *to = name;
    char *folder = malloc(strlen(input) + 2);
    if (!name || !folder) {
        free(name);
        free(folder);
        return NULL;
    }
    write_folder(input, folder);
    const char *options = destination_find_options(pattern);
    while (*pattern && pattern != options) {
        if (!strncmp(pattern, "{name}", 6)) {
            to = (char *)memcpy(to, base, name_length) + name_length;
            pattern += 6;
        } else if (!strncmp(pattern, "{ext}", 5)) {
            to = (char *)memcpy(to, extension, extension_length) + extension_length;
            pattern += 5;
        } else if (!strncmp(pattern, "{dir}", 5)) {
            to = stpcpy(to, folder);
            pattern += 5;
        } else if (number && !strncmp(pattern, "{n}", 3)) {
            to += sprintf(to, "%04d", number);
            pattern += 3;
        } else {
            *to++ = *pattern++;
        }
    }
    strcpy(to, pattern);
    free(folder);
    return name;
}

static bool parse_outputs(struct outputs *outputs)
{
    for (int i = 0; i < outputs->input_count; i++)
        for (int j = 0; j < outputs->pattern_count; j++) {
            char *name = expand_pattern(outputs->patterns[j], outputs->inputs[i], outputs->number);
            if (!name)
                say_error("out of memory");
            bool parsed = name &&
                          destination_parse(name, &outputs->destinations[i * outputs->pattern_count + j]);
            free(name);
            if (!parsed)
                return false;
        }
    return true;
}

/* ---- Conflicts ----------------------------------------------------------------------------------------- */

/* An output file, identified by its folder and its name there, whether it exists or not. */
struct place {
    int input, pattern;
    bool known; /* its folder exists */
    dev_t device;
    ino_t folder;
    char *name;
    bool exists;
    dev_t file_device;
    ino_t file;
};

/* Finds the place of a path; false without memory. */
static bool locate_output(const char *path, struct place *place)
{
    char *folder = strdup(path), *base = strdup(path);
    struct stat entry;
    if (folder && !stat(dirname(folder), &entry)) {
        place->known = true;
        place->device = entry.st_dev;
        place->folder = entry.st_ino;
    }
    if (!stat(path, &entry)) {
        place->exists = true;
        place->file_device = entry.st_dev;
        place->file = entry.st_ino;
    }
    place->name = base ? strdup(basename(base)) : NULL;
    free(folder);
    free(base);
    return folder && place->name;
}

/* Orders by file, then by input and pattern. */
static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->known != b->known)
        return a->known ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->folder != b->folder)
        return a->folder < b->folder ? -1 : 1;
    int order = strcmp(a->name, b->name);
    if (order)
        return order;
    return a->input != b->input ? a->input - b->input : a->pattern - b->pattern;
}

static bool is_same_file(const struct place *a, const struct place *b)
{
    return a->known && b->known && a->device == b->device && a->folder == b->folder &&
           !strcmp(a->name, b->name);
}

/* Of several outputs to one file, only the first is allowed. The places are sorted. */
static void refuse_duplicates(struct outputs *outputs, const struct place *places, size_t count)
{
    const char *const *inputs = outputs->inputs;
    for (size_t i = 1; i < count; i++) {
        const struct place *first = &places[i - 1], *second = &places[i];
        if (!is_same_file(first, second) || outputs->refused[second->input])
            continue;
        outputs->refused[second->input] = true;
        if (first->input == second->input)
            say_error("%s: two of its results would be written to '%s'", inputs[second->input], second->name);
        else
            say_error("%s: its result '%s' would replace the result of %s", inputs[second->input],
                      second->name, inputs[first->input]);
    }
}

/* An output may replace its own input, which has been read by then, but not another input. */
static void refuse_overwritten_inputs(struct outputs *outputs, const struct place *places, size_t count)
{
    struct stat entry;
    for (int input = 0; input < outputs->input_count; input++) {
        if (stat(outputs->inputs[input], &entry))
            continue;
        for (size_t i = 0; i < count; i++) {
            const struct place *place = &places[i];
            bool hits = place->exists && place->file_device == entry.st_dev && place->file == entry.st_ino;
            bool skipped = outputs->skipped[place->input * outputs->pattern_count + place->pattern];
            if (!hits || skipped || place->input == input || outputs->refused[place->input])
                continue;
            outputs->refused[place->input] = true;
            say_error("%s: its result would replace the input %s", outputs->inputs[place->input],
                      outputs->inputs[input]);
        }
    }
}

static bool find_conflicts(struct outputs *outputs)
{
    size_t all = (size_t)outputs->input_count * (size_t)outputs->pattern_count, count = 0;
    struct place *places = calloc(all, sizeof *places);
    bool fine = places != NULL;
    for (size_t i = 0; i < all && fine; i++) {
        const char *path = outputs->destinations[i].path;
        if (!path)
            continue; /* standard output */
        struct place *place = &places[count++];
        place->input = (int)(i / (size_t)outputs->pattern_count);
        place->pattern = (int)(i % (size_t)outputs->pattern_count);
        fine = locate_output(path, place);
    }
    if (fine) {
        qsort(places, count, sizeof *places, compare_places);
        refuse_duplicates(outputs, places, count);
        refuse_overwritten_inputs(outputs, places, count);
    } else {
        say_error("out of memory");
    }
    for (size_t i = 0; i < count; i++)
        free(places[i].name);
    free(places);
    return fine;
}

bool output_is_input(const char *path, const char *input)
{
    struct stat output, source;
    return path && !stat(path, &output) && !stat(input, &source) && output.st_dev == source.st_dev &&
           output.st_ino == source.st_ino;
}

/* ---- Folders, and outputs that exist ------------------------------------------------------------------- */

/* Folders are made before conflicts are looked for, which compares files in folders. */
static void make_folders(struct outputs *outputs)
{
    for (int i = 0; i < outputs->input_count * outputs->pattern_count; i++) {
        const char *path = outputs->destinations[i].path;
        if (path && strchr(path, '/') && !target_make_folder(path))
            outputs->refused[i / outputs->pattern_count] = true;
    }
}

static void find_existing(struct outputs *outputs)
{
    struct stat entry;
    for (int i = 0; i < outputs->input_count * outputs->pattern_count; i++) {
        const char *path = outputs->destinations[i].path;
        int input = i / outputs->pattern_count;
        if (!path || lstat(path, &entry) != 0)
            continue;
        outputs->skipped[i] = outputs->existing == EXISTING_SKIP;
        if (outputs->existing == EXISTING_REFUSE && !outputs->refused[input]) {
            outputs->refused[input] = true;
            say_error("%s: exists already, and --existing refuse keeps it", path);
        }
    }
}

bool outputs_are_skipped(const struct outputs *outputs, int input)
{
    const bool *skipped = outputs->skipped + (size_t)input * (size_t)outputs->pattern_count;
    for (int i = 0; i < outputs->pattern_count; i++)
        if (!skipped[i])
            return false;
    return true;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

bool outputs_create(struct outputs *outputs)
{
    size_t count = (size_t)outputs->input_count * (size_t)outputs->pattern_count;
    outputs->destinations = calloc(count, sizeof *outputs->destinations);
    outputs->refused = calloc((size_t)outputs->input_count, sizeof *outputs->refused);
    outputs->skipped = calloc(count, sizeof *outputs->skipped);
    if (!outputs->destinations || !outputs->refused || !outputs->skipped) {
        say_error("out of memory");
        return false;
    }
    if (!parse_outputs(outputs))
        return false;
    if (outputs->makes_folders)
        make_folders(outputs);
    if (outputs->existing != EXISTING_OVERWRITE)
        find_existing(outputs);
    return find_conflicts(outputs);
}

void outputs_free(struct outputs *outputs)
{
    for (int i = 0; outputs->destinations && i < outputs->input_count * outputs->pattern_count; i++)
        destination_free(&outputs->destinations[i]);
    free(outputs->destinations);
    free(outputs->refused);
    free(outputs->skipped);
}
