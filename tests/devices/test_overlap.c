/* Views that share memory: a result that is the source, views that share bytes and are refused, and views
 * that interleave without sharing bytes and are accepted.
 *
 * Argument: DEVICE. */
#include "support/apply.h"
#include "support/test.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static abbe_device *device;

enum { WIDTH = 29, HEIGHT = 37, BANK = 3 };

static abbe_plan *plan_of(abbe_method method, int channels, abbe_type source, abbe_type result, int bank)
{
    static const char *const texts[BANK] = { "gaussian:sigma=1.5", "sobel", "laplacian" };
    abbe_filter *filters[BANK];
    for (int i = 0; i < BANK; i++)
        filters[i] = apply_filter(texts[i]);
    abbe_plan *plan = apply_plan(device,
                                 &(abbe_plan_params){ .width = WIDTH,
                                                      .height = HEIGHT,
                                                      .channels = channels,
                                                      .source_type = source,
                                                      .result_type = result,
                                                      .filters = (const abbe_filter *const *)filters,
                                                      .filter_count = (size_t)bank,
                                                      .method = method,
                                                      .tile_width = method == ABBE_METHOD_TILES ? 9 : 0,
                                                      .tile_height = method == ABBE_METHOD_TILES ? 8 : 0 });
    for (int i = 0; i < BANK; i++)
        abbe_filter_destroy(&filters[i]);
    return plan;
}

static struct stored noise(int channels, abbe_type type, uint64_t seed, bool flip)
{
    struct random random = { seed };
    struct stored stored = stored_create(WIDTH, HEIGHT, channels, type, 3, flip, true);
    stored_randomize(&stored, &random, true);
    return stored;
}

/* Compares row by row, since the bytes between rows do not belong to the view. */
static bool same_pixels(const abbe_image *a, const abbe_image *b)
{
    size_t row = (size_t)a->width * a->channels * abbe_type_size(a->type);
    for (int y = 0; y < a->height; y++)
        if (memcmp((char *)a->data + y * a->stride, (char *)b->data + y * b->stride, row))
            return false;
    return true;
}

/* ---- In place ----------------------------------------------------------------------------------------- */

/* Runs a bank of `bank` filters with each of its results in turn in place of the source. */
static void check_in_place(abbe_method method, int channels, abbe_type type, int bank)
{
    abbe_plan *plan = plan_of(method, channels, type, type, bank);
    for (int inside = 0; inside < bank; inside++) {
        struct stored source = noise(channels, type, 1, inside % 2), apart[BANK], beside[BANK];
        abbe_image apart_views[BANK], views[BANK];
        for (int i = 0; i < bank; i++) {
            apart[i] = noise(channels, type, 2, false);
            beside[i] = noise(channels, type, 3, true);
            apart_views[i] = apart[i].view;
            views[i] = i == inside ? source.view : beside[i].view;
        }
        assert_int_equal(abbe_run(plan, &source.view, apart_views), ABBE_OK);
        assert_int_equal(abbe_run(plan, &source.view, views), ABBE_OK);
        for (int i = 0; i < bank; i++) {
            if (!same_pixels(&views[i], &apart_views[i]))
                fail_msg("method %s, %d channels, type %d, result %d of %d in place: result %d differs",
                         abbe_method_name(method), channels, (int)type, inside + 1, bank, i + 1);
            stored_free(&apart[i]);
            stored_free(&beside[i]);
        }
        assert_true(stored_check(&source));
        stored_free(&source);
    }
    abbe_plan_destroy(&plan);
}

static void in_place(void **state)
{
    (void)state;
    static const abbe_type types[] = { ABBE_U8, ABBE_F32, ABBE_U16, ABBE_F16 };
    for (int method = ABBE_METHOD_AUTO; method <= ABBE_METHOD_TILES; method++)
        for (int channels = 1; channels <= 4; channels += effort_is_slight() ? 3 : 1) {
            check_in_place((abbe_method)method, channels, types[(method + channels) % 4], 1);
            check_in_place((abbe_method)method, channels, types[(method + channels + 1) % 4], BANK);
        }
}

/* ---- Refused ------------------------------------------------------------------------------------------ */

/* Memory for several views, filled with a pattern that a refused run must not change. */
struct room {
    unsigned char *bytes, *before;
    size_t size;
};

static struct room room_create(size_t size)
{
    struct room room = { malloc(size), malloc(size), size };
    struct random random = { size };
    for (size_t i = 0; i < size; i++)
        room.bytes[i] = room.before[i] = (unsigned char)random_bits(&random);
    return room;
}

static void room_free(struct room *room)
{
    free(room->bytes);
    free(room->before);
}

static abbe_image view_at(const struct room *room, size_t offset, ptrdiff_t stride, abbe_type type)
{
    return (abbe_image){ .data = room->bytes + offset,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = 1,
                         .stride = stride,
                         .type = type };
}

static void assert_refused(const abbe_plan *plan, const struct room *room, const abbe_image *source,
                           const abbe_image *results, const char *message)
{
    assert_int_equal(abbe_run(plan, source, results), ABBE_ERR_INVALID);
    if (!strstr(abbe_error_text(device), message))
        fail_msg("'%s' does not contain '%s'", abbe_error_text(device), message);
    assert_memory_equal(room->bytes, room->before, room->size);
}

/* A packed source of WIDTH bytes per row, and results that overlap it in every way. */
static void sources_refused(void **state)
{
    (void)state;
    enum { AREA = WIDTH * HEIGHT };
    struct room room = room_create(4 * AREA);
    abbe_plan *plan = plan_of(ABBE_METHOD_AUTO, 1, ABBE_U8, ABBE_U8, 1);
    const abbe_image source = view_at(&room, AREA, WIDTH, ABBE_U8);
    const abbe_image results[] = {
        view_at(&room, AREA + 1, WIDTH, ABBE_U8),                                /* one pixel further */
        view_at(&room, AREA + WIDTH, WIDTH, ABBE_U8),                            /* one row further */
        view_at(&room, 2 * AREA - 1, WIDTH, ABBE_U8),                            /* first over last byte */
        view_at(&room, 1, WIDTH, ABBE_U8),                                       /* last over first byte */
        view_at(&room, AREA, 2 * WIDTH, ABBE_U8),                                /* another stride */
        view_at(&room, AREA + (HEIGHT - 1) * WIDTH, -(ptrdiff_t)WIDTH, ABBE_U8), /* upside down */
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        assert_refused(plan, &room, &source, &results[i],
                       "result 1 overlaps the source; it must be the same view or lie apart");
    abbe_plan_destroy(&plan);
    room_free(&room);
}

/* The same pointer is not the same view when the samples have another size or meaning. */
static void other_types_refused(void **state)
{
    (void)state;
    struct room room = room_create(8 * WIDTH * HEIGHT);
    static const abbe_type types[][2] = { { ABBE_U8, ABBE_F32 },
                                          { ABBE_F32, ABBE_U8 },
                                          { ABBE_U16, ABBE_F16 } };
    for (int i = 0; i < 3; i++) {
        abbe_plan *plan = plan_of(ABBE_METHOD_AUTO, 1, types[i][0], types[i][1], 1);
        abbe_image source = view_at(&room, 0, 4 * WIDTH, types[i][0]), result = source;
        result.type = types[i][1];
        assert_refused(plan, &room, &source, &result,
                       "result 1 overlaps the source; it must be the same view or lie apart");
        abbe_plan_destroy(&plan);
    }
    room_free(&room);
}

static void results_refused(void **state)
{
    (void)state;
    enum { AREA = WIDTH * HEIGHT };
    struct room room = room_create(5 * AREA);
    abbe_plan *plan = plan_of(ABBE_METHOD_AUTO, 1, ABBE_U8, ABBE_U8, BANK);
    abbe_image source = view_at(&room, 0, WIDTH, ABBE_U8);
    abbe_image results[BANK] = { view_at(&room, AREA, WIDTH, ABBE_U8),
                                 view_at(&room, 3 * AREA, WIDTH, ABBE_U8),
                                 view_at(&room, AREA, WIDTH, ABBE_U8) };
    assert_refused(plan, &room, &source, results, "result 3 overlaps result 1");
    results[2] = view_at(&room, 4 * AREA - WIDTH, WIDTH, ABBE_U8);
    assert_refused(plan, &room, &source, results, "result 3 overlaps result 2");
    results[0] = results[2] = source;
    assert_refused(plan, &room, &source, results, "result 3 overlaps result 1");
    abbe_plan_destroy(&plan);
    room_free(&room);
}

/* ---- Accepted ----------------------------------------------------------------------------------------- */

/* Runs from source to result in the same memory and compares with a run into separate memory. All other
 * bytes must keep their values. */
static void check_accepted(abbe_image source, abbe_image result, struct room *room, abbe_method method)
{
    abbe_plan *plan = plan_of(method, 1, source.type, result.type, 1);
    struct stored apart = stored_create(WIDTH, HEIGHT, 1, result.type, 0, false, true);
    assert_int_equal(abbe_run(plan, &source, &apart.view), ABBE_OK);
    if (abbe_run(plan, &source, &result))
        fail_msg("%s: offset %td, stride %td: %s", abbe_method_name(method),
                 (unsigned char *)result.data - room->bytes, result.stride, abbe_error_text(device));
    assert_true(same_pixels(&result, &apart.view));
    size_t row = WIDTH * abbe_type_size(result.type);
    for (int y = 0; y < HEIGHT; y++) {
        unsigned char *pixels = (unsigned char *)result.data + y * result.stride;
        memcpy(pixels, room->before + (pixels - room->bytes), row);
    }
    assert_memory_equal(room->bytes, room->before, room->size);
    stored_free(&apart);
    abbe_plan_destroy(&plan);
}

static void disjoint_accepted(void **state)
{
    (void)state;
    enum { AREA = WIDTH * HEIGHT };
    struct room room = room_create(4 * AREA + 8);
    for (int method = ABBE_METHOD_DIRECT; method <= ABBE_METHOD_TILES; method++) {
        abbe_method m = (abbe_method)method;
        /* Two fields of a frame in both orders; left and right half with a gap; one upside down. */
        check_accepted(view_at(&room, 0, 2 * WIDTH, ABBE_U8), view_at(&room, WIDTH, 2 * WIDTH, ABBE_U8),
                       &room, m);
        check_accepted(view_at(&room, WIDTH, 2 * WIDTH, ABBE_U8), view_at(&room, 0, 2 * WIDTH, ABBE_U8),
                       &room, m);
        check_accepted(view_at(&room, 3, 2 * WIDTH + 5, ABBE_U8),
                       view_at(&room, WIDTH + 5, 2 * WIDTH + 5, ABBE_U8), &room, m);
        check_accepted(view_at(&room, 0, 2 * WIDTH, ABBE_U8),
                       view_at(&room, WIDTH + (HEIGHT - 1) * 2 * WIDTH, -2 * (ptrdiff_t)WIDTH, ABBE_U8),
                       &room, m);
        /* Rows of different lengths side by side, and a result directly behind the source. */
        check_accepted(view_at(&room, 0, 3 * WIDTH, ABBE_U8), view_at(&room, WIDTH, 3 * WIDTH, ABBE_U16),
                       &room, m);
        check_accepted(view_at(&room, 0, WIDTH, ABBE_U8), view_at(&room, AREA, WIDTH, ABBE_U8), &room, m);
        check_accepted(view_at(&room, AREA, WIDTH, ABBE_U8), view_at(&room, 0, WIDTH, ABBE_U8), &room, m);
    }
    room_free(&room);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_place),          cmocka_unit_test(sources_refused),
    cmocka_unit_test(results_refused),   cmocka_unit_test(other_types_refused),
    cmocka_unit_test(disjoint_accepted),
};

TEST_MAIN_ON_DEVICE(tests, device, 1)
