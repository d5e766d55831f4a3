/* VkFFT's fused convolution of four planes, as in its authors' sample: rows, columns
 * with the product between forward and inverse transform, rows. VkFFT transforms one
 * kernel per plane. The host splits pixels into planes and joins them. This is a
 * module because of the libraries that VkFFT links to compile its shaders. */
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>

/* VkFFT 1.2.26 initialises glslang's limits by position, from an older version that had fewer of them. This
 * type accepts that list; its address is that of glslang's default limits. */
struct vkfft_resource {
    int values[93];
    glslang_limits_t limits;

    const glslang_resource_t *operator&() const
    {
        return glslang_default_resource();
    }
};

#define VKFFT_BACKEND 0
#define glslang_resource_t vkfft_resource
#include <vkFFT.h>
#undef glslang_resource_t

#include "../gpu/gpu.h"
#include "peer.h"

#include <vector>

namespace
{

const size_t PLANES = 4;

struct State {
    struct gpu gpu;
    int width, height;
    size_t pixels;
    uint64_t plane_bytes, spectrum_bytes;
    /* The result replaces the spectrum; its rows are two floats longer than those of the picture. */
    struct gpu_buffer from, spectrum, kernel;
    VkFFTApplication application;
    bool compiled;
    const float *source;
    float *result;
    struct gpu_task task;
};

void destroy_vkfft(void *opaque)
{
    State *state = static_cast<State *>(opaque);
    if (state->compiled)
        deleteVkFFT(&state->application);
    gpu_buffer_destroy(&state->gpu, &state->kernel);
    gpu_buffer_destroy(&state->gpu, &state->spectrum);
    gpu_buffer_destroy(&state->gpu, &state->from);
    gpu_close(&state->gpu);
    free(state);
}

bool ok(State *state, VkFFTResult result, const char *what)
{
    if (result)
        snprintf(state->gpu.problem, sizeof state->gpu.problem, "%s failed with %d", what, (int)result);
    return !result;
}

/* ---- The kernel ---------------------------------------------------------------------------------------- */

VkFFTConfiguration configure(State *state)
{
    VkFFTConfiguration configuration = {};
    configuration.FFTdim = 2;
    configuration.size[0] = (uint64_t)state->width;
    configuration.size[1] = (uint64_t)state->height;
    configuration.size[2] = 1;
    configuration.physicalDevice = &state->gpu.adapter;
    configuration.device = &state->gpu.device;
    configuration.queue = &state->gpu.queue;
    configuration.commandPool = &state->gpu.pool;
    configuration.fence = &state->gpu.fence;
    configuration.performR2C = 1;
    configuration.coordinateFeatures = PLANES;
    return configuration;
}

int wrap_index(int index, int length)
{
    index %= length;
    return index < 0 ? index + length : index;
}

/* Centres the kernel on the first pixel of each plane. Rows
 * are two floats longer than those of the picture. */
bool upload_kernel(State *state, const abbe_matrix *taps)
{
    size_t pitch = (size_t)state->width + 2, plane = pitch * (size_t)state->height;
    std::vector<float> values(PLANES * plane, 0.0f);
    for (int j = 0; j < taps->height; j++)
        for (int i = 0; i < taps->width; i++) {
            int x = wrap_index(i - taps->width / 2, state->width),
                y = wrap_index(j - taps->height / 2, state->height);
            double tap = taps->values[(size_t)j * (size_t)taps->width + (size_t)i];
            for (size_t p = 0; p < PLANES; p++)
                values[p * plane + (size_t)y * pitch + (size_t)x] += (float)tap;
        }
    return gpu_upload(&state->gpu, &state->kernel, values.data());
}

bool append_transform(void *user, VkCommandBuffer commands, int repeat)
{
    State *state = static_cast<State *>(user);
    VkFFTLaunchParams launch = {};
    launch.commandBuffer = &commands;
    (void)repeat;
    return ok(state, VkFFTAppend(&state->application, -1, &launch), "VkFFTAppend");
}

/* Transforms the kernel in place, into the order in which the convolution visits the frequencies. */
bool transform_kernel(State *state)
{
    gpu_task task = { &state->gpu, append_transform, state, 0, false };
    VkFFTConfiguration configuration = configure(state);
    configuration.kernelConvolution = 1;
    configuration.buffer = &state->kernel.buffer;
    configuration.bufferSize = &state->spectrum_bytes;
    if (!ok(state, initializeVkFFT(&state->application, configuration), "initializeVkFFT"))
        return false;
    bool done = gpu_task_run(&task);
    deleteVkFFT(&state->application);
    state->application = VkFFTApplication();
    return done;
}

bool compile(State *state)
{
    VkFFTConfiguration configuration = configure(state);
    configuration.performConvolution = 1;
    configuration.normalize = 1;
    configuration.buffer = &state->spectrum.buffer;
    configuration.bufferSize = &state->spectrum_bytes;
    configuration.kernel = &state->kernel.buffer;
    configuration.kernelSize = &state->spectrum_bytes;
    configuration.isInputFormatted = 1;
    configuration.inputBuffer = &state->from.buffer;
    configuration.inputBufferSize = &state->plane_bytes;
    configuration.inputBufferStride[0] = (uint64_t)state->width;
    state->compiled = ok(state, initializeVkFFT(&state->application, configuration), "initializeVkFFT");
    return state->compiled;
}

/* ---- The peer ------------------------------------------------------------------------------------------ */

bool upload(State *state)
{
    std::vector<float> planes(PLANES * state->pixels);
    for (size_t i = 0; i < state->pixels; i++)
        for (size_t p = 0; p < PLANES; p++)
            planes[p * state->pixels + i] = state->source[PLANES * i + p];
    return gpu_upload(&state->gpu, &state->from, planes.data());
}

bool download(State *state)
{
    size_t width = (size_t)state->width, pitch = width + 2;
    std::vector<float> planes(state->spectrum_bytes / sizeof(float));
    if (!gpu_download(&state->gpu, &state->spectrum, planes.data()))
        return false;
    for (size_t y = 0; y < (size_t)state->height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t p = 0; p < PLANES; p++)
                state->result[PLANES * (y * width + x) + p] =
                    planes[(p * (size_t)state->height + y) * pitch + x];
    return true;
}

bool open_state(State *state, const peer_work *work)
{
    return gpu_open(&state->gpu, work->device) &&
           gpu_buffer_create(&state->gpu, state->plane_bytes, &state->from) &&
           gpu_buffer_create(&state->gpu, state->spectrum_bytes, &state->spectrum) &&
           gpu_buffer_create(&state->gpu, state->spectrum_bytes, &state->kernel) &&
           upload_kernel(state, work->taps) && transform_kernel(state) && upload(state) && compile(state) &&
           gpu_task_run(&state->task);
}

bool prepare_vkfft(const peer_work *work, void **out, peer_note *note)
{
    State *state = static_cast<State *>(calloc(1, sizeof(State)));
    if (!state) {
        snprintf(note->problem, sizeof note->problem, "out of memory");
        return false;
    }
    state->width = work->source->width;
    state->height = work->source->height;
    state->pixels = (size_t)state->width * (size_t)state->height;
    state->plane_bytes = PLANES * state->pixels * sizeof(float);
    state->spectrum_bytes = PLANES * ((uint64_t)state->width + 2) * (uint64_t)state->height * sizeof(float);
    state->source = static_cast<const float *>(work->source->data);
    state->result = static_cast<float *>(work->result->data);
    state->task = { &state->gpu, append_transform, state, 0, false };
    if (!open_state(state, work)) {
        snprintf(note->problem, sizeof note->problem, "%s", state->gpu.problem);
        destroy_vkfft(state);
        return false;
    }
    snprintf(note->detail, sizeof note->detail, "four planes");
    *out = state;
    return true;
}

const char *run_vkfft(void *opaque)
{
    State *state = static_cast<State *>(opaque);
    return gpu_task_run(&state->task) && download(state) ? nullptr : state->gpu.problem;
}

const char *time_vkfft(void *opaque, double *seconds)
{
    State *state = static_cast<State *>(opaque);
    return gpu_task_time(&state->task, seconds) ? nullptr : state->gpu.problem;
}

} // namespace

extern "C" {
extern const peer abbe_bench_peer;
const peer abbe_bench_peer = { "VkFFT",       nullptr,    nullptr, nullptr, prepare_vkfft, run_vkfft,
                               destroy_vkfft, time_vkfft, true,    false,   false,         0,
                               nullptr,       nullptr };
}
