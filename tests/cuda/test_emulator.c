/* The emulated driver on which the CUDA device is tested: it finds the mistakes that it is there to find. */
#include "cuda/driver.h"
#include "emulator/emulator.h"
#include "emulator/grid.h"
#include "support/child.h"
#include "support/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>

enum { THREADS = 96, BLOCKS = 5, SAMPLES = THREADS * BLOCKS };

/* As in trial.cu. */
struct trial {
    const float *from;
    float *to;
    int mistake;
};
enum { RIGHT, NO_BARRIER, NO_WARP_BARRIER, NO_WAIT, BEYOND, ENDS_EARLY, TWO_BARRIERS };
void trial_reverse(const void *parameters);
void trial_exchange(const void *parameters);

float emulated_half_to_float(unsigned short bits);
unsigned short emulated_float_to_half(float value);

static _Alignas(16) float from[SAMPLES], to[SAMPLES];

static void run(emulated_kernel kernel, int mistake, unsigned blocks)
{
    struct trial trial = { from, to, mistake };
    for (int i = 0; i < SAMPLES; i++)
        from[i] = (float)i, to[i] = -1;
    emulated_run(kernel, &trial, (const unsigned[]){ blocks, 1, 1 }, (const unsigned[]){ THREADS, 1, 1 },
                 THREADS * sizeof(float));
}

static int count_wrong(void)
{
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++)
        wrong += to[i] != (float)(i / THREADS * THREADS + THREADS - 1 - i % THREADS);
    return wrong;
}

static void barriers(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed < 6; seed++) {
        emulated_seed(seed);
        run(trial_reverse, RIGHT, BLOCKS);
        assert_int_equal(count_wrong(), 0);
        run(trial_reverse, NO_BARRIER, BLOCKS);
        assert_true(count_wrong() > SAMPLES / 4);
        run(trial_reverse, NO_WAIT, BLOCKS);
        assert_true(count_wrong() > SAMPLES / 4);
    }
}

static void warps(void **state)
{
    (void)state;
    int wrong = 0;
    for (int mistake = RIGHT; mistake <= NO_WARP_BARRIER; mistake += NO_WARP_BARRIER) {
        run(trial_exchange, mistake, 1);
        for (int i = 0; i < THREADS; i++)
            wrong += to[i] != (float)(i ^ 1);
        assert_true(mistake ? wrong > THREADS / 4 : wrong == 0);
    }
}

static int make_mistake(void *mistake)
{
    fclose(stderr); /* the emulator's message */
    signal(SIGABRT, SIG_DFL);
    run(trial_reverse, *(int *)mistake, 1);
    return 0;
}

/* The emulator ends the program. */
static void mistakes(void **state)
{
    (void)state;
    for (int mistake = BEYOND; mistake <= TWO_BARRIERS; mistake++)
        assert_int_not_equal(child_run(make_mistake, &mistake), 0);
}

/* A half is sign · 2^e · (1 + f / 1024), or f · 2^−24 where its exponent is 0. */
static void halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x8000; bits++) {
        int exponent = (int)(bits >> 10), fraction = bits & 1023;
        double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
        if (exponent == 31) {
            assert_true(fraction ? isnan(emulated_half_to_float((unsigned short)bits))
                                 : isinf(emulated_half_to_float((unsigned short)bits)));
            continue;
        }
        double step = exponent ? ldexp(1, exponent - 25) : ldexp(1, -24);
        unsigned even = bits + (bits & 1); /* a tie goes to the even neighbour */
        assert_true(emulated_half_to_float((unsigned short)bits) == value);
        assert_true(emulated_half_to_float((unsigned short)(bits | 0x8000)) == -value);
        assert_int_equal(emulated_float_to_half((float)(value + 0.49 * step)), bits);
        assert_int_equal(emulated_float_to_half((float)(value + 0.5 * step)), even);
        assert_int_equal(emulated_float_to_half((float)-(value + 0.51 * step)), (bits + 1) | 0x8000);
    }
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

#define DECLARE(field, symbol, parameters) int symbol parameters;
CUDA_DRIVER_FUNCTIONS(DECLARE)

static cuda_pointer memory;
static cuda_stream streams[2];
static cuda_event event;
static float *pinned;

/* Uploads on one stream and downloads on the other, which waits for the first or does not. */
static float pass_on(bool waits)
{
    pinned[0] = 5;
    assert_int_equal(cuMemcpyHtoDAsync_v2(memory, pinned, 64, streams[0]), 0);
    pinned[0] = 6; /* too early: the copy has not begun */
    assert_int_equal(cuEventRecord(event, streams[0]), 0);
    assert_int_equal(waits ? cuStreamWaitEvent(streams[1], event, 0) : 0, 0);
    assert_int_equal(cuMemcpyDtoHAsync_v2(pinned + 16, memory, 64, streams[1]), 0);
    assert_int_equal(cuStreamSynchronize(streams[1]), 0);
    float found = pinned[16];
    assert_int_equal(cuStreamSynchronize(streams[0]), 0);
    return found;
}

static void lazy_streams(void **state)
{
    (void)state;
    cuda_context context;
    void *host;
    assert_int_equal(cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) | cuCtxPushCurrent_v2(context), 0);
    assert_int_equal(cuMemAlloc_v2(&memory, 64), 0);
    assert_int_equal(cuMemHostAlloc(&host, 128, CUDA_HOST_PORTABLE), 0);
    pinned = host;
    assert_int_equal(cuEventCreate(&event, CUDA_EVENT_NO_TIMING), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cuStreamCreate(&streams[i], CUDA_STREAM_NON_BLOCKING), 0);
    assert_true(isnan(pass_on(false)));
    assert_true(pass_on(true) == 6);
    assert_int_equal(cuEventRecord(event, streams[0]), 0);
    assert_int_equal(cuEventQuery(event), CUDA_NOT_READY);
    assert_int_equal(cuEventQuery(event), CUDA_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cuStreamDestroy_v2(streams[i]), 0);
    assert_int_equal(cuEventDestroy_v2(event) | cuMemFreeHost(host) | cuMemFree_v2(memory), 0);
    assert_int_equal(cuCtxPopCurrent_v2(NULL) | cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_null(emulator.first_difference(emulator.counts(), (struct emulator_counts){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers), cmocka_unit_test(warps),        cmocka_unit_test(mistakes),
        cmocka_unit_test(halves),   cmocka_unit_test(lazy_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
