/* Peers in modules, which lie where the program's run path says: beside it in a build. */
#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct module {
    const struct peer *peer;
    void *state;
};

/* Modules stay loaded: not every library that they bring along can be taken out again. */
static const struct peer *load(const char *file, struct peer_note *note)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const struct peer *peer = library ? dlsym(library, "abbe_bench_peer") : NULL;
    if (!peer)
        snprintf(note->problem, sizeof note->problem, "%s", dlerror());
    return peer;
}

bool module_suits(const struct bench_case *what)
{
    return what->kind == KIND_GPU && what->type == ABBE_F32 && what->channels == 4 &&
           what->border == ABBE_BORDER_WRAP && what->kernel == KERNEL_DISK && what->bank <= 1 &&
           what->precision == ABBE_PRECISION_FULL;
}

bool module_prepare(const char *file, const struct peer_work *work, void **state, struct peer_note *note)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    module->peer = load(file, note);
    if (!module->peer || !module->peer->prepare(work, &module->state, note)) {
        free(module);
        return false;
    }
    *state = module;
    return true;
}

const char *module_run(void *state)
{
    struct module *module = state;
    return module->peer->run(module->state);
}

const char *module_time(void *state, double *seconds)
{
    struct module *module = state;
    return module->peer->time(module->state, seconds);
}

void module_destroy(void *state)
{
    struct module *module = state;
    module->peer->destroy(module->state);
    free(module);
}
