/* The code that the real NVRTC makes of the kernels, for several generations of GPUs: no local memory, which
 * registers that spill would use, and no more registers than a block's threads have.
 *
 * * Plans are made on the emulated driver, whose capability the test sets, or on a GPU; its code is read
 * instead of being loaded. ABBE_TEST_EFFORT=slight compiles a few kernels, since each takes up to a second.
 * Skipped (77) without NVRTC, which Debian does not have. */
#include "cuda/driver.h"
#include "support/apply.h"
#include "support/emulated.h"
#include "support/test.h"
#include "support/trial.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct emulator *driver;

/* ---- Reading code -------------------------------------------------------------------------------------- */

static struct {
    char kernel[64];
    int registers, frame, local_accesses, instructions;
} last;
static int kernels_read, kernels_wrong, threads_wrong;
static int capability;
static char current_case[64];

static const char *section_name(const char *image, const Elf64_Shdr *sections, const Elf64_Shdr *section)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    return image + sections[head->e_shstrndx].sh_offset + section->sh_name;
}

/* Records of .nv.info: a format, an attribute and 16 bits, which are the number of the bytes that follow if
 * the format is 4. Those of interest have two words: a symbol and a value. */
static void read_info(const char *bytes, size_t count)
{
    enum { SIZED = 4, FRAME_SIZE = 0x11, REGISTER_COUNT = 0x2f };
    for (size_t at = 0; at + 4 <= count;) {
        unsigned char format = (unsigned char)bytes[at], attribute = (unsigned char)bytes[at + 1];
        unsigned short size;
        unsigned value = 0;
        memcpy(&size, bytes + at + 2, sizeof size);
        at += 4;
        if (format != SIZED)
            continue;
        if (size >= 8)
            memcpy(&value, bytes + at + 4, sizeof value);
        if (attribute == FRAME_SIZE)
            last.frame = (int)value;
        if (attribute == REGISTER_COUNT)
            last.registers = (int)value;
        at += size;
    }
}

/* Instructions have 16 bytes; the lowest nine bits are the operation. */
static void read_instructions(const char *bytes, size_t count)
{
    enum { LOAD_LOCAL = 0x183, STORE_LOCAL = 0x187 };
    for (size_t at = 0; at + 16 <= count; at += 16) {
        unsigned short word;
        memcpy(&word, bytes + at, sizeof word);
        last.local_accesses += (word & 0x1ff) == LOAD_LOCAL || (word & 0x1ff) == STORE_LOCAL;
        last.instructions++;
    }
}

static void read_code(const char *image)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + head->e_shoff);
    memset(&last, 0, sizeof last);
    assert_memory_equal(image, ELFMAG, SELFMAG);
    for (int i = 0; i < head->e_shnum; i++) {
        const char *name = section_name(image, sections, &sections[i]),
                   *bytes = image + sections[i].sh_offset;
        if (!strcmp(name, ".nv.info"))
            read_info(bytes, sections[i].sh_size);
        if (strncmp(name, ".text.", 6) != 0)
            continue;
        snprintf(last.kernel, sizeof last.kernel, "%s", name + 6);
        read_instructions(bytes, sections[i].sh_size);
    }
    kernels_read++;
    if (last.registers && last.instructions && !last.frame && !last.local_accesses)
        return;
    kernels_wrong++;
    printf("%s, capability %d, %s: %d registers, %d bytes of local memory, %d of %d instructions move it\n",
           last.kernel, capability, current_case, last.registers, last.frame, last.local_accesses,
           last.instructions);
}

/* ---- A driver that reads code instead of loading it
 * ----------------------------------------------------- */

static int read_module(cuda_module *module, const void *image)
{
    static char loaded;
    read_code(image);
    *module = (cuda_module)&loaded;
    return CUDA_OK;
}

static int unload_nothing(cuda_module module)
{
    (void)module;
    return CUDA_OK;
}

static int find_function(cuda_function *function, cuda_module module, const char *name)
{
    assert_string_equal(name, last.kernel);
    *function = (cuda_function)module;
    return CUDA_OK;
}

static int set_nothing(cuda_function function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return CUDA_OK;
}

/* A block's registers are allocated for warps, 256 at a time. */
static int count_blocks(int *blocks, cuda_function function, int threads, size_t shared)
{
    (void)function, (void)shared;
    threads_wrong += (last.registers + 7) / 8 * 8 * threads > 65536;
    *blocks = 1;
    return CUDA_OK;
}

/* One of our functions in place of the driver's; the fields have its type. */
static void *replace_loading(const char *name, void *found)
{
    const struct cuda_driver ours = { .module_load = read_module,
                                      .module_unload = unload_nothing,
                                      .module_function = find_function,
                                      .function_set = set_nothing,
                                      .occupancy = count_blocks };
#define REPLACE(field, symbol, parameters)    \
    if (!strcmp(name, #symbol) && ours.field) \
        memcpy(&found, &ours.field, sizeof found);
    CUDA_DRIVER_FUNCTIONS(REPLACE)
    return found;
}

/* ---- Plans --------------------------------------------------------------------------------------------- */

static const struct one {
    bool brief; /* compiled with the least effort, too */
    int width, height, channels;
    abbe_type type;
    abbe_method method;
    abbe_precision precision;
    int bank;
    const char *filter;
} cases[] = {
    { true, 1024, 1024, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { true, 1920, 1080, 4, ABBE_U8, ABBE_METHOD_DIRECT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { true, 1920, 1080, 3, ABBE_U8, ABBE_METHOD_SEPARABLE, ABBE_PRECISION_FULL, 1, "gaussian:sigma=3" },
    { false, 256, 512, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 2048, 2048, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 4096, 4096, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 8192, 64, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 64, 8192, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 2048, 4096, 4, ABBE_F16, ABBE_METHOD_FFT, ABBE_PRECISION_HALF, 1, "disk:radius=5" },
    { false, 1920, 1080, 4, ABBE_U8, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=100" },
    { false, 1280, 720, 1, ABBE_U8, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 1021, 143, 3, ABBE_U16, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 1, "disk:radius=5" },
    { false, 1024, 1024, 4, ABBE_F32, ABBE_METHOD_FFT, ABBE_PRECISION_FULL, 8, "disk:radius=5" },
    { false, 4000, 3000, 4, ABBE_F32, ABBE_METHOD_TILES, ABBE_PRECISION_FULL, 1, "disk:radius=9" },
};
enum { CASES = sizeof cases / sizeof *cases };

static void make_plan(abbe_device *device, const struct one *one)
{
    const abbe_filter *bank[8];
    abbe_filter *filter = apply_filter(one->filter);
    snprintf(current_case, sizeof current_case, "%d x %d x %d, type %d, %s, %d filters", one->width,
             one->height, one->channels, (int)one->type, abbe_method_name(one->method), one->bank);
    for (int i = 0; i < one->bank; i++)
        bank[i] = filter;
    abbe_plan *plan = apply_plan(
        device, &(abbe_plan_params){ .width = one->width,
                                     .height = one->height,
                                     .channels = one->channels,
                                     .source_type = one->type,
                                     .result_type = one->type,
                                     .filters = bank,
                                     .filter_count = (size_t)one->bank,
                                     .border = one->width == 1021 ? ABBE_BORDER_WRAP : ABBE_BORDER_REFLECT,
                                     .method = one->method,
                                     .precision = one->precision });
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
}

static void no_local_memory(void **state)
{
    (void)state;
    static const int capabilities[] = { 90, 80, 75 };
    bool brief = effort_is_slight();
    for (int c = 0; c < (driver && !brief ? 3 : 1); c++) {
        abbe_device *device = NULL;
        capability = capabilities[c];
        if (driver) {
            driver->set("CAPABILITY", capabilities[c]);
            driver->set("SHARED", capabilities[c] == 90 ? 232448 : capabilities[c] == 80 ? 166912 : 65536);
        }
        if (abbe_device_open("cuda", NULL, &device))
            fail_msg("%s", abbe_error_text(NULL));
        for (int i = 0; i < CASES; i++)
            if (!brief || cases[i].brief)
                make_plan(device, &cases[i]);
        abbe_device_close(&device);
    }
    assert_int_equal(kernels_wrong, 0);
    assert_int_equal(threads_wrong, 0);
    assert_true(kernels_read >= 6);
    printf("%d kernels\n", kernels_read);
}

/* ---- NVRTC --------------------------------------------------------------------------------------------- */

void *__real_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags);
void *__real_dlsym(void *library, const char *symbol);
void *__wrap_dlsym(void *library, const char *symbol);

/* The emulated driver has a path instead of a name: the real NVRTC, which looks for a driver, must not find
 * this one. The folder of NVRTC is not always known to the linker. */
void *__wrap_dlopen(const char *file, int flags)
{
    const char *path_of_emulator = getenv("ABBE_EMULATOR");
    if (path_of_emulator && !strcmp(file, "libcuda.so.1"))
        return __real_dlopen(path_of_emulator, flags);
    void *found = __real_dlopen(file, flags);
    char path[128];
    snprintf(path, sizeof path, "/usr/local/cuda/lib64/%s", file);
    return found || !strstr(file, "libnvrtc") ? found : __real_dlopen(path, flags);
}

void *__wrap_dlsym(void *library, const char *symbol)
{
    return replace_loading(symbol, __real_dlsym(library, symbol));
}

int main(void)
{
    void *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    driver = emulated_find();
    if (!nvrtc) {
        printf("NVRTC is not installed\n");
        return TEST_SKIPPED;
    }
    test_require_device("cuda");
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_local_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
