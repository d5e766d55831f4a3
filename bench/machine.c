/* Asks the system for the processor and its load, and the preprocessor for the compiler. */
#define _GNU_SOURCE
#include "machine.h"

#include <abbe/abbe.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#ifndef ABBE_BENCH_FLAGS
#define ABBE_BENCH_FLAGS ""
#endif

/* Reads "model name : AMD EPYC", which only kernels for x86
 * show. Elsewhere the architecture is all there is. */
static void read_cpu(char *text, size_t size)
{
    char line[256];
    struct utsname names;
    snprintf(text, size, "%s", uname(&names) ? "unknown processor" : names.machine);
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

static const char *widest_vectors(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return "AVX-512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "AVX2 + FMA";
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "plain";
#endif
}

static int count_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void describe_compiler(char *text, size_t size)
{
#if defined(__clang__)
    snprintf(text, size, "clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    snprintf(text, size, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    snprintf(text, size, "unknown compiler");
#endif
}

/* Length of the text before its first comma outside parentheses. */
static int first_part_length(const char *text)
{
    int length = 0, depth = 0;
    for (; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

/* Shortens "avx512, 2 threads" to "avx512", because cases
 * differ in threads, and a driver's text to its name. */
void machine_describe_device(const char *name, char *text, size_t size)
{
    abbe_device *device = NULL;
    if (!abbe_device_open(name, NULL, &device))
        snprintf(text, size, "%.*s", first_part_length(abbe_device_detail(device)),
                 abbe_device_detail(device));
    abbe_device_close(&device);
}

struct machine machine_describe(const char *device)
{
    struct machine machine = { .processors = count_processors(), .flags = ABBE_BENCH_FLAGS, .load = -1 };
    double load = 0;
    read_cpu(machine.cpu, sizeof machine.cpu);
    snprintf(machine.instructions, sizeof machine.instructions, "%s", widest_vectors());
    machine_describe_device(device, machine.device, sizeof machine.device);
    describe_compiler(machine.compiler, sizeof machine.compiler);
    if (getloadavg(&load, 1) == 1)
        machine.load = load;
    return machine;
}
