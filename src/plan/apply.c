/* abbe_apply: one call that filters a picture, with a default device where it is given none, and with plans
 * that it keeps for the next calls.
 *
 * Every device keeps the plans that abbe_apply made with it, in a list that begins with the one used last. A
 * plan that leaves the list is destroyed by its last user, so that no thread waits for a run. One lock guards
 * all lists, and is held for the search and for the counts only: plans are made, run and destroyed without
 * it. A child of fork() finds every list valid. A plan that a thread of the parent was running at the time
 * has one user too many in the child, and is not destroyed there. */
#include "core/error.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/view.h"
#include "plan/plan.h"

#include <string.h>

/* What one device keeps at most: this number of plans, and all of them together so many bytes. */
enum { KEPT_PLANS_MAX = 16, KEPT_BYTES_MAX = 1 << 30 };

/* What a plan was made for. */
struct applied_key {
    const char *text;
    abbe_border border;
    int width, height, channels;
    abbe_type source_type, result_type;
};

struct applied {
    struct applied *next;
    int users; /* runs, and the list that it is in */
    double bytes;
    abbe_plan *plan;
    struct applied_key key; /* whose text follows the struct */
};

static struct core_lock apply_lock;

/* ---- Plans that are kept ------------------------------------------------------------------------------ */

static bool keys_are_equal(const struct applied_key *a, const struct applied_key *b)
{
    return a->border == b->border && a->width == b->width && a->height == b->height &&
           a->channels == b->channels && a->source_type == b->source_type &&
           a->result_type == b->result_type && !strcmp(a->text, b->text);
}

/* Moves the plan of that key to the front of the list. NULL when there is none. The lock is held. */
static struct applied *find_applied(abbe_device *device, const struct applied_key *key)
{
    struct applied **link = &device->applied;
    while (*link && !keys_are_equal(&(*link)->key, key))
        link = &(*link)->next;
    struct applied *found = *link;
    if (!found)
        return NULL;
    *link = found->next;
    found->next = device->applied;
    device->applied = found;
    return found;
}

/* Ends one use. The last user destroys the plan. */
static void release_applied(struct applied *applied)
{
    core_lock(&apply_lock);
    int users = --applied->users;
    core_unlock(&apply_lock);
    if (users)
        return;
    abbe_plan_destroy(&applied->plan);
    core_free(applied);
}

/* Releases the plans of a list that no device has any more. */
static void release_list(struct applied *list)
{
    while (list) {
        struct applied *next = list->next;
        release_applied(list);
        list = next;
    }
}

/* The bytes that the plans of a device may take together. */
static double kept_bytes_max(const abbe_device *device)
{
    double quarter = (double)device->memory / 4;
    return quarter < KEPT_BYTES_MAX ? quarter : KEPT_BYTES_MAX;
}

/* Cuts the list behind the plans that are within the bounds, and returns the rest. The lock is held. */
static struct applied *cut_list(abbe_device *device)
{
    struct applied **link = &device->applied;
    double bytes = 0;
    for (int count = 0; *link; link = &(*link)->next) {
        bytes += (*link)->bytes;
        if (++count > KEPT_PLANS_MAX || bytes > kept_bytes_max(device))
            break;
    }
    struct applied *rest = *link;
    *link = NULL;
    return rest;
}

/* Releases the plans of a device; false if it has none. */
static bool release_kept(abbe_device *device)
{
    core_lock(&apply_lock);
    struct applied *list = device->applied;
    device->applied = NULL;
    core_unlock(&apply_lock);
    release_list(list);
    return list != NULL;
}

/* device.c calls this before the device is closed. */
static void drop_applied(abbe_device *device)
{
    release_kept(device);
}

/* Puts a plan at the front of the device's list, unless it is too large, or another thread has made the same
 * meanwhile. */
static void keep_applied(abbe_device *device, struct applied *made)
{
    struct applied *rest = NULL;
    if (made->bytes > kept_bytes_max(device))
        return;
    core_lock(&apply_lock);
    device->drop_applied = drop_applied;
    if (!find_applied(device, &made->key)) {
        made->users++;
        made->next = device->applied;
        device->applied = made;
        rest = cut_list(device);
    }
    core_unlock(&apply_lock);
    release_list(rest);
}

/* ---- One call ----------------------------------------------------------------------------------------- */

/* A text says nothing about where the files are that it names, and a kept plan would not see them change. */
static int refuse_file(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name, (void)matrix;
    return core_fail(NULL, ABBE_ERR_FILE,
                     "abbe_apply reads no files; use abbe_filter_parse with a loader, and a plan");
}

static int parse_and_plan(abbe_device *device, const struct applied_key *key, abbe_plan **plan)
{
    abbe_filter *filter = NULL;
    int error = abbe_filter_parse(key->text, &(abbe_loader){ .load = refuse_file }, &filter);
    if (error)
        return core_fail(device, error, "%s", core_failure(NULL));
    error = abbe_plan_create(device,
                             &(abbe_plan_params){ .width = key->width,
                                                  .height = key->height,
                                                  .channels = key->channels,
                                                  .source_type = key->source_type,
                                                  .result_type = key->result_type,
                                                  .filters = (const abbe_filter *const *)&filter,
                                                  .filter_count = 1,
                                                  .border = key->border },
                             plan);
    abbe_filter_destroy(&filter);
    return error;
}

/* Makes a plan and keeps it for later calls. release_applied must follow. */
static int make_applied(abbe_device *device, const struct applied_key *key, struct applied **applied)
{
    size_t length = strlen(key->text) + 1;
    struct applied *made = core_alloc_zero(1, sizeof *made + length);
    int error = made ? parse_and_plan(device, key, &made->plan) : core_fail_memory(device);
    if (error) {
        core_free(made);
        return error;
    }
    made->users = 1;
    made->key = *key;
    made->key.text = memcpy(made + 1, key->text, length);
    made->bytes = (double)(abbe_plan_memory(made->plan) + sizeof *made + length);
    keep_applied(device, made);
    *applied = made;
    return ABBE_OK;
}

static int apply_once(abbe_device *device, const struct applied_key *key, const abbe_image *source,
                      const abbe_image *result)
{
    core_lock(&apply_lock);
    struct applied *applied = find_applied(device, key);
    if (applied)
        applied->users++;
    core_unlock(&apply_lock);
    int error = applied ? ABBE_OK : make_applied(device, key, &applied);
    if (error)
        return error;
    error = abbe_run(applied->plan, source, result);
    release_applied(applied);
    return error;
}

/* Where memory is short, the kept plans may be what takes it. */
static int apply_on_device(abbe_device *device, const struct applied_key *key, const abbe_image *source,
                           const abbe_image *result)
{
    int error = apply_once(device, key, source, result);
    if (error == ABBE_ERR_MEMORY && release_kept(device))
        error = apply_once(device, key, source, result);
    return error;
}

/* What must be known before a plan is made; abbe_run checks the rest. */
static int check_apply(const abbe_device *device, const char *text, const abbe_image *source,
                       const abbe_image *result)
{
    if (!text)
        return core_fail(device, ABBE_ERR_INVALID, "abbe_apply: filter is NULL");
    int error = core_check_view(device, source, "source");
    if (!error)
        error = core_check_view(device, result, "result");
    if (error)
        return error;
    if (source->width == result->width && source->height == result->height &&
        source->channels == result->channels)
        return ABBE_OK;
    return core_fail(device, ABBE_ERR_INVALID,
                     "result: %d x %d with %d channels, but the source is %d x %d with %d", result->width,
                     result->height, result->channels, source->width, source->height, source->channels);
}

int abbe_apply(abbe_device *device, const char *filter, abbe_border border, const abbe_image *source,
               const abbe_image *result)
{
    int error = check_apply(device, filter, source, result);
    if (error)
        return error;
    const struct applied_key key = { filter,           border,       source->width, source->height,
                                     source->channels, source->type, result->type };
    if (device)
        return apply_on_device(device, &key, source, result);
    abbe_device *entered = NULL;
    error = device_enter_default(&entered);
    return error ? error : device_leave_default(entered, apply_on_device(entered, &key, source, result));
}

void abbe_apply_clear(abbe_device *device)
{
    abbe_device *entered = NULL;
    if (device) {
        release_kept(device);
        return;
    }
    if (device_enter_open_default(&entered)) {
        release_kept(entered);
        device_leave_default(entered, ABBE_OK);
    }
    device_close_default();
}
