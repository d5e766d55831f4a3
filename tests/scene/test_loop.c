/* The viewer's loop without a window: events, jobs of large pictures, and pictures that are dropped. Time passes
 * only where a test says so. */
#include "internal.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The window ---------------------------------------------------------------------------------------- */

struct window {
    double time;
};

static struct window stub;

struct window *window_open(int width, int height, const char *title, char reason[SCENE_REASON])
{
    (void)width, (void)height, (void)title, (void)reason;
    return &stub;
}

void window_close(struct window **window)
{
    *window = NULL;
}

bool window_poll(struct window *window, double seconds)
{
    (void)window, (void)seconds;
    return true;
}

bool window_next(struct window *window, struct event *event)
{
    (void)window, (void)event;
    return false;
}

void window_wake(struct window *window)
{
    (void)window;
}

void window_title(struct window *window, const char *title)
{
    (void)window, (void)title;
}

void window_size(const struct window *window, int *width, int *height)
{
    (void)window;
    *width = *height = 0;
}

void window_show(struct window *window)
{
    (void)window;
}

double window_time(const struct window *window)
{
    return window->time;
}

scene_get_function window_functions(const struct window *window)
{
    (void)window;
    return NULL;
}

/* ---- The viewer ---------------------------------------------------------------------------------------- */

enum { WIDTH = 1200, HEIGHT = 1000, SMALL = 64 };

static struct viewer viewer;
static struct viewer_params params;
static int saves, saved_width;

static bool keep_save(void *user, const struct viewer_save *save)
{
    (void)user;
    saves++;
    saved_width = save->result->width;
    return true;
}

static struct viewer_picture make_picture(int width, int height)
{
    struct viewer_picture picture = { width, height, 1, calloc((size_t)width * (size_t)height, 4) };
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        picture.values[i] = (float)(i * 7919 % 251) / 251;
    return picture;
}

static bool open_small(void *user, const char *name, struct viewer_picture *picture)
{
    (void)user, (void)name;
    *picture = make_picture(SMALL, SMALL);
    return true;
}

static void send(struct event event)
{
    model_event(&viewer.model, &event);
}

static void press(int key)
{
    send((struct event){ .kind = EVENT_KEY, .key = key });
}

static void drop(const char *name)
{
    send((struct event){ .kind = EVENT_DROP, .name = strdup(name) });
}

static void point(const struct area *area, int right, int buttons)
{
    send((struct event){
        .kind = EVENT_POINTER, .x = area->x + 60 + right, .y = area->y + 60, .buttons = buttons });
}

/* One frame, as in the loop of viewer.c. */
static void show_frame(void)
{
    viewer_update(&viewer);
    if (viewer.model.state.save)
        jobs_save_now(&viewer);
}

static void wait_for_job(void)
{
    while (viewer.worker.busy && !atomic_load(&viewer.worker.ended))
        usleep(1000);
}

/* Frames until nothing is left to do. */
static void settle(void)
{
    for (int i = 0; i < 12; i++) {
        stub.time += 1;
        show_frame();
        wait_for_job();
    }
    assert_false(viewer.worker.busy);
}

static void wake_nobody(void *user)
{
    (void)user;
}

static void begin(int width, int height)
{
    char reason[SCENE_REASON] = "";
    params = (struct viewer_params){ .picture = make_picture(width, height),
                                     .picture_name = "picture.png",
                                     .device = "cpu",
                                     .threads = 2,
                                     .scene = scene_defaults(),
                                     .open = open_small,
                                     .save = keep_save };
    viewer = (struct viewer){ .params = &params, .window = &stub };
    viewer.worker.wake = wake_nobody;
    saves = 0;
    if (!viewer_begin_pictures(&viewer, reason) || !viewer_begin_device(&viewer, reason))
        fail_msg("%s", reason);
    send((struct event){ .kind = EVENT_SIZE, .width = 1280, .height = 600 });
}

static void end(void)
{
    jobs_end(&viewer);
    preview_free(&viewer.preview);
    model_free(&viewer.model);
    pictures_free(&viewer.pictures);
    free(viewer.picture_name);
}

/* ---- Large pictures ------------------------------------------------------------------------------------ */

/* Compares with a count by the definition: bin ⌊128 · value⌋, where the largest value has the last bin. */
static void check_source_histogram(void)
{
    double shares[BINS] = { 0 };
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        shares[(int)((double)viewer.pictures.source[i] * (BINS - 0.01))] += 1.0 / (WIDTH * HEIGHT);
    assert_int_equal(viewer.histogram.channels, 1);
    for (int i = 0; i < BINS; i++)
        if (fabs(viewer.histogram.shares[0][i] - shares[i]) > 1e-4)
            fail_msg("bin %d: %g instead of %g", i, viewer.histogram.shares[0][i], shares[i]);
}

static void unfiltered_pictures_have_their_histogram(void **state)
{
    (void)state;
    begin(WIDTH, HEIGHT);
    press('g');
    settle();
    check_source_histogram();
    press('2');
    settle();
    assert_int_equal(viewer.result, RESULT_WHOLE);
    press('1');
    settle();
    check_source_histogram();
    end();
}

static void hidden_panes_forget_their_preview(void **state)
{
    (void)state;
    begin(WIDTH, HEIGHT);
    settle();
    press('2');
    show_frame(); /* the time stands still, so that only the preview is filtered */
    assert_int_equal(viewer.result, RESULT_PREVIEW);
    size_t count = (size_t)viewer.preview.excerpt.width * (size_t)viewer.preview.excerpt.height;
    float *before = malloc(count * sizeof *before);
    memcpy(before, viewer.preview.results, count * sizeof *before);
    press(KEY_TAB);
    show_frame();
    press('5');
    show_frame();
    assert_int_equal(viewer.result, RESULT_NONE);
    for (int i = 0; i < 3; i++)
        press(KEY_TAB);
    show_frame();
    assert_int_equal(viewer.result, RESULT_PREVIEW);
    assert_memory_not_equal(before, viewer.preview.results, count * sizeof *before);
    free(before);
    end();
}

/* A job that was cancelled may fail for reasons that the present recipe does not share. */
static void failures_of_old_recipes_do_not_count(void **state)
{
    (void)state;
    begin(WIDTH, HEIGHT);
    settle();
    press('2');
    show_frame();
    stub.time += 1;
    show_frame();
    assert_int_equal(viewer.job.kind, JOB_FILTER);
    worker_wait(&viewer.worker);
    worker_cancel(&viewer.worker);
    viewer.job.done = false;
    snprintf(viewer.job.error, sizeof viewer.job.error, "no memory");
    jobs_finish(&viewer);
    assert_false(viewer.failed);
    assert_string_not_equal(viewer.note, "no memory");
    settle();
    assert_int_equal(viewer.result, RESULT_WHOLE);
    end();
}

static void errors_of_devices_end(void **state)
{
    (void)state;
    begin(WIDTH, HEIGHT);
    settle();
    viewer.model.state.devices[0] = "cpu";
    viewer.model.state.devices[1] = "gl:nonsense";
    viewer.model.state.device_count = 2;
    press('d');
    show_frame();
    assert_string_equal(viewer.pictures.error, "");
    assert_int_equal(viewer.model.state.device, 0);
    assert_true(viewer.note_is_error);
    assert_non_null(strstr(viewer.note, "gl:nonsense"));
    end();
}

/* ---- Pictures that are dropped ------------------------------------------------------------------------- */

static void saves_belong_to_their_picture(void **state)
{
    (void)state;
    begin(WIDTH, HEIGHT);
    settle();
    press('2');
    press('s');
    drop("small.png");
    settle();
    assert_int_equal(viewer.pictures.width, SMALL);
    assert_int_equal(saves, 1);
    assert_int_equal(saved_width, WIDTH);
    drop("other.png");
    show_frame();
    assert_int_equal(viewer.job.kind, JOB_OPEN);
    press('s');
    wait_for_job();
    settle();
    assert_int_equal(saves, 1);
    assert_false(viewer.model.state.save);
    end();
}

static void buttons_do_not_paint_on_another_picture(void **state)
{
    (void)state;
    begin(SMALL, SMALL);
    settle();
    drop("small.png");
    show_frame();
    const struct area *area = &viewer.model.areas[PANE_SPECTRUM];
    point(area, 0, BUTTON_LEFT);
    wait_for_job();
    show_frame();
    assert_string_equal(viewer.picture_name, "small.png");
    point(area, 10, BUTTON_LEFT);
    point(area, 10, 0);
    assert_int_equal(viewer.model.strokes.done, 0);
    point(area, 10, BUTTON_LEFT);
    point(area, 10, 0);
    assert_int_equal(viewer.model.strokes.done, 1);
    end();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(unfiltered_pictures_have_their_histogram),
    cmocka_unit_test(hidden_panes_forget_their_preview),
    cmocka_unit_test(failures_of_old_recipes_do_not_count),
    cmocka_unit_test(errors_of_devices_end),
    cmocka_unit_test(saves_belong_to_their_picture),
    cmocka_unit_test(buttons_do_not_paint_on_another_picture),
};

TEST_MAIN(tests)
