/* src/core: borders, views, memory, messages. */
#include "core/border.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/view.h"
#include "support/random.h"
#include "support/test.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BORDERS = 6 };

/* ---- Borders ------------------------------------------------------------------------------------------ */

/* The reference: folds a coordinate by one reflection or one period at a time, as abbe.h draws the
 * borders. */
static int slow_fold(abbe_border border, long long x, int n)
{
    while (x < 0 || x >= n)
        switch (border) {
        case ABBE_BORDER_REFLECT: x = x < 0 ? -1 - x : 2LL * n - 1 - x; break;
        case ABBE_BORDER_MIRROR: x = n == 1 ? 0 : x < 0 ? -x : 2LL * n - 2 - x; break;
        case ABBE_BORDER_CLAMP: x = x < 0 ? 0 : n - 1; break;
        case ABBE_BORDER_WRAP: x = x < 0 ? x + n : x - n; break;
        case ABBE_BORDER_ZERO:
        case ABBE_BORDER_CONSTANT: return -1;
        }
    return (int)x;
}

static void check_index(abbe_border border, long long x, int n, int expected)
{
    int got = core_border_index(border, x, n);
    if (got != expected)
        fail_msg("%s: coordinate %lld of %d stands for %d, not %d", abbe_border_name(border), x, n, expected,
                 got);
}

static void borders_near_the_picture(void **state)
{
    (void)state;
    for (int border = 0; border < BORDERS; border++)
        for (int n = 1; n <= 9; n++)
            for (int x = -50; x <= 50; x++)
                check_index((abbe_border)border, x, n, slow_fold((abbe_border)border, x, n));
}

/* 5040 = 2 · lcm(1 … 9) is a multiple of every period in this test. A far coordinate therefore folds like a
 * near one; only CLAMP and the constant borders are not periodic. */
static void borders_far_from_the_picture(void **state)
{
    (void)state;
    const long long reaches[] = { 1LL << 40, LLONG_MAX - 5040 };
    for (int border = 0; border < BORDERS; border++)
        for (int n = 1; n <= 9; n++)
            for (int i = 0; i < 2; i++)
                for (int x = -50; x <= 50; x++) {
                    long long turns = reaches[i] / 5040 * 5040;
                    int after = slow_fold((abbe_border)border, x + 5040, n);
                    int before = slow_fold((abbe_border)border, x - 5040, n);
                    check_index((abbe_border)border, x + turns, n, after);
                    check_index((abbe_border)border, x - turns, n, before);
                }
}

static void borders_of_the_longest_side(void **state)
{
    (void)state;
    const int n = ABBE_SIDE_MAX;
    check_index(ABBE_BORDER_REFLECT, -1, n, 0);
    check_index(ABBE_BORDER_REFLECT, n, n, n - 1);
    check_index(ABBE_BORDER_REFLECT, 2LL * n - 1, n, 0);
    check_index(ABBE_BORDER_REFLECT, 2LL * n, n, 0);
    check_index(ABBE_BORDER_MIRROR, -1, n, 1);
    check_index(ABBE_BORDER_MIRROR, n, n, n - 2);
    check_index(ABBE_BORDER_MIRROR, 2LL * n - 3, n, 1);
    check_index(ABBE_BORDER_MIRROR, 2LL * n - 2, n, 0);
    check_index(ABBE_BORDER_WRAP, -1, n, n - 1);
    check_index(ABBE_BORDER_WRAP, n, n, 0);
    check_index(ABBE_BORDER_CLAMP, n, n, n - 1);
    check_index(ABBE_BORDER_ZERO, n, n, -1);
}

/* The enumerators first … first + count − 1 have the names, both ways; their neighbours have none. */
#define CHECK_NAMES(noun, first, count, ...)                                                                 \
    do {                                                                                                     \
        static const char *const names[] = { __VA_ARGS__ };                                                  \
        abbe_##noun found = (abbe_##noun)77;                                                                 \
        assert_int_equal(sizeof names / sizeof *names, count);                                               \
        for (int i = 0; i < (count); i++) {                                                                  \
            assert_string_equal(abbe_##noun##_name((abbe_##noun)((first) + i)), names[i]);                   \
            assert_int_equal(abbe_##noun##_from_name(names[i], &found), ABBE_OK);                            \
            assert_int_equal(found, (first) + i);                                                            \
        }                                                                                                    \
        const int strangers[] = { (first)-1, (first) + (count), 1000, INT_MAX, INT_MIN };                    \
        for (int i = 0; i < 5; i++)                                                                          \
            assert_null(abbe_##noun##_name((abbe_##noun)strangers[i]));                                      \
        found = (abbe_##noun)77;                                                                             \
        test_refused("NULL", abbe_##noun##_from_name(NULL, &found), ABBE_ERR_INVALID, NULL, "name is NULL"); \
        test_refused("NULL", abbe_##noun##_from_name(names[0], NULL), ABBE_ERR_INVALID, NULL,                \
                     #noun " is NULL");                                                                      \
        test_refused("empty", abbe_##noun##_from_name("", &found), ABBE_ERR_INVALID, NULL, names[0]);        \
        test_refused("long", abbe_##noun##_from_name(stranger, &found), ABBE_ERR_INVALID, NULL,              \
                     "unknown " #noun);                                                                      \
        assert_int_equal(found, 77);                                                                         \
    } while (0)

static void names_both_ways(void **state)
{
    (void)state;
    char stranger[1000];
    memset(stranger, '\x01', sizeof stranger);
    stranger[sizeof stranger - 1] = 0;
    CHECK_NAMES(type, 1, ABBE_TYPE_COUNT, "u8", "u16", "f16", "f32", "f64", "i16", "u32", "i32");
    CHECK_NAMES(border, 0, ABBE_BORDER_COUNT, "reflect", "mirror", "clamp", "zero", "constant", "wrap");
    CHECK_NAMES(method, 0, ABBE_METHOD_COUNT, "auto", "direct", "separable", "fft", "tiles");
    CHECK_NAMES(alpha, 0, ABBE_ALPHA_COUNT, "none", "premultiply", "independent");
    CHECK_NAMES(nonfinite, 0, ABBE_NONFINITE_COUNT, "error", "zero", "trust");
    CHECK_NAMES(precision, 0, ABBE_PRECISION_COUNT, "full", "half", "double");
    CHECK_NAMES(scale, 0, ABBE_SCALE_COUNT, "unit", "value");
    CHECK_NAMES(window, 0, ABBE_WINDOW_COUNT, "same", "full", "valid", "rectangle");
    abbe_border border;
    assert_int_equal(abbe_border_from_name("Reflect", &border), ABBE_ERR_INVALID);
    assert_string_equal(abbe_last_error(), "unknown border 'Reflect'; did you mean 'reflect'?");
}

/* ---- Views -------------------------------------------------------------------------------------------- */

static void sizes_of_types(void **state)
{
    (void)state;
    const size_t sizes[] = { 0, 1, 2, 2, 4, 8, 2, 4, 4, 0 };
    for (int type = 0; type < 10; type++)
        assert_int_equal(abbe_type_size((abbe_type)type), sizes[type]);
    assert_int_equal(abbe_type_size((abbe_type)-1), 0);
    assert_int_equal(abbe_type_size((abbe_type)INT_MAX), 0);
    assert_int_equal(abbe_type_size((abbe_type)INT_MIN), 0);
}

static char pixels[4096];

static void views_each_with_its_message(void **state)
{
    (void)state;
    const ptrdiff_t third = PTRDIFF_MAX / 3, half = PTRDIFF_MAX / 2;
    const struct {
        abbe_image view;
        int code;
        const char *says;
    } cases[] = {
        { { { pixels }, 3, 2, 4, 12, ABBE_U8 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 4, -12, ABBE_U8 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 1, 13, ABBE_F32 }, ABBE_OK, NULL },
        { { { pixels }, 3, 1, 1, 0, ABBE_F32 }, ABBE_OK, NULL },
        { { { pixels }, 3, 1, 1, PTRDIFF_MIN, ABBE_F32 }, ABBE_OK, NULL },
        { { { pixels }, ABBE_SIDE_MAX, 1, 64, 0, ABBE_F32 }, ABBE_OK, NULL },
        { { { pixels }, 1, 2, 1, half, ABBE_U8 }, ABBE_OK, NULL },
        { { { pixels }, 1, 2, 1, -half, ABBE_U8 }, ABBE_OK, NULL },
        { { { NULL }, 3, 2, 4, 12, ABBE_U8 }, ABBE_ERR_INVALID, "data is NULL" },
        { { { pixels }, 0, 2, 4, 12, ABBE_U8 }, ABBE_ERR_INVALID, "size 0 x 2" },
        { { { pixels }, 3, 0, 4, 12, ABBE_U8 }, ABBE_ERR_INVALID, "size 3 x 0" },
        { { { pixels }, -3, 2, 4, 12, ABBE_U8 }, ABBE_ERR_INVALID, "size -3 x 2" },
        { { { pixels }, 3, INT_MIN, 4, 12, ABBE_U8 }, ABBE_ERR_INVALID, "size 3 x -2147483648" },
        { { { pixels }, INT_MAX, 2, 4, 12, ABBE_U8 }, ABBE_ERR_SIZE, "size 2147483647 x 2" },
        { { { pixels }, 3, ABBE_SIDE_MAX + 1, 4, 12, ABBE_U8 }, ABBE_ERR_SIZE, "the limit of 1073741824" },
        { { { pixels }, 3, 2, 0, 12, ABBE_U8 }, ABBE_ERR_INVALID, "0 channels" },
        { { { pixels }, 3, 2, 65, 999, ABBE_U8 }, ABBE_ERR_INVALID, "65 channels" },
        { { { pixels }, 3, 2, -1, 12, ABBE_U8 }, ABBE_ERR_INVALID, "-1 channels" },
        { { { pixels }, 3, 2, 4, 12, (abbe_type)0 }, ABBE_ERR_INVALID, "unknown sample type 0" },
        { { { pixels }, 3, 2, 4, 12, (abbe_type)9 }, ABBE_ERR_INVALID, "unknown sample type 9" },
        { { { pixels }, 3, 2, 4, 12, (abbe_type)-7 }, ABBE_ERR_INVALID, "unknown sample type -7" },
        { { { pixels }, 3, 2, 4, 11, ABBE_U8 },
          ABBE_ERR_INVALID,
          "a stride of 11 bytes steps over less than 12 bytes" },
        { { { pixels }, 3, 2, 4, -11, ABBE_U8 },
          ABBE_ERR_INVALID,
          "a stride of -11 bytes steps over less than 12 bytes" },
        /* A stride of 0 is packed. */
        { { { pixels }, 3, 2, 4, 0, ABBE_U8 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 4, 0, ABBE_U8, 4, 0 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 4, 0, ABBE_U8, 0, 6 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 4, 0, ABBE_U8, 0, 1 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 3, 0, ABBE_U16, 8, 0 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 3, 2, ABBE_U16, 4, 12 }, ABBE_OK, NULL },
        { { { pixels + 9 }, 3, 2, 3, 9, ABBE_U8, -3, -1 }, ABBE_OK, NULL },
        { { { pixels }, 3, 2, 4, 0, ABBE_U8, 3, 0 },
          ABBE_ERR_INVALID,
          "pixel_stride of 3 bytes steps over less than 4" },
        { { { pixels }, 3, 2, 4, 0, ABBE_U8, 0, 5 },
          ABBE_ERR_INVALID,
          "channel_stride of 5 bytes steps over less than 6" },
        { { { pixels }, 3, 2, 4, 12, ABBE_U16, 0, 1 }, ABBE_ERR_INVALID, "channel_stride of 1 bytes" },
        { { { pixels }, 3, 2, 4, 12, ABBE_U8, PTRDIFF_MAX, 0 }, ABBE_ERR_SIZE, "pixel_stride" },
        { { { pixels }, 3, 2, 4, 12, ABBE_U8, PTRDIFF_MIN, 0 }, ABBE_ERR_SIZE, "pixel_stride" },
        { { { pixels }, 3, 2, 4, 12, ABBE_U8, 4, PTRDIFF_MAX }, ABBE_ERR_SIZE, "channel_stride" },
        { { { pixels }, 3, 2, 2, third, ABBE_U8, third, third }, ABBE_ERR_SIZE, "cannot be addressed" },
        { { { pixels }, 3, 3, 4, third + 1, ABBE_U8 }, ABBE_ERR_SIZE, "cannot be addressed" },
        { { { pixels }, 3, 3, 4, -third - 1, ABBE_U8 }, ABBE_ERR_SIZE, "cannot be addressed" },
        { { { pixels }, 3, 2, 4, PTRDIFF_MAX, ABBE_U8 }, ABBE_ERR_SIZE, "cannot be addressed" },
        { { { pixels }, 3, 2, 4, PTRDIFF_MIN, ABBE_U8 }, ABBE_ERR_SIZE, "cannot be addressed" },
        { { { pixels }, 1, ABBE_SIDE_MAX, 1, PTRDIFF_MIN, ABBE_U8 }, ABBE_ERR_SIZE, "cannot be addressed" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = core_check_view(pixels, &cases[i].view, "picture 7");
        const char *text = core_failure(pixels);
        if (code != cases[i].code)
            fail_msg("case %zu: %s: %s", i, abbe_error_name(code), text);
        if (code && (strncmp(text, "picture 7: ", 11) || !strstr(text, cases[i].says)))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, text, cases[i].says);
    }
    assert_int_equal(core_check_view(pixels, NULL, "frame"), ABBE_ERR_INVALID);
    assert_string_equal(core_failure(pixels), "frame: view is NULL");
    core_forget(pixels);
}

static abbe_image at(size_t offset, int width, int height, ptrdiff_t stride)
{
    return (abbe_image){ .data = pixels + offset,
                         .width = width,
                         .height = height,
                         .channels = 1,
                         .stride = stride,
                         .type = ABBE_U8 };
}

static void check_overlap(const char *what, abbe_image a, abbe_image b, enum core_overlap expected)
{
    if (core_overlap(&a, &b) != expected || core_overlap(&b, &a) != expected)
        fail_msg("%s: expected %d, got %d and %d", what, (int)expected, (int)core_overlap(&a, &b),
                 (int)core_overlap(&b, &a));
}

static void overlaps_by_hand(void **state)
{
    (void)state;
    abbe_image words = at(0, 4, 4, 8), bytes = at(0, 8, 4, 8);
    words.type = ABBE_U16;
    check_overlap("one behind the other", at(0, 8, 4, 8), at(32, 8, 4, 8), CORE_APART);
    check_overlap("one byte shared", at(0, 8, 4, 8), at(31, 8, 4, 8), CORE_OVERLAP);
    check_overlap("itself", at(0, 8, 4, 8), at(0, 8, 4, 8), CORE_SAME);
    check_overlap("another type in the same bytes", words, bytes, CORE_OVERLAP);
    check_overlap("upside down", at(0, 8, 4, 8), at(24, 8, 4, -8), CORE_OVERLAP);
    check_overlap("itself upside down", at(24, 8, 4, -8), at(24, 8, 4, -8), CORE_SAME);
    check_overlap("fields", at(0, 8, 4, 16), at(8, 8, 4, 16), CORE_APART);
    check_overlap("fields, one upside down", at(0, 8, 4, 16), at(56, 8, 4, -16), CORE_APART);
    check_overlap("the same field upside down", at(0, 8, 4, 16), at(48, 8, 4, -16), CORE_OVERLAP);
    check_overlap("left and right half", at(0, 8, 4, 16), at(24, 8, 3, 16), CORE_APART);
    check_overlap("halves that share a column", at(0, 9, 4, 16), at(8, 8, 4, 16), CORE_OVERLAP);
    check_overlap("a row later", at(0, 8, 4, 8), at(8, 8, 4, 8), CORE_OVERLAP);
    check_overlap("around the end of a stride", at(0, 8, 4, 16), at(9, 8, 4, 16), CORE_OVERLAP);
    check_overlap("unequal strides", at(0, 8, 4, 16), at(8, 8, 4, 24), CORE_OVERLAP);
    check_overlap("one row, whatever its stride", at(0, 8, 1, 0), at(0, 8, 1, 99), CORE_SAME);
    check_overlap("one row beside another", at(0, 8, 1, 0), at(8, 8, 1, 0), CORE_APART);
    check_overlap("one row shifted", at(0, 8, 1, 0), at(1, 8, 1, 0), CORE_OVERLAP);
    check_overlap("part of itself", at(0, 8, 4, 8), at(0, 8, 3, 8), CORE_OVERLAP);
}

static bool touches(const abbe_image *view, const char *byte)
{
    for (int y = 0; y < view->height; y++) {
        const char *row = core_row(view, y);
        if (byte >= row && byte < row + core_row_bytes(view))
            return true;
    }
    return false;
}

/* Compares core_overlap with a reference that marks every byte. For views of one shape and stride the answer
 * is exact. Others may be called overlapping when they only interlock, but never apart when they share a
 * byte. */
static void overlaps_by_counting(void **state)
{
    (void)state;
    struct random random = { 7 };
    for (int i = 0; i < 4000; i++) {
        int width = random_int(&random, 1, 12), height = random_int(&random, 1, 4);
        int stride = width + random_int(&random, 0, 20);
        bool alike = random_int(&random, 0, 3) > 0;
        abbe_image a = at((size_t)random_int(&random, 200, 260), width, height, stride), b = a;
        b.data = pixels + random_int(&random, 200, 260);
        if (!alike)
            b = at((size_t)random_int(&random, 200, 260), random_int(&random, 1, 12),
                   random_int(&random, 1, 4), 12 + random_int(&random, 0, 9));
        a.stride = random_int(&random, 0, 1) ? a.stride : -a.stride;
        b.stride = random_int(&random, 0, 1) ? b.stride : -b.stride;
        bool share = false;
        for (int byte = 0; byte < 512 && !share; byte++)
            share = touches(&a, pixels + byte) && touches(&b, pixels + byte);
        bool same = a.data == b.data && a.height == b.height && a.width == b.width &&
                    (a.height == 1 || a.stride == b.stride);
        enum core_overlap got = core_overlap(&a, &b);
        bool right = same ? got == CORE_SAME : share ? got == CORE_OVERLAP : !alike || got == CORE_APART;
        if (!right || got != core_overlap(&b, &a))
            fail_msg("case %d: %d x %d stride %td, %td bytes before %d x %d stride %td: %d", i, a.width,
                     a.height, a.stride, (char *)b.data - (char *)a.data, b.width, b.height, b.stride,
                     (int)got);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static void products(void **state)
{
    (void)state;
    size_t product = 77;
    assert_true(core_multiply(6, 7, &product) && product == 42);
    assert_true(core_multiply(SIZE_MAX, 1, &product) && product == SIZE_MAX);
    assert_true(core_multiply(SIZE_MAX, 0, &product) && product == 0);
    product = 77;
    assert_false(core_multiply(SIZE_MAX, 2, &product));
    assert_false(core_multiply((size_t)1 << 32, (size_t)1 << 32, &product));
    assert_int_equal(product, 77);
}

static void memory_is_aligned_and_checked(void **state)
{
    (void)state;
    assert_null(core_alloc(SIZE_MAX, 2));
    assert_null(core_alloc(SIZE_MAX / 2, 3));
    assert_null(core_alloc(SIZE_MAX, 1));
    assert_null(core_alloc((size_t)PTRDIFF_MAX, 1));
    assert_null(core_alloc_zero((size_t)1 << 60, 16));
    core_free(NULL);
    for (size_t bytes = 0; bytes <= 200; bytes++) {
        unsigned char *memory = core_alloc(bytes, 1), *zeros = core_alloc_zero(1, bytes);
        assert_true(memory && (uintptr_t)memory % CORE_ALIGNMENT == 0);
        assert_true(zeros && (uintptr_t)zeros % CORE_ALIGNMENT == 0);
        memset(memory, 0xA5, bytes);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(zeros[i], 0);
        core_free(zeros);
        core_free(memory);
    }
}

/* ---- Messages ----------------------------------------------------------------------------------------- */

static void four_devices_are_remembered(void **state)
{
    (void)state;
    static const char devices[5];
    for (int i = 0; i < 4; i++)
        assert_int_equal(core_fail(&devices[i], ABBE_ERR_SIZE, "device %d of %s", i, "four"), ABBE_ERR_SIZE);
    assert_string_equal(core_failure(&devices[0]), "device 0 of four");
    assert_string_equal(core_failure(&devices[3]), "device 3 of four");
    assert_string_equal(core_failure(&devices[4]), "");
    core_fail(&devices[0], ABBE_ERR_INVALID, "again");
    core_fail(&devices[4], ABBE_ERR_INVALID, "a fifth");
    assert_string_equal(core_failure(&devices[0]), "again");
    assert_string_equal(core_failure(&devices[1]), "");
    assert_string_equal(core_failure(&devices[4]), "a fifth");
    core_forget(&devices[4]);
    core_forget(&devices[1]);
    assert_string_equal(core_failure(&devices[4]), "");
    core_fail(&devices[1], ABBE_ERR_INVALID, "takes the free place");
    assert_string_equal(core_failure(&devices[2]), "device 2 of four");
    assert_int_equal(core_fail_memory(&devices[2]), ABBE_ERR_MEMORY);
    assert_string_equal(abbe_error_text((const abbe_device *)&devices[2]), "out of memory");
    for (int i = 0; i < 5; i++)
        core_forget(&devices[i]);
}

/* The last message is the thread's, whatever it is about; closing the device does not remove it. */
static void the_last_message(void **state)
{
    (void)state;
    static const char devices[2];
    core_fail(&devices[0], ABBE_ERR_SIZE, "first");
    core_fail(NULL, ABBE_ERR_INVALID, "second");
    assert_string_equal(abbe_last_error(), "second");
    core_fail(&devices[1], ABBE_ERR_MEMORY, "third after %s", abbe_last_error());
    assert_string_equal(abbe_last_error(), "third after second");
    core_forget(&devices[1]);
    assert_string_equal(abbe_last_error(), "third after second");
    assert_string_equal(abbe_error_text((const abbe_device *)&devices[1]), "");
    core_fail(NULL, ABBE_ERR_INVALID, "%s, and again", abbe_error_text(NULL));
    assert_string_equal(abbe_last_error(), "second, and again");
}

static void *fail_elsewhere(void *text)
{
    bool empty = !*core_failure(NULL);
    core_fail(NULL, ABBE_ERR_SIZE, "from another thread");
    return empty ? text : NULL;
}

static void threads_do_not_share_messages(void **state)
{
    (void)state;
    pthread_t thread;
    void *returned = NULL;
    core_fail(NULL, ABBE_ERR_SIZE, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, pixels), 0);
    assert_int_equal(pthread_join(thread, &returned), 0);
    assert_ptr_equal(returned, pixels);
    assert_string_equal(abbe_error_text(NULL), "mine");
    core_forget(NULL);
    assert_string_equal(abbe_error_text(NULL), "");
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    core_fail(NULL, ABBE_ERR_SIZE, "%2000d", 1);
    assert_in_range(strlen(abbe_error_text(NULL)), 100, 1000);
    core_forget(NULL);
}

static void names_of_errors(void **state)
{
    (void)state;
    const char *names[] = { "ABBE_OK",       "ABBE_ERR_INVALID", "ABBE_ERR_SYNTAX",      "ABBE_ERR_RANGE",
                            "ABBE_ERR_SIZE", "ABBE_ERR_MEMORY",  "ABBE_ERR_UNSUPPORTED", "ABBE_ERR_NONFINITE",
                            "ABBE_ERR_FILE", "ABBE_ERR_DEVICE",  "ABBE_ERR_CANCELLED" };
    for (int i = 0; i < 11; i++)
        assert_string_equal(abbe_error_name(-i), names[i]);
    const int strangers[] = { 1, -11, INT_MAX, INT_MIN };
    for (int i = 0; i < 4; i++)
        assert_string_equal(abbe_error_name(strangers[i]), "unknown error");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(borders_near_the_picture),
    cmocka_unit_test(borders_far_from_the_picture),
    cmocka_unit_test(borders_of_the_longest_side),
    cmocka_unit_test(names_both_ways),
    cmocka_unit_test(sizes_of_types),
    cmocka_unit_test(views_each_with_its_message),
    cmocka_unit_test(overlaps_by_hand),
    cmocka_unit_test(overlaps_by_counting),
    cmocka_unit_test(products),
    cmocka_unit_test(memory_is_aligned_and_checked),
    cmocka_unit_test(four_devices_are_remembered),
    cmocka_unit_test(the_last_message),
    cmocka_unit_test(threads_do_not_share_messages),
    cmocka_unit_test(long_messages_are_cut),
    cmocka_unit_test(names_of_errors),
};

TEST_MAIN(tests)
