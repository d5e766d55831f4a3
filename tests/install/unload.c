/* Loads the library, runs a plan on two threads, lets abbe_apply keep another, and unloads the library, many times:
 * no crash, and no memory, mapping or thread is left. With "exit" as second argument: the program ends while threads still run plans.
 *
 * Arguments: LIBRARY [exit]. */
#include <abbe/abbe.h>

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 160, SAMPLES = SIDE * SIDE, CYCLES = 1000, WARM = 100 };

static float in[SAMPLES];

/* A function of the library under its own name and '_'. POSIX converts through a pointer to the pointer. */
#define FIND(name)             \
    __typeof__(name) *name##_; \
    *(void **)(&name##_) = dlsym(library, #name)

/* Blurs a constant picture `times` times; whether it stays constant. */
static int blur_constant(void *library, int times)
{
    FIND(abbe_device_open);
    FIND(abbe_device_close);
    FIND(abbe_filter_parse);
    FIND(abbe_filter_destroy);
    FIND(abbe_plan_create);
    FIND(abbe_plan_destroy);
    FIND(abbe_run);
    abbe_device *device = NULL;
    abbe_filter *blur = NULL;
    abbe_plan *plan = NULL;
    static _Thread_local float out[SAMPLES];
    abbe_image source = { .data = in, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_F32 };
    source.stride = SIDE * sizeof(float);
    abbe_image result = source;
    result.data = out;
    int error = abbe_device_open_("cpu", &(abbe_device_params){ .threads = 2 }, &device);
    if (!error)
        error = abbe_filter_parse_("gaussian:sigma=2", NULL, &blur);
    abbe_plan_params params = { .width = SIDE,
                                .height = SIDE,
                                .channels = 1,
                                .source_type = ABBE_F32,
                                .filters = (const abbe_filter *const *)&blur,
                                .filter_count = 1,
                                .method = ABBE_METHOD_FFT };
    if (!error)
        error = abbe_plan_create_(device, &params, &plan);
    for (int i = 0; i < times && !error; i++)
        error = abbe_run_(plan, &source, &result);
    int right = !error;
    for (int i = 0; i < SAMPLES; i++)
        right = right && out[i] > 0.4999f && out[i] < 0.5001f;
    abbe_plan_destroy_(&plan);
    abbe_filter_destroy_(&blur);
    abbe_device_close_(&device);
    return right;
}

/* The same in one call, which keeps its plan and its device until the library is unloaded. */
static int apply_constant(void *library)
{
    FIND(abbe_apply);
    static float out[SAMPLES];
    abbe_image source = { .data = in, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_F32 };
    abbe_image result = source;
    result.data = out;
    int right = !abbe_apply_(NULL, "gaussian:sigma=2", ABBE_BORDER_REFLECT, &source, &result);
    for (int i = 0; i < SAMPLES; i++)
        right = right && out[i] > 0.4999f && out[i] < 0.5001f;
    return right;
}

/* ---- What a process has ------------------------------------------------------------------------------- */

static int count_threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

static int count_mappings(void)
{
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static long resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*d %ld", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

/* ---- The two tests ------------------------------------------------------------------------------------ */

static int load_often(const char *path)
{
    int mappings = 0, crowded = 0;
    long bytes = 0;
    for (int i = 0; i < CYCLES; i++) {
        void *library = dlopen(path, RTLD_NOW);
        if (!library) {
            fprintf(stderr, "unload: %s\n", dlerror());
            return 1;
        }
        int right = blur_constant(library, 1) && apply_constant(library), loaded = count_mappings();
        crowded += count_threads() > 1;
        dlclose(library);
        if (!right || count_threads() != 1 || count_mappings() >= loaded) {
            fprintf(stderr, "unload: cycle %d: %s; %d threads, %d mappings, %d while loaded\n", i,
                    right ? "right" : "wrong", count_threads(), count_mappings(), loaded);
            return 1;
        }
        if (i == WARM) {
            mappings = count_mappings();
            bytes = resident_bytes();
        }
    }
    long grown = resident_bytes() - bytes;
    printf("unload: %d cycles; %ld bytes and %d mappings more than after the first %d\n", CYCLES, grown,
           count_mappings() - mappings, WARM);
    if (crowded < CYCLES / 2) {
        fprintf(stderr, "unload: the library had a second thread in %d cycles only\n", crowded);
        return 1;
    }
    return grown > 512 * 1024 || count_mappings() > mappings + 4;
}

static void *blur_for_ever(void *library)
{
    while (blur_constant(library, 50))
        ;
    abort();
}

/* main returns while the threads are in the middle of runs. */
static int end_while_running(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    pthread_t thread;
    for (int i = 0; i < 3 && library; i++)
        if (pthread_create(&thread, NULL, blur_for_ever, library))
            return 1;
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    return library ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    for (int i = 0; i < SAMPLES; i++)
        in[i] = 0.5f;
    alarm(300);
    return argc > 2 && !strcmp(argv[2], "exit") ? end_while_running(argv[1]) : load_often(argv[1]);
}
