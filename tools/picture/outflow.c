/* Files that are written row by row, while their rows are made.
 *
 *     outflow_write ──▶ ring of rows ──▶ provide_rows ◀── saver of libvips, in a thread of its own
 *
 * Savers ask for rows in order, with several threads at once. A row is dropped when all of it has been asked for. */
#include "say.h"
#include "target.h"
#include "vips_picture.h"

#include <stdlib.h>
#include <string.h>

/* A row of the ring: pixels that are there, and pixels that the saver has taken. */
struct state {
    int filled, drained;
};

struct outflow {
    struct saving saving;
    struct target target;
    GThread *thread;
    GMutex lock;           /* of all that follows */
    GCond filled, drained; /* rows came; rows went, or the saver ended */
    int width;
    size_t pixel; /* bytes */
    char *rows;   /* row y is at y % capacity */
    struct state *states;
    int capacity;
    int part_rows,
        tile_rows; /* the most rows of a part and of a region of the saver that are narrower than the picture */
    int first;     /* the first row that is not drained */
    int next;      /* the row that the maker brings next, or waits to bring */
    bool abandoned, ended, saved; /* no rows follow; the saver has returned; with success */
};

bool outflow_has_obstacle(const struct destination *destination, abbe_type type, char *reason, size_t size)
{
    return !destination_takes_rows(destination, type, reason, size);
}

int outflow_tile_height(const struct destination *destination, const struct picture *shape)
{
    return destination_is_tiff(destination) ? destination_tile_height(shape->origin) : 0;
}

/* ---- The saver's side ---------------------------------------------------------------------------------- */

static char *ring_row(const struct outflow *outflow, int y)
{
    return outflow->rows + (size_t)(y % outflow->capacity) * (size_t)outflow->width * outflow->pixel;
}

/* Makes room for that many rows; the lock is held. False without memory. */
static bool resize_ring(struct outflow *outflow, int capacity)
{
    size_t row = (size_t)outflow->width * outflow->pixel, bytes;
    char *rows = __builtin_mul_overflow(row, (size_t)capacity, &bytes) ? NULL : malloc(bytes);
    struct state *states = calloc((size_t)capacity, sizeof *states);
    if (!rows || !states) {
        free(rows);
        free(states);
        return false;
    }
    for (int y = outflow->first; y < outflow->first + outflow->capacity; y++) {
        memcpy(rows + (size_t)(y % capacity) * row, ring_row(outflow, y), row);
        states[y % capacity] = outflow->states[y % outflow->capacity];
    }
    free(outflow->rows);
    free(outflow->states);
    outflow->rows = rows;
    outflow->states = states;
    outflow->capacity = capacity;
    return true;
}

/* Makes room for the rows of a part and of the saver's tiles, both of which take some columns of the picture only. The
 * saver keeps all rows of its tiles until the last one has been asked for; a part must be written as a whole
 * before the columns beside it come. The lock is held. False without memory. */
static bool fit_ring(struct outflow *outflow)
{
    int rows = outflow->part_rows + outflow->tile_rows;
    return rows <= outflow->capacity || resize_ring(outflow, rows);
}

static bool is_filled(const struct outflow *outflow, int y)
{
    return y < outflow->first + outflow->capacity &&
           outflow->states[y % outflow->capacity].filled == outflow->width;
}

static void drop_drained(struct outflow *outflow)
{
    struct state *state;
    while ((state = &outflow->states[outflow->first % outflow->capacity])->drained == outflow->width) {
        *state = (struct state){ 0 };
        outflow->first++;
    }
}

/* Wakes the maker when half of the ring is free: to wake it for each row would take longer than the row. */
static void tell_drained(struct outflow *outflow)
{
    if (outflow->first + outflow->capacity - outflow->next > outflow->capacity / 2)
        g_cond_signal(&outflow->drained);
}

/* Called by libvips for the pixels of a region. */
static int provide_rows(VipsRegion *region, void *sequence, void *user, void *unused, gboolean *stop)
{
    (void)sequence, (void)unused, (void)stop;
    struct outflow *outflow = user;
    const VipsRect *area = &region->valid;
    g_mutex_lock(&outflow->lock);
    if (area->width < outflow->width)
        outflow->tile_rows = VIPS_MAX(outflow->tile_rows, area->height);
    bool done = fit_ring(outflow);
    for (int y = area->top; done && y < area->top + area->height; y++) {
        while (y >= outflow->first && !is_filled(outflow, y) && !outflow->abandoned) {
            g_cond_signal(&outflow->drained);
            g_cond_wait(&outflow->filled, &outflow->lock);
        }
        done = y >= outflow->first && is_filled(outflow, y);
        if (!done)
            break;
        memcpy(VIPS_REGION_ADDR(region, area->left, y),
               ring_row(outflow, y) + (size_t)area->left * outflow->pixel,
               (size_t)area->width * outflow->pixel);
        outflow->states[y % outflow->capacity].drained += area->width;
        drop_drained(outflow);
    }
    tell_drained(outflow);
    g_mutex_unlock(&outflow->lock);
    if (!done)
        vips_error("abbe", "out of memory, or rows were asked for out of order");
    return done ? 0 : -1;
}

static void *save_rows(void *user)
{
    struct outflow *outflow = user;
    bool saved = saving_run(&outflow->saving, outflow->target.descriptor);
    g_mutex_lock(&outflow->lock);
    outflow->saved = saved;
    outflow->ended = true;
    g_cond_signal(&outflow->drained);
    g_mutex_unlock(&outflow->lock);
    vips_thread_shutdown();
    return NULL;
}

/* ---- The maker's side ---------------------------------------------------------------------------------- */

static void say_short(const struct outflow *outflow, int rows)
{
    say_error("out of memory: %d rows of %d pixels", rows, outflow->width);
}

/* libvips holds the smaller copies in memory until the picture is written. */
static void drop_pyramid(const struct outflow *outflow, const struct picture *shape,
                         const struct destination *destination)
{
    if (destination_drop_pyramid(destination, shape->origin, outflow->saving.saver))
        say_warning("%s: is written in parts, without the smaller copies (SubIFDs) that its source has; "
                    "%s[pyramid,subifd] makes them, and takes a third of the picture in memory",
                    destination->name, destination->name);
}

struct outflow *outflow_open(const struct picture *shape, const struct destination *destination, int rows)
{
    struct outflow *outflow = calloc(1, sizeof *outflow);
    GError *error = NULL;
    if (!outflow) {
        say_error("out of memory");
        return NULL;
    }
    outflow->target = (struct target){ .folder = -1, .descriptor = -1 };
    outflow->width = shape->view.width;
    outflow->pixel = (size_t)shape->view.channels * abbe_type_size(shape->view.type);
    g_mutex_init(&outflow->lock);
    g_cond_init(&outflow->filled);
    g_cond_init(&outflow->drained);
    bool fits = resize_ring(outflow, rows > 1 ? rows : 1);
    if (!fits)
        say_short(outflow, rows);
    if (fits && saving_begin(shape, destination, NULL, provide_rows, outflow, &outflow->saving) &&
        target_open(destination->path, &outflow->target)) {
        drop_pyramid(outflow, shape, destination);
        outflow->thread = g_thread_try_new("saver", save_rows, outflow, &error);
        if (outflow->thread)
            return outflow;
        say_error("%s: cannot be written: %s", destination->name, error->message);
        g_error_free(error);
    }
    outflow_free(outflow);
    return NULL;
}

bool outflow_reserve(struct outflow *outflow, int rows)
{
    g_mutex_lock(&outflow->lock);
    outflow->part_rows = VIPS_MAX(outflow->part_rows, rows);
    bool fits = fit_ring(outflow);
    g_mutex_unlock(&outflow->lock);
    if (!fits)
        say_short(outflow, rows);
    return fits;
}

bool outflow_write(struct outflow *outflow, int x, int y, const abbe_image *from)
{
    size_t bytes = (size_t)from->width * outflow->pixel;
    g_mutex_lock(&outflow->lock);
    for (int i = 0; i < from->height; i++) {
        while (y + i >= outflow->first + outflow->capacity && !outflow->ended) {
            outflow->next = y + i;
            g_cond_broadcast(&outflow->filled);
            g_cond_wait(&outflow->drained, &outflow->lock);
        }
        if (outflow->ended)
            break;
        memcpy(ring_row(outflow, y + i) + (size_t)x * outflow->pixel,
               (const char *)from->data + i * from->stride, bytes);
        outflow->states[(y + i) % outflow->capacity].filled += from->width;
    }
    outflow->next = y + from->height;
    g_cond_broadcast(&outflow->filled);
    bool done = !outflow->ended;
    g_mutex_unlock(&outflow->lock);
    return done;
}

/* Waits for the saver, which gets no more rows if `abandons`. */
static void join_saver(struct outflow *outflow, bool abandons)
{
    if (!outflow->thread)
        return;
    g_mutex_lock(&outflow->lock);
    outflow->abandoned = abandons;
    g_cond_broadcast(&outflow->filled);
    g_mutex_unlock(&outflow->lock);
    g_thread_join(outflow->thread);
    outflow->thread = NULL;
}

bool outflow_end(struct outflow *outflow)
{
    join_saver(outflow, false);
    return saving_finish(&outflow->saving, outflow->saved);
}

bool outflow_commit(struct outflow *outflow)
{
    return target_commit(&outflow->target);
}

void outflow_free(struct outflow *outflow)
{
    if (!outflow)
        return;
    join_saver(outflow, true);
    saving_end(&outflow->saving);
    target_close(&outflow->target);
    g_mutex_clear(&outflow->lock);
    g_cond_clear(&outflow->filled);
    g_cond_clear(&outflow->drained);
    free(outflow->rows);
    free(outflow->states);
    free(outflow);
}
