/* Parameter structs of other versions: older, newer, and with sizes that are none. */
#include "core/params.h"
#include "support/test.h"

#include <abbe/abbe.h>

#include <stdint.h>
#include <string.h>

/* A struct of three versions: the first has two fields, this one three, the next four. */
struct first {
    size_t size;
    double a;
};
struct known {
    size_t size;
    double a, b;
};
struct next {
    size_t size;
    double a, b, c;
};

static const struct core_params about = { "test: params", sizeof(struct first), sizeof(struct known) };

static void sizes_follow_the_last_field(void **state)
{
    (void)state;
    struct padded {
        size_t size;
        int a;
        int b;
        double c;
    };
    assert_int_equal(CORE_SIZE_TO(struct next, a), sizeof(struct first));
    assert_int_equal(CORE_SIZE_TO(struct next, b), sizeof(struct known));
    assert_int_equal(CORE_SIZE_TO(struct padded, a), sizeof(struct first));
    assert_int_equal(CORE_SIZE_TO(struct padded, c), sizeof(struct padded));
}

static void older_structs_are_filled_with_zeros(void **state)
{
    (void)state;
    const struct {
        struct first given;
        double beyond;
    } old[2] = { { { 0, 3 }, 7 }, { { sizeof(struct first), 3 }, 7 } };
    for (int i = 0; i < 2; i++) {
        struct known known = { 1, 1, 1 };
        assert_int_equal(core_read_params(NULL, &about, &old[i], &known), ABBE_OK);
        assert_int_equal(known.size, sizeof known);
        assert_true(known.a == 3 && known.b == 0);
    }
}

static void newer_structs_must_be_zero_beyond(void **state)
{
    (void)state;
    struct next next = { sizeof next, 3, 4, 0 };
    struct known known = { 0 };
    assert_int_equal(core_read_params(NULL, &about, &next, &known), ABBE_OK);
    assert_true(known.a == 3 && known.b == 4 && known.size == sizeof known);
    next.c = 5;
    memset(&known, 77, sizeof known);
    const struct known before = known;
    test_refused("newer", core_read_params(NULL, &about, &next, &known), ABBE_ERR_UNSUPPORTED, NULL,
                 "does not know");
    assert_memory_equal(&known, &before, sizeof known);
}

static void sizes_that_are_none(void **state)
{
    (void)state;
    const size_t sizes[] = { 1, sizeof(size_t), sizeof(struct first) - 1, 1 << 20, SIZE_MAX };
    struct known given = { 0 }, known = { 1, 2, 3 };
    for (int i = 0; i < 5; i++) {
        given.size = sizes[i];
        test_refused("size", core_read_params(NULL, &about, &given, &known), ABBE_ERR_INVALID, NULL,
                     "test: params: size is ");
    }
    assert_true(known.size == 1 && known.a == 2 && known.b == 3);
}

/* ---- Public functions --------------------------------------------------------------------------------- */

/* Every public function refuses a wrong size, and takes one that is too large as long as the rest is 0. */
static void public_functions_read_sizes(void **state)
{
    (void)state;
    double one = 1;
    const abbe_matrix taps = { 1, 1, &one };
    abbe_device *device = NULL;
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    struct {
        abbe_device_params params;
        double later;
    } of_device = { .params.size = 3 };
    struct {
        abbe_kernel_params params;
        double later;
    } of_kernel = { .params = { .size = 3, .taps = &taps } };
    test_refused("device", abbe_device_open("cpu", &of_device.params, &device), ABBE_ERR_INVALID, NULL,
                 "size is 3");
    test_refused("kernel", abbe_filter_from_kernel(&of_kernel.params, &filter), ABBE_ERR_INVALID, NULL,
                 "size is 3");
    of_device.params.size = sizeof of_device;
    of_kernel.params.size = sizeof of_kernel;
    of_device.later = of_kernel.later = 1;
    test_refused("device", abbe_device_open("cpu", &of_device.params, &device), ABBE_ERR_UNSUPPORTED, NULL,
                 "newer library");
    test_refused("kernel", abbe_filter_from_kernel(&of_kernel.params, &filter), ABBE_ERR_UNSUPPORTED, NULL,
                 "newer library");
    of_device.later = of_kernel.later = 0;
    assert_int_equal(abbe_device_open("cpu", &of_device.params, &device), ABBE_OK);
    assert_int_equal(abbe_filter_from_kernel(&of_kernel.params, &filter), ABBE_OK);
    struct {
        abbe_plan_params params;
        double later;
    } of_plan = { .params = { .size = sizeof of_plan,
                              .width = 1,
                              .height = 1,
                              .channels = 1,
                              .source_type = ABBE_F32,
                              .result_type = ABBE_F32,
                              .filters = (const abbe_filter *[]){ filter },
                              .filter_count = 1 },
                  .later = 1 };
    test_refused("plan", abbe_plan_create(device, &of_plan.params, &plan), ABBE_ERR_UNSUPPORTED, device,
                 "newer library");
    of_plan.later = 0;
    assert_int_equal(abbe_plan_create(device, &of_plan.params, &plan), ABBE_OK);
    float pixel = 3, result = 0;
    const abbe_image from = { .data = &pixel, .width = 1, .height = 1, .channels = 1, .type = ABBE_F32 };
    abbe_image to = from;
    to.data = &result;
    test_refused("watch", abbe_run_watched(plan, &from, &to, &(abbe_watch){ .size = 9 }), ABBE_ERR_INVALID,
                 device, "size is 9");
    assert_true(result == 0);
    assert_int_equal(abbe_run_watched(plan, &from, &to, &(abbe_watch){ .size = sizeof(abbe_watch) }),
                     ABBE_OK);
    assert_true(result == 3);
    abbe_plan_destroy(&plan);
    abbe_filter_destroy(&filter);
    abbe_device_close(&device);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sizes_follow_the_last_field),
    cmocka_unit_test(older_structs_are_filled_with_zeros),
    cmocka_unit_test(newer_structs_must_be_zero_beyond),
    cmocka_unit_test(sizes_that_are_none),
    cmocka_unit_test(public_functions_read_sizes),
};

TEST_MAIN(tests)
