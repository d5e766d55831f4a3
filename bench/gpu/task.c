/* Times a task by the GPU's clock: records it many times between two timestamps. */
#include "gpu.h"

#include "../clock.h"

/* Seconds that a timing lasts at least, and the most repetitions for it. */
static const double TIMING_MIN = 1e-3;
enum { REPEATS_MAX = 64 };

/* The clock frequencies of an idle GPU rise within a tenth of a second of work. */
static const double WARM_UP = 0.15;

/* Waits for all earlier commands, so that later ones may read and overwrite their results. */
static void record_barrier(const struct gpu *gpu)
{
    const VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };
    gpu->f.CmdPipelineBarrier(gpu->task_commands,
                              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static bool record_task(struct gpu_task *task, int repeats)
{
    struct gpu *gpu = task->gpu;
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    task->repeats = 0;
    if (!gpu_ok(gpu, gpu->f.BeginCommandBuffer(gpu->task_commands, &begin), "recording commands"))
        return false;
    gpu->f.CmdResetQueryPool(gpu->task_commands, gpu->stamps, 0, 2);
    record_barrier(gpu);
    gpu->f.CmdWriteTimestamp(gpu->task_commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, gpu->stamps, 0);
    for (int i = 0; i < repeats; i++) {
        if (!task->record(task->user, gpu->task_commands, i))
            return false;
        record_barrier(gpu);
    }
    gpu->f.CmdWriteTimestamp(gpu->task_commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, gpu->stamps, 1);
    task->repeats = repeats;
    return gpu_ok(gpu, gpu->f.EndCommandBuffer(gpu->task_commands), "recording commands");
}

static bool submit_task(struct gpu *gpu)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &gpu->task_commands };
    return gpu_ok(gpu, gpu->f.ResetFences(gpu->device, 1, &gpu->fence), "resetting a fence") &&
           gpu_ok(gpu, gpu->f.QueueSubmit(gpu->queue, 1, &info, gpu->fence), "submitting commands") &&
           gpu_ok(gpu, gpu->f.WaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX),
                  "waiting for the GPU");
}

/* The time between the timestamps, divided by the number of repetitions. */
static bool read_clock(const struct gpu_task *task, double *seconds)
{
    struct gpu *gpu = task->gpu;
    uint64_t stamps[2], mask = gpu->stamp_bits < 64 ? ((uint64_t)1 << gpu->stamp_bits) - 1 : UINT64_MAX;
    VkResult result = gpu->f.GetQueryPoolResults(gpu->device, gpu->stamps, 0, 2, sizeof stamps, stamps,
                                                 sizeof stamps[0],
                                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    double tick = 1e-9 * (double)gpu->properties.limits.timestampPeriod;
    *seconds = (double)((stamps[1] - stamps[0]) & mask) * tick / task->repeats;
    return gpu_ok(gpu, result, "reading the GPU's clock");
}

void gpu_task_reset(struct gpu_task *task)
{
    task->repeats = 0;
    task->warm = false;
}

bool gpu_task_run(struct gpu_task *task)
{
    return (task->repeats || record_task(task, 1)) && submit_task(task->gpu);
}

static bool warm_up_task(struct gpu_task *task)
{
    double start = seconds_now(), one = 0;
    do {
        if (!gpu_task_run(task) || !read_clock(task, &one))
            return false;
    } while (seconds_now() - start < WARM_UP);
    double repeats = one > 0 ? TIMING_MIN / one + 1 : REPEATS_MAX;
    task->warm = true;
    return record_task(task, repeats < REPEATS_MAX ? (int)repeats : REPEATS_MAX) && submit_task(task->gpu);
}

bool gpu_task_time(struct gpu_task *task, double *seconds)
{
    return (task->warm || warm_up_task(task)) && submit_task(task->gpu) && read_clock(task, seconds);
}
