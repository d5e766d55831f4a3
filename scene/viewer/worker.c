/* Runs work on a thread. */
#include "worker.h"

static void *run_work(void *user)
{
    struct worker *worker = user;
    worker->work(worker->data);
    atomic_store(&worker->ended, true);
    worker->wake(worker->user);
    return NULL;
}

bool worker_start(struct worker *worker, void (*work)(void *data), void *data)
{
    if (worker->busy)
        return false;
    atomic_store(&worker->ended, false);
    atomic_store(&worker->cancelled, false);
    atomic_store(&worker->permille, 0);
    worker->work = work;
    worker->data = data;
    worker->busy = !pthread_create(&worker->thread, NULL, run_work, worker);
    return worker->busy;
}

void worker_cancel(struct worker *worker)
{
    atomic_store(&worker->cancelled, true);
}

void worker_wait(struct worker *worker)
{
    if (worker->busy)
        pthread_join(worker->thread, NULL);
    worker->busy = false;
}

bool worker_ended(struct worker *worker)
{
    if (!worker->busy || !atomic_load(&worker->ended))
        return false;
    worker_wait(worker);
    return true;
}

int worker_progress(void *user, double done)
{
    struct worker *worker = user;
    atomic_store(&worker->permille, (int)(1000 * done));
    return atomic_load(&worker->cancelled);
}
