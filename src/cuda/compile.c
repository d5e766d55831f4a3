/* Code of kernels: from the cache, or compiled by NVRTC. */
#include "core/error.h"
#include "core/memory.h"
#include "cuda/kernels.h"
#include "device/cache_file.h"

#include <stdio.h>
#include <string.h>

/* ---- Options ------------------------------------------------------------------------------------------- */

enum { OPTION_BYTES = 48, OPTIONS = ABCU_CONSTANT_COUNT + 2 };

struct options {
    char texts[OPTIONS][OPTION_BYTES];
    const char *list[OPTIONS];
    bool virtual_code; /* PTX, which the driver compiles: NVRTC does not know the GPU's architecture */
};

/* The newest architecture that NVRTC knows and that the GPU can run; 0 if there is none. */
static int find_architecture(const struct cuda *cuda)
{
    enum { ARCHITECTURES_MAX = 64 };
    int known[ARCHITECTURES_MAX], count = 0, best = 0;
    if (cuda->nvrtc.arch_count(&count) || count > ARCHITECTURES_MAX || cuda->nvrtc.archs(known))
        return 0;
    for (int i = 0; i < count; i++)
        if (known[i] <= cuda->limits.capability && known[i] > best)
            best = known[i];
    return best;
}

static bool write_options(const struct cuda *cuda, const struct cuda_pass *pass, struct options *options)
{
#define NAME(name) #name,
    static const char *const names[ABCU_CONSTANT_COUNT] = { ABCU_CONSTANTS(NAME) };
#undef NAME
    int architecture = find_architecture(cuda);
    options->virtual_code = architecture != cuda->limits.capability;
    snprintf(options->texts[0], OPTION_BYTES, "--gpu-architecture=%s_%d",
             options->virtual_code ? "compute" : "sm", architecture);
    snprintf(options->texts[1], OPTION_BYTES, "--std=c++17");
    for (int i = 0; i < ABCU_CONSTANT_COUNT; i++)
        snprintf(options->texts[2 + i], OPTION_BYTES, "-DABCU_%s=%d", names[i], pass->constants.values[i]);
    for (int i = 0; i < OPTIONS; i++)
        options->list[i] = options->texts[i];
    return architecture > 0;
}

static struct cuda_key key_of(const struct cuda *cuda, const struct cuda_pass *pass,
                              const struct options *options)
{
    struct cuda_key key = { { CACHE_SUM_START, ~CACHE_SUM_START } };
    char versions[96];
    int length = snprintf(versions, sizeof versions, "%s %d %d %d", abbe_version(), cuda->driver_version,
                          cuda->nvrtc_version, (int)pass->kernel);
    const char *source = cuda_source_texts[pass->kernel];
    for (int i = 0; i < 2; i++) {
        uint64_t sum = cache_sum(key.sums[i], versions, (size_t)length);
        sum = cache_sum(sum, options->texts, sizeof options->texts);
        key.sums[i] = cache_sum(sum, source, strlen(source));
    }
    return key;
}

/* ---- NVRTC --------------------------------------------------------------------------------------------- */

/* Logs what the compiler has to say about a kernel that it refuses. */
static void log_complaints(const struct cuda *cuda, nvrtc_program program, const char *name)
{
    size_t bytes = 0;
    char *text = NULL;
    if (!cuda->nvrtc.log_size(program, &bytes) && bytes > 1)
        text = core_alloc(bytes, 1);
    if (text && !cuda->nvrtc.log(program, text))
        device_log(&cuda->head, ABBE_LOG_WARNING, "cuda: NVRTC refuses %s: %.400s", name, text);
    core_free(text);
}

/* Takes the code of a compiled program; NULL on failure. */
static char *take_code(const struct cuda *cuda, nvrtc_program program, bool virtual_code, size_t *bytes)
{
    const struct cuda_nvrtc *f = &cuda->nvrtc;
    if ((virtual_code ? f->ptx_size : f->cubin_size)(program, bytes) || !*bytes)
        return NULL;
    char *code = core_alloc(*bytes, 1);
    if (code && (virtual_code ? f->ptx : f->cubin)(program, code)) {
        core_free(code);
        return NULL;
    }
    return code;
}

static int compile_source(struct cuda *cuda, const struct cuda_pass *pass, const struct options *options,
                          char **code, size_t *bytes)
{
    const char *name = cuda_source_names[pass->kernel];
    nvrtc_program program = NULL;
    int result = cuda->nvrtc.create(&program, cuda_source_texts[pass->kernel], name, 0, NULL, NULL);
    if (!result) {
        result = cuda->nvrtc.compile(program, OPTIONS, options->list);
        if (result)
            log_complaints(cuda, program, name);
        *code = result ? NULL : take_code(cuda, program, options->virtual_code, bytes);
        cuda->nvrtc.destroy(&program);
    }
    if (result == NVRTC_OUT_OF_MEMORY)
        return core_fail_memory(cuda);
    if (result || !*code)
        return core_fail(cuda, ABBE_ERR_DEVICE, "cuda: compiling the kernel %s failed with %d", name, result);
    return ABBE_OK;
}

bool cuda_is_compiled(const struct cuda *cuda, const struct cuda_pass *pass)
{
    struct options options = { 0 };
    if (!write_options(cuda, pass, &options))
        return false;
    struct cuda_key key = key_of(cuda, pass, &options);
    char *code = cuda_cache_read(cuda, &key);
    core_free(code);
    return code != NULL;
}

int cuda_compile(struct cuda *cuda, const struct cuda_pass *pass, bool fresh, char **code)
{
    struct options options = { 0 };
    size_t bytes = 0;
    if (!write_options(cuda, pass, &options))
        return core_fail(
            cuda, ABBE_ERR_DEVICE,
            "cuda: NVRTC %d.%d does not know compute capability %d.%d; install a newer or older one",
            cuda->nvrtc_version / 10, cuda->nvrtc_version % 10, cuda->limits.capability / 10,
            cuda->limits.capability % 10);
    struct cuda_key key = key_of(cuda, pass, &options);
    *code = fresh ? NULL : cuda_cache_read(cuda, &key);
    if (*code)
        return ABBE_OK;
    int error = compile_source(cuda, pass, &options, code, &bytes);
    if (!error)
        cuda_cache_write(cuda, &key, *code, bytes);
    return error;
}
