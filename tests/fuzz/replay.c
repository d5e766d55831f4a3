/* Runs a fuzz target without libFuzzer, under any sanitizer and compiler: on every kept input, and on inputs that
 * are made from them by seeded mutations. It stops at the first failure, and prints the input's name and the number of the
 * mutation, which are the same in every run.
 *
 * Arguments: INPUTS FOLDER. INPUTS: mutated inputs in all. An input may take 10 seconds. */
#include "support/random.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 4096, BYTES_MAX = 1 << 20, SECONDS_MAX = 10, EDITS_MAX = 4 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
#pragma weak LLVMFuzzerInitialize

struct input {
    char *name;
    uint8_t *data;
    size_t size;
};

static struct input inputs[FILES_MAX];
static int input_count, current, mutation,
    messages; /* messages: a descriptor, because targets close stderr */

/* A sanitizer that finds something raises SIGABRT. */
const char *__asan_default_options(void)
{
    return "abort_on_error=1:handle_abort=0";
}

const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

static void print_position(int number)
{
    dprintf(messages, "replay: %s on %s, mutation %d\n", number == SIGALRM ? "no end" : "failure",
            inputs[current].name, mutation);
    signal(number, SIG_DFL);
    raise(number);
}

static bool read_input(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    struct input *input = &inputs[input_count];
    input->name = strdup(name);
    input->data = malloc(BYTES_MAX);
    if (!file || !input->name || !input->data)
        return false;
    input->size = fread(input->data, 1, BYTES_MAX, file);
    bool whole = !ferror(file) && feof(file);
    fclose(file);
    input_count++;
    return whole;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    bool read = count > 0 && count <= FILES_MAX;
    for (int i = 0; i < count; i++) {
        if (read && entries[i]->d_name[0] != '.')
            read = read_input(folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(count >= 0 ? entries : NULL);
    return read && input_count > 0;
}

/* Changes one place of `size` bytes, and returns the new size: a bit, a byte, an extreme number of 32 bits, an end
 * that is cut off, bytes that are removed or repeated, or a part of another input. */
static size_t edit(struct random *random, uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t at = random_bits(random) % size, left = size - at, length = random_bits(random) % 64;
    length = length < left ? length : left;
    uint32_t extremes[] = { 0, 0xffffffff, 0x7fffffff, 0x80000000, 0x00ffffff, 0x01000000 };
    const struct input *other = &inputs[random_bits(random) % (uint64_t)input_count];
    switch (random_bits(random) % 7) {
    case 0: data[at] ^= (uint8_t)(1 << random_bits(random) % 8); return size;
    case 1: data[at] = (uint8_t)random_bits(random); return size;
    case 2: memcpy(data + at, &extremes[random_bits(random) % 6], left < 4 ? left : 4); return size;
    case 3: return at;
    case 4: memmove(data + at, data + at + length, left - length); return size - length;
    case 5:
        if (size + length > BYTES_MAX)
            return size;
        memmove(data + at + length, data + at, left);
        return size + length;
    default:
        if (length > other->size)
            length = other->size;
        if (length)
            memcpy(data + at, other->data + random_bits(random) % (other->size - length + 1), length);
        return size;
    }
}

/* Runs the target on a block of exactly `size` bytes, so that the address sanitizer sees what reads beyond it. */
static void run_target(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    alarm(SECONDS_MAX);
    LLVMFuzzerTestOneInput(exact, size);
    alarm(0);
    free(exact);
}

static void run_mutations(int count)
{
    static uint8_t data[BYTES_MAX];
    struct random random = { 1 };
    for (mutation = 1; mutation <= count; mutation++) {
        current = (mutation - 1) % input_count;
        size_t size = inputs[current].size;
        memcpy(data, inputs[current].data, size);
        for (int edits = random_int(&random, 1, EDITS_MAX); edits > 0; edits--)
            size = edit(&random, data, size);
        run_target(data, size);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 || !read_folder(argv[2])) {
        fprintf(stderr, "usage: %s INPUTS FOLDER, a folder of kept inputs\n", argv[0]);
        return 2;
    }
    messages = dup(STDERR_FILENO);
    if (messages < 0 || (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0))
        return 1;
    signal(SIGABRT, print_position);
    signal(SIGALRM, print_position);
    for (current = 0; current < input_count; current++)
        run_target(inputs[current].data, inputs[current].size);
    run_mutations(atoi(argv[1]));
    dprintf(messages, "%d kept inputs, %d mutations\n", input_count, mutation - 1);
    for (int i = 0; i < input_count; i++) {
        free(inputs[i].name);
        free(inputs[i].data);
    }
    return 0;
}
