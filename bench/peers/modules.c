/* The peers cuFFT and VkFFT. Their code is in modules, so that the benchmark starts without their libraries.
 *
 * A module exports a struct peer called abbe_bench_peer, whose version() and suits() are NULL: those are
 * here. The program finds modules by its run path; in a build they are beside it. */
#include "peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct module {
    const struct peer *peer;
    void *state;
};

/* A module stays loaded, because not every library that it links can be unloaded. */
static const struct peer *load_module(const char *file, struct peer_note *note)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const struct peer *peer = library ? dlsym(library, "abbe_bench_peer") : NULL;
    if (!peer)
        snprintf(note->problem, sizeof note->problem, "%s", dlerror());
    return peer;
}

/* The modules filter RGBA floats with the border wrap, by one symmetric kernel, in full precision. */
static bool suits_module(const struct bench_case *what)
{
    return kind_is_gpu(what->kind) && what->type == ABBE_F32 && what->channels == 4 &&
           what->border == ABBE_BORDER_WRAP && what->kernel == KERNEL_DISK && what->bank <= 1 &&
           what->precision == ABBE_PRECISION_FULL;
}

static bool prepare_module(const struct peer_work *work, void **state, struct peer_note *note)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    struct peer_work beside = *work;
    if (work->what->kind == KIND_CUDA) /* beside CUDA, the first GPU of Vulkan */
        beside.device = "vulkan";
    module->peer = load_module(work->peer == &peer_cufft ? "abbe-bench-cufft.so" : "abbe-bench-vkfft.so",
                               note);
    if (!module->peer || !module->peer->prepare(&beside, &module->state, note)) {
        free(module);
        return false;
    }
    *state = module;
    return true;
}

static const char *run_module(void *state)
{
    struct module *module = state;
    return module->peer->run(module->state);
}

static const char *time_module(void *state, double *seconds)
{
    struct module *module = state;
    return module->peer->time(module->state, seconds);
}

static void destroy_module(void *state)
{
    struct module *module = state;
    module->peer->destroy(module->state);
    free(module);
}

/* The build defines the versions as "" where a peer is missing. */
static void write_cufft_version(char *text, size_t size)
{
    snprintf(text, size, "of CUDA %s", ABBE_BENCH_CUDA);
}

static void write_vkfft_version(char *text, size_t size)
{
    snprintf(text, size, "%s", ABBE_BENCH_VKFFT);
}

#define MODULE(title, write_version, number, package)                                                   \
    {                                                                                                   \
        .name = title, .absent = sizeof number > 1 ? NULL : package, .version = write_version,          \
        .suits = suits_module, .prepare = prepare_module, .run = run_module, .destroy = destroy_module, \
        .time = time_module, .gpu = true                                                                \
    }
const struct peer peer_cufft = MODULE("cuFFT", write_cufft_version, ABBE_BENCH_CUDA, "nvidia-cuda-toolkit");
const struct peer peer_vkfft = MODULE("VkFFT", write_vkfft_version, ABBE_BENCH_VKFFT, "libvkfft-dev");
