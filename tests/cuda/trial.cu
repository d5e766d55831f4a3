/* Kernels with and without mistakes, by which test_emulator.c tests the emulator. All reverse the samples of
 * their block; the kernel itself is what the parameters name, so that one signature serves all. */
extern __shared__ float4 abcu_shared[];

struct trial {
    const float *from;
    float *to;
    int mistake;
};

enum { RIGHT, NO_BARRIER, NO_WARP_BARRIER, NO_WAIT, BEYOND, ENDS_EARLY, TWO_BARRIERS };

extern "C" __global__ void trial_reverse(const struct trial __grid_constant__ trial)
{
    float *shared = (float *)abcu_shared;
    int count = blockDim.x, index = threadIdx.x;
    size_t first = (size_t)blockIdx.x * count;
    if (trial.mistake == BEYOND && index == 7)
        shared[count] = 1;
    emulated_copy_async(&shared[index], &trial.from[first + index], sizeof(float));
    emulated_commit();
    if (trial.mistake != NO_WAIT)
        emulated_wait(0);
    if (trial.mistake == ENDS_EARLY && index == 7)
        return;
    if (trial.mistake == TWO_BARRIERS && index < 32)
        __syncwarp();
    else if (trial.mistake != NO_BARRIER)
        __syncthreads();
    trial.to[first + index] = shared[count - 1 - index];
    if (trial.mistake == NO_WAIT)
        emulated_wait(0);
}

/* Neighbours of a warp exchange their samples. */
extern "C" __global__ void trial_exchange(const struct trial __grid_constant__ trial)
{
    float *shared = (float *)abcu_shared;
    int index = threadIdx.x;
    shared[index] = trial.from[index];
    if (trial.mistake != NO_WARP_BARRIER)
        __syncwarp();
    trial.to[index] = shared[index ^ 1];
}
