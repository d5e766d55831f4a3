/* Results that would replace one another, or an input of the same job: found by the files that names mean, not by
 * their spelling, before anything is written. */
#include "filter.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file by its folder and its name in it, whether it exists or not. */
struct place {
    int input, result; /* whose it is */
    bool known;        /* its folder exists */
    dev_t device;
    ino_t folder;
    char *name;
    bool exists;
    dev_t file_device;
    ino_t file;
};

/* Fills a place from the name of an output; false without memory. */
static bool locate(const char *output, struct place *place)
{
    char *path = output_file(output), *copy = path ? strdup(path) : NULL;
    struct stat status;
    if (copy && strcmp(path, "-") && !stat(dirname(copy), &status)) {
        place->known = true;
        place->device = status.st_dev;
        place->folder = status.st_ino;
    }
    if (copy && !stat(path, &status)) {
        place->exists = true;
        place->file_device = status.st_dev;
        place->file = status.st_ino;
    }
    place->name = copy ? strdup(basename(path)) : NULL;
    free(copy);
    free(path);
    return place->name != NULL;
}

/* By file first, then by turn. */
static int compare(const void *left, const void *right)
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
    return a->input != b->input ? a->input - b->input : a->result - b->result;
}

static bool same(const struct place *a, const struct place *b)
{
    return a->known && b->known && a->device == b->device && a->folder == b->folder &&
           !strcmp(a->name, b->name);
}

/* Of results that mean one file only the first may have it. */
static void find_twins(const struct job *job, const struct place *places, size_t count, bool *refused)
{
    for (size_t i = 1; i < count; i++) {
        const struct place *first = &places[i - 1], *second = &places[i];
        if (!same(first, second) || refused[second->input])
            continue;
        refused[second->input] = true;
        if (first->input == second->input)
            say_error("%s: two of its results would become '%s'", job->inputs[second->input], second->name);
        else
            say_error("%s: its result '%s' would replace that of %s", job->inputs[second->input],
                      second->name, job->inputs[first->input]);
    }
}

/* A result may replace its own input, which has been read by then, and no other. */
static void find_victims(const struct job *job, const struct place *places, size_t count, bool *refused)
{
    struct stat status;
    for (int victim = 0; victim < job->input_count; victim++) {
        if (stat(job->inputs[victim], &status))
            continue;
        for (size_t i = 0; i < count; i++) {
            const struct place *place = &places[i];
            bool hits = place->exists && place->file_device == status.st_dev && place->file == status.st_ino;
            if (!hits || place->input == victim || refused[place->input])
                continue;
            refused[place->input] = true;
            say_error("%s: its result would replace the input %s", job->inputs[place->input],
                      job->inputs[victim]);
        }
    }
}

bool conflicts_find(const struct job *job, bool *refused)
{
    size_t count = (size_t)job->input_count * (size_t)job->result_count;
    struct place *places = calloc(count, sizeof *places);
    bool fine = places != NULL;
    for (size_t i = 0; i < count && fine; i++) {
        places[i].input = (int)(i / (size_t)job->result_count);
        places[i].result = (int)(i % (size_t)job->result_count);
        char *output = output_name(job->outputs[places[i].result], job->inputs[places[i].input]);
        fine = output && locate(output, &places[i]);
        free(output);
    }
    if (fine) {
        qsort(places, count, sizeof *places, compare);
        find_twins(job, places, count, refused);
        find_victims(job, places, count, refused);
    } else {
        say_error("out of memory");
    }
    for (size_t i = 0; places && i < count; i++)
        free(places[i].name);
    free(places);
    return fine;
}
