/* Draws rings with a CUDA kernel and filters them on the same stream: the picture stays in the GPU's memory,
 * and nothing waits between the kernel and the filter. Both are captured into one graph, as a program would
 * that filters many pictures.
 *
 *     stream [FILE]                         default: stream.png
 *
 * writes the rings and beside them what a low pass leaves of them. Needs no header of CUDA to build: cuda.c
 * finds the driver and NVRTC at run time. */
#include "cuda.h"
#include "png.h"

#include <abbe/cuda.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 512, BLOCK = 16 };

/* A zone plate: rings that become narrower towards the border of the picture. */
static const char source[] =
    "extern \"C\" __global__ void draw(unsigned char *picture, int side)\n"
    "{\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    float u = x - side / 2, v = y - side / 2;\n"
    "    if (x < side && y < side)\n"
    "        picture[y * side + x] = (unsigned char)(127.5f + 127.5f * cosf(1.5f * (u * u + v * v) / "
    "side));\n"
    "}\n";

struct rings {
    struct cuda cuda;
    unsigned long long pictures[2]; /* drawn, filtered: addresses of the GPU */
    abbe_device *device;
    abbe_filter *filter;
    abbe_plan *plan;
    abbe_cuda_slot *slot;
};

static bool abbe_ok(const struct rings *rings, int error, const char *what)
{
    if (error)
        fprintf(stderr, "stream: %s: %s\n", what, abbe_error_text(rings->device));
    return !error;
}

/* A device in the context that is current, and a slot for its one stream. */
static bool make_slot(struct rings *rings)
{
    if (!abbe_ok(rings, abbe_cuda_adopt(&(abbe_cuda_params){ 0 }, &rings->device), "adopting the context") ||
        !abbe_ok(rings, abbe_filter_parse("lowpass:cutoff=0.1", NULL, &rings->filter), "the filter"))
        return false;
    const abbe_filter *filters[] = { rings->filter };
    const abbe_plan_params params = { .width = SIDE,
                                      .height = SIDE,
                                      .channels = 1,
                                      .source_type = ABBE_U8,
                                      .result_type = ABBE_U8,
                                      .border = ABBE_BORDER_REFLECT,
                                      .filters = filters,
                                      .filter_count = 1 };
    return abbe_ok(rings, abbe_plan_create(rings->device, &params, &rings->plan), "the plan") &&
           abbe_ok(rings, abbe_cuda_slot_create(rings->plan, &rings->slot), "the slot");
}

static abbe_image view_of(unsigned long long address)
{
    return (abbe_image){
        .data = (void *)(uintptr_t)address, .width = SIDE, .height = SIDE, .channels = 1, .type = ABBE_U8
    };
}

/* Gives the stream the kernel and the filter behind it. */
static bool draw_and_filter(struct rings *rings)
{
    const abbe_image drawn = view_of(rings->pictures[0]), filtered = view_of(rings->pictures[1]);
    int side = SIDE;
    void *parameters[] = { &rings->pictures[0], &side };
    return cuda_launch(&rings->cuda, SIDE / BLOCK, BLOCK, parameters) &&
           abbe_ok(rings, abbe_cuda_filter(rings->slot, rings->cuda.stream, &drawn, &filtered), "filtering");
}

/* Downloads both pictures and writes them side by side. */
static bool save(struct rings *rings, const char *path)
{
    static uint8_t samples[2][SIDE][SIDE], pixels[SIDE][2 * SIDE][3];
    for (int i = 0; i < 2; i++)
        if (!cuda_download(&rings->cuda, samples[i], rings->pictures[i], sizeof samples[i]))
            return false;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < 2 * SIDE; x++)
            for (int c = 0; c < 3; c++)
                pixels[y][x][c] = samples[x / SIDE][y][x % SIDE];
    const char *problem = png_write(path, 2 * SIDE, SIDE, pixels[0][0]);
    if (problem)
        fprintf(stderr, "stream: %s: %s\n", path, problem);
    return !problem;
}

static bool run(struct rings *rings, const char *path)
{
    return cuda_open(&rings->cuda, source, "draw") &&
           cuda_allocate(&rings->cuda, SIDE * SIDE, &rings->pictures[0]) &&
           cuda_allocate(&rings->cuda, SIDE * SIDE, &rings->pictures[1]) && make_slot(rings) &&
           cuda_begin_graph(&rings->cuda) && draw_and_filter(rings) && cuda_run_graph(&rings->cuda) &&
           save(rings, path);
}

int main(int argc, char **argv)
{
    struct rings rings = { 0 };
    if (argc > 2) {
        fputs("usage: stream [FILE]\n", stderr);
        return EXIT_FAILURE;
    }
    bool done = run(&rings, argc > 1 ? argv[1] : "stream.png");
    abbe_cuda_slot_destroy(&rings.slot);
    abbe_plan_destroy(&rings.plan);
    abbe_filter_destroy(&rings.filter);
    abbe_device_close(&rings.device);
    cuda_close(&rings.cuda);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
