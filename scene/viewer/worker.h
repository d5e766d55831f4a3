/* One thread beside the window, which does one piece of work at a time. */
#ifndef ABBE_SCENE_VIEWER_WORKER_H
#define ABBE_SCENE_VIEWER_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct worker {
    pthread_t thread;
    bool busy;
    atomic_bool ended, cancelled;
    atomic_int permille; /* of the work that is done */
    void (*work)(void *data);
    void *data;
    void (*wake)(void *user); /* called by the thread at the end of the work */
    void *user;
};

/* Starts work. Returns false if the worker is busy or the system refuses a thread. */
bool worker_start(struct worker *worker, void (*work)(void *data), void *data);

/* Asks the work to end early; it need not. */
void worker_cancel(struct worker *worker);

/* Returns true once after the work has ended; the worker is free then. */
bool worker_ended(struct worker *worker);

/* Waits for the end of the work, if there is any. */
void worker_wait(struct worker *worker);

/* For abbe_watch, with the worker as `user`. */
int worker_progress(void *worker, double done);

#endif
