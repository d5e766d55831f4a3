/* Progress and pass times of one run. */
#include "cpu/cpu.h"

#include <omp.h>
#include <string.h>

void cpu_watch_begin(struct watcher *watcher, abbe_watch *watch, long long total)
{
    watcher->watch = watch;
    watcher->total = total;
    atomic_init(&watcher->done, 0);
    watcher->since = watch ? omp_get_wtime() : 0;
}

void cpu_watch_advance(struct watcher *watcher)
{
    if (!watcher || !watcher->watch || !watcher->watch->progress)
        return;
    long long done = atomic_fetch_add_explicit(&watcher->done, 1, memory_order_relaxed) + 1;
    double part = (double)done / (double)watcher->total;
    if (omp_get_thread_num() == 0)
        watcher->watch->progress(watcher->watch->user, part < 1 ? part : 1);
}

void cpu_watch_pass(struct watcher *watcher, const char *name)
{
    abbe_watch *watch = watcher ? watcher->watch : NULL;
    if (!watch)
        return;
    double now = omp_get_wtime();
    int i = 0;
    while (i < watch->pass_count && strcmp(watch->passes[i].name, name))
        i++;
    if (i == watch->pass_count) {
        watch->passes[i] = (struct abbe_pass){ name, 0 };
        watch->pass_count++;
    }
    watch->passes[i].seconds += now - watcher->since;
    watcher->since = now;
}
