/* Counts the instructions of a shader: glslangValidator compiles it to SPIR-V, spirv-opt inlines its functions and
 * unrolls loops of fixed length, and then every instruction of the main function runs once or, in a branch, at
 * most once. The one other loop, over the tiles of a texel in load.frag, runs once for pictures of four channels.
 *
 * glslangValidator leaves uniforms of type bool as they are, which SPIR-V forbids, so spirv-opt must not validate.
 * An operation on a vector counts as one, as on the GPU of 2003. Moving and rearranging components is free.
 * Format: Khronos, "SPIR-V Specification", section 2.3. */
#define _GNU_SOURCE
#include "counts.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 1 << 16, HEADER = 5 };

/* Op codes of SPIR-V. */
enum {
    OP_EXT_INST = 12,
    OP_VARIABLE = 59,
    OP_IMAGE_FIRST = 87, /* OpImageSampleImplicitLod */
    OP_IMAGE_FETCH = 95,
    OP_IMAGE_LAST = 98,
    OP_CONVERT_FIRST = 109,
    OP_CONVERT_LAST = 115,
    OP_NEGATE = 126,
    OP_ARITHMETIC_LAST = 148, /* OpDot */
    OP_COMPARE_FIRST = 154,   /* OpAny */
    OP_COMPARE_LAST = 191,
    OP_BITS_FIRST = 194,
    OP_BITS_LAST = 205,
    OP_LOOP_MERGE = 246,
    STORAGE_OUTPUT = 3,
    LOOP_UNROLL = 1
};

/* ---- Tools --------------------------------------------------------------------------------------------- */

/* Runs a program with its messages thrown away; true if it succeeds. */
static bool run_tool(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &status, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool fine = file && fwrite(bytes, 1, size, file) == size;
    return file && !fclose(file) && fine;
}

static size_t read_words(const char *path, uint32_t *words)
{
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(words, sizeof *words, WORDS_MAX, file) : 0;
    if (file)
        fclose(file);
    return count < WORDS_MAX ? count : 0;
}

/* ---- SPIR-V -------------------------------------------------------------------------------------------- */

/* Number of words of the instruction at `at`; at least 1 and within the module. */
static size_t length_at(const uint32_t *words, size_t count, size_t at)
{
    size_t length = words[at] >> 16;
    return length == 0 || length > count - at ? count - at : length;
}

/* spirv-opt unrolls only loops that ask for it. */
static void ask_for_unrolling(uint32_t *words, size_t count)
{
    for (size_t at = HEADER; at < count; at += length_at(words, count, at))
        if ((words[at] & 0xffff) == OP_LOOP_MERGE && length_at(words, count, at) > 3)
            words[at + 3] |= LOOP_UNROLL;
}

static bool is_arithmetic(unsigned code)
{
    return code == OP_EXT_INST || (code >= OP_CONVERT_FIRST && code <= OP_CONVERT_LAST) ||
           (code >= OP_NEGATE && code <= OP_ARITHMETIC_LAST) ||
           (code >= OP_COMPARE_FIRST && code <= OP_COMPARE_LAST) ||
           (code >= OP_BITS_FIRST && code <= OP_BITS_LAST);
}

static void count_words(const uint32_t *words, size_t count, struct instructions *instructions)
{
    *instructions = (struct instructions){ 0 };
    for (size_t at = HEADER; at < count; at += length_at(words, count, at)) {
        unsigned code = words[at] & 0xffff;
        instructions->arithmetic += is_arithmetic(code);
        instructions->lookups += code >= OP_IMAGE_FIRST && code <= OP_IMAGE_LAST;
        instructions->outputs += code == OP_VARIABLE && length_at(words, count, at) > 3 &&
                                 words[at + 3] == STORAGE_OUTPUT;
    }
}

/* ---- A shader ------------------------------------------------------------------------------------------ */

/* Works in a folder of temporary files: `text` without its version → raw → loops → best. */
static const char *compile_in(const char *folder, const char *text, uint32_t *words, size_t *count)
{
    static const char old_version[] = "#version 300 es";
    char shader[64], raw[64], loops[64], best[64], *source = NULL;
    snprintf(shader, sizeof shader, "%s/shader.frag", folder);
    snprintf(raw, sizeof raw, "%s/raw.spv", folder);
    snprintf(loops, sizeof loops, "%s/loops.spv", folder);
    snprintf(best, sizeof best, "%s/best.spv", folder);
    const char *problem = "no room for temporary files";
    /* SPIR-V is defined for version 3.1 on. */
    if (strncmp(text, old_version, strlen(old_version)) ||
        asprintf(&source, "#version 310 es%s", text + strlen(old_version)) < 0)
        return problem;
    char *compile[] = { (char[]){ "glslangValidator" },
                        (char[]){ "-G" },
                        (char[]){ "--aml" },
                        (char[]){ "--amb" },
                        (char[]){ "-o" },
                        raw,
                        shader,
                        NULL };
    char *optimise[] = { (char[]){ "spirv-opt" },
                         (char[]){ "--skip-validation" },
                         (char[]){ "-O" },
                         (char[]){ "--loop-unroll" },
                         (char[]){ "-O" },
                         loops,
                         (char[]){ "-o" },
                         best,
                         NULL };
    if (write_file(shader, source, strlen(source)))
        problem = run_tool(compile) ? NULL
                                    : "glslangValidator is missing or refuses a shader (glslang-tools)";
    *count = problem ? 0 : read_words(raw, words);
    if (!problem)
        ask_for_unrolling(words, *count);
    if (!problem && !write_file(loops, words, *count * sizeof *words))
        problem = "no room for temporary files";
    if (!problem && !run_tool(optimise))
        problem = "spirv-opt is missing or refuses a shader (spirv-tools)";
    *count = problem ? 0 : read_words(best, words);
    unlink(shader);
    unlink(raw);
    unlink(loops);
    unlink(best);
    free(source);
    return problem;
}

const char *instructions_count(const char *text, struct instructions *instructions)
{
    char folder[] = "/tmp/abbe-bench-XXXXXX";
    size_t count = 0;
    uint32_t *words = malloc(WORDS_MAX * sizeof *words);
    if (!words || !mkdtemp(folder)) {
        free(words);
        return "no room for temporary files";
    }
    const char *problem = compile_in(folder, text, words, &count);
    rmdir(folder);
    if (!problem && count <= HEADER)
        problem = "a shader has no instructions";
    if (!problem)
        count_words(words, count, instructions);
    free(words);
    return problem;
}
