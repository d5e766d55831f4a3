/* cuFFT in its usual form: four planes at once, real to complex, times H, complex to real. H is real, because
 * the kernel is symmetric, and includes 1/(M·N). Only these three steps are timed; the host splits pixels
 * into planes and joins them. This is a module, so that the benchmark starts on machines without CUDA. */
#include "peer.h"

#include <cuda_runtime.h>
#include <cufft.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

enum { PLANES = 4, THREADS = 256, REPEATS_MAX = 64 };

/* As for Vulkan: seconds that a timing lasts at least, and in which clock frequencies rise. */
const double TIMING_MIN = 1e-3, WARM_UP = 0.15;

struct State {
    int width, height;
    size_t pixels, frequencies;
    const float *source;
    float *result;
    float *from, *to; /* four planes each */
    cufftComplex *spectrum;
    float *gains;
    cufftHandle forward, inverse;
    bool planned_forward, planned_inverse;
    cudaStream_t stream;
    cudaEvent_t start, end;
    cudaGraphExec_t graph; /* of `repeats` runs */
    int repeats;
    bool warm;
    char problem[PEER_PROBLEM];
};

bool ok(State *state, cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        snprintf(state->problem, sizeof state->problem, "%s: %s", what, cudaGetErrorString(error));
    return error == cudaSuccess;
}

bool ok(State *state, cufftResult result, const char *what)
{
    if (result != CUFFT_SUCCESS)
        snprintf(state->problem, sizeof state->problem, "%s failed with %d", what, (int)result);
    return result == CUFFT_SUCCESS;
}

/* Multiplies one frequency of all planes by its gain. */
__global__ void multiply(cufftComplex *spectrum, const float *gains, size_t frequencies)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frequencies)
        return;
    float gain = gains[i];
    for (int plane = 0; plane < PLANES; plane++) {
        cufftComplex value = spectrum[plane * frequencies + i];
        spectrum[plane * frequencies + i] = make_float2(value.x * gain, value.y * gain);
    }
}

void destroy_cufft(void *opaque)
{
    State *state = static_cast<State *>(opaque);
    if (state->graph)
        cudaGraphExecDestroy(state->graph);
    if (state->planned_forward)
        cufftDestroy(state->forward);
    if (state->planned_inverse)
        cufftDestroy(state->inverse);
    if (state->start)
        cudaEventDestroy(state->start);
    if (state->end)
        cudaEventDestroy(state->end);
    if (state->stream)
        cudaStreamDestroy(state->stream);
    cudaFree(state->gains);
    cudaFree(state->spectrum);
    cudaFree(state->to);
    cudaFree(state->from);
    free(state);
}

/* ---- Preparing ----------------------------------------------------------------------------------------- */

bool allocate(State *state)
{
    size_t planes = PLANES * state->pixels * sizeof(float);
    size_t spectra = PLANES * state->frequencies * sizeof(cufftComplex);
    return ok(state, cudaSetDevice(0), "CUDA device 0") &&
           ok(state, cudaMalloc(&state->from, planes), "allocating memory") &&
           ok(state, cudaMalloc(&state->to, planes), "allocating memory") &&
           ok(state, cudaMalloc(&state->spectrum, spectra), "allocating memory") &&
           ok(state, cudaMalloc(&state->gains, state->frequencies * sizeof(float)), "allocating memory") &&
           ok(state, cudaStreamCreate(&state->stream), "creating a stream") &&
           ok(state, cudaEventCreate(&state->start), "an event of the clock") &&
           ok(state, cudaEventCreate(&state->end), "an event of the clock");
}

bool plan_transforms(State *state)
{
    int size[2] = { state->height, state->width };
    state->planned_forward = ok(
        state, cufftPlanMany(&state->forward, 2, size, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, PLANES),
        "cufftPlanMany");
    state->planned_inverse = state->planned_forward && ok(state,
                                                          cufftPlanMany(&state->inverse, 2, size, nullptr, 1,
                                                                        0, nullptr, 1, 0, CUFFT_C2R, PLANES),
                                                          "cufftPlanMany");
    return state->planned_inverse &&
           ok(state, cufftSetStream(state->forward, state->stream), "cufftSetStream") &&
           ok(state, cufftSetStream(state->inverse, state->stream), "cufftSetStream");
}

int wrap_index(int index, int length)
{
    index %= length;
    return index < 0 ? index + length : index;
}

/* A plane with the kernel centred on the first pixel. */
std::vector<float> place_kernel(const State *state, const abbe_matrix *taps)
{
    std::vector<float> plane(state->pixels, 0.0f);
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int x = wrap_index(i - taps->width / 2, state->width),
                y = wrap_index(j - taps->height / 2, state->height);
            plane[(size_t)y * state->width + x] += (float)taps->values[(size_t)j * taps->width + i];
        }
    return plane;
}

bool write_gains(State *state, const abbe_matrix *taps)
{
    std::vector<float> plane = place_kernel(state, taps);
    std::vector<cufftComplex> spectrum(state->frequencies);
    std::vector<float> gains(state->frequencies);
    size_t bytes = state->frequencies * sizeof(float);
    bool fine =
        ok(state, cudaMemset(state->from, 0, PLANES * state->pixels * sizeof(float)), "clearing memory") &&
        ok(state, cudaMemcpy(state->from, plane.data(), state->pixels * sizeof(float), cudaMemcpyDefault),
           "copying") &&
        ok(state, cudaDeviceSynchronize(), "copying") &&
        ok(state, cufftExecR2C(state->forward, state->from, state->spectrum), "cufftExecR2C") &&
        ok(state, cudaStreamSynchronize(state->stream), "cufftExecR2C") &&
        ok(state, cudaMemcpy(spectrum.data(), state->spectrum, 2 * bytes, cudaMemcpyDefault), "copying");
    for (size_t i = 0; i < state->frequencies && fine; i++)
        gains[i] = spectrum[i].x / (float)state->pixels;
    return fine && ok(state, cudaMemcpy(state->gains, gains.data(), bytes, cudaMemcpyDefault), "copying");
}

bool upload(State *state)
{
    std::vector<float> planes(PLANES * state->pixels);
    for (size_t i = 0; i < state->pixels; i++)
        for (size_t plane = 0; plane < PLANES; plane++)
            planes[plane * state->pixels + i] = state->source[PLANES * i + plane];
    return ok(state, cudaMemcpy(state->from, planes.data(), planes.size() * sizeof(float), cudaMemcpyDefault),
              "copying") &&
           ok(state, cudaDeviceSynchronize(), "copying");
}

/* ---- Running ------------------------------------------------------------------------------------------- */

bool filter(State *state)
{
    unsigned blocks = (unsigned)((state->frequencies + THREADS - 1) / THREADS);
    if (!ok(state, cufftExecR2C(state->forward, state->from, state->spectrum), "cufftExecR2C"))
        return false;
    multiply<<<blocks, THREADS, 0, state->stream>>>(state->spectrum, state->gains, state->frequencies);
    return ok(state, cudaGetLastError(), "the multiplication") &&
           ok(state, cufftExecC2R(state->inverse, state->spectrum, state->to), "cufftExecC2R");
}

/* Makes a graph of `repeats` runs. Launched one by one, small ones would wait for the host. */
bool capture(State *state, int repeats)
{
    cudaGraph_t graph = nullptr;
    bool fine = ok(state, cudaStreamBeginCapture(state->stream, cudaStreamCaptureModeRelaxed), "capturing");
    for (int i = 0; i < repeats && fine; i++)
        fine = filter(state);
    cudaError_t ended = cudaStreamEndCapture(state->stream, &graph);
    fine = fine && ok(state, ended, "capturing");
    if (state->graph)
        cudaGraphExecDestroy(state->graph);
    state->graph = nullptr;
    fine = fine && ok(state, cudaGraphInstantiate(&state->graph, graph, 0), "making a graph");
    if (graph)
        cudaGraphDestroy(graph);
    state->repeats = fine ? repeats : 0;
    return fine;
}

const char *run_cufft(void *opaque)
{
    State *state = static_cast<State *>(opaque);
    std::vector<float> planes(PLANES * state->pixels);
    bool fine = filter(state) && ok(state, cudaStreamSynchronize(state->stream), "filtering") &&
                ok(state,
                   cudaMemcpy(planes.data(), state->to, planes.size() * sizeof(float), cudaMemcpyDefault),
                   "copying");
    for (size_t i = 0; i < state->pixels && fine; i++)
        for (size_t plane = 0; plane < PLANES; plane++)
            state->result[PLANES * i + plane] = planes[plane * state->pixels + i];
    return fine ? nullptr : state->problem;
}

bool launch(State *state, double *seconds)
{
    float milliseconds = 0;
    bool fine = ok(state, cudaEventRecord(state->start, state->stream), "an event of the clock") &&
                ok(state, cudaGraphLaunch(state->graph, state->stream), "launching a graph") &&
                ok(state, cudaEventRecord(state->end, state->stream), "an event of the clock") &&
                ok(state, cudaEventSynchronize(state->end), "filtering") &&
                ok(state, cudaEventElapsedTime(&milliseconds, state->start, state->end), "the clock");
    *seconds = 1e-3 * milliseconds / (state->repeats ? state->repeats : 1);
    return fine;
}

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool warm_up(State *state)
{
    double start = now(), one = 0;
    if (!capture(state, 8))
        return false;
    do {
        if (!launch(state, &one))
            return false;
    } while (now() - start < WARM_UP);
    double repeats = one > 0 ? TIMING_MIN / one + 1 : (double)REPEATS_MAX;
    state->warm = true;
    return capture(state, repeats < REPEATS_MAX ? (int)repeats : REPEATS_MAX) && launch(state, &one);
}

const char *time_cufft(void *opaque, double *seconds)
{
    State *state = static_cast<State *>(opaque);
    bool fine = (state->warm || warm_up(state)) && launch(state, seconds);
    return fine ? nullptr : state->problem;
}

/* Runs once directly, so that everything is loaded, and once
 * as a graph. If either fails, cuFFT does not take part. */
bool try_run(State *state)
{
    double one = 0;
    return filter(state) && ok(state, cudaStreamSynchronize(state->stream), "filtering") &&
           capture(state, 1) && launch(state, &one);
}

bool prepare_cufft(const peer_work *work, void **out, peer_note *note)
{
    State *state = static_cast<State *>(calloc(1, sizeof *state));
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->width = work->source->width;
    state->height = work->source->height;
    state->pixels = (size_t)state->width * state->height;
    state->frequencies = (size_t)(state->width / 2 + 1) * state->height;
    state->source = static_cast<const float *>(work->source->data);
    state->result = static_cast<float *>(work->result->data);
    if (!allocate(state) || !plan_transforms(state) || !write_gains(state, work->taps) || !upload(state) ||
        !try_run(state)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->problem);
        destroy_cufft(state);
        return false;
    }
    snprintf(note->detail, sizeof note->detail, "four planes");
    *out = state;
    return true;
}

} // namespace

extern "C" {
extern const peer abbe_bench_peer;
const peer abbe_bench_peer = { "cuFFT",       nullptr,    nullptr, nullptr, prepare_cufft, run_cufft,
                               destroy_cufft, time_cufft, true,    false,   false,         0,
                               nullptr,       nullptr };
}
