/* The GPU's stopwatch: a job recorded many times between two timestamps. */
#include "gpu.h"

#include "../clock.h"

/* What a reading is to last at least, and the most repeats for it. */
static const double LEAST = 1e-3;
enum { REPEATS_MAX = 64 };

/* Clocks of an idle GPU rise within a tenth of a second of work. */
static const double WARM_UP = 0.15;

/* Whatever came before is over, and the next may read it and write over it. */
static void barrier(const struct gpu *gpu)
{
    const VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };
    gpu->f.CmdPipelineBarrier(gpu->job, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static bool record(struct gpu_job *job, int repeats)
{
    struct gpu *gpu = job->gpu;
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    job->repeats = 0;
    if (!gpu_ok(gpu, gpu->f.BeginCommandBuffer(gpu->job, &begin), "recording"))
        return false;
    gpu->f.CmdResetQueryPool(gpu->job, gpu->stamps, 0, 2);
    barrier(gpu);
    gpu->f.CmdWriteTimestamp(gpu->job, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, gpu->stamps, 0);
    for (int i = 0; i < repeats; i++) {
        if (!job->record(job->user, gpu->job, i))
            return false;
        barrier(gpu);
    }
    gpu->f.CmdWriteTimestamp(gpu->job, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, gpu->stamps, 1);
    job->repeats = repeats;
    return gpu_ok(gpu, gpu->f.EndCommandBuffer(gpu->job), "recording");
}

static bool submit(struct gpu *gpu)
{
    const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &gpu->job };
    return gpu_ok(gpu, gpu->f.ResetFences(gpu->device, 1, &gpu->fence), "resetting a fence") &&
           gpu_ok(gpu, gpu->f.QueueSubmit(gpu->queue, 1, &info, gpu->fence), "submitting") &&
           gpu_ok(gpu, gpu->f.WaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX), "waiting");
}

/* Between the timestamps, over the repeats. */
static bool read_clock(const struct gpu_job *job, double *seconds)
{
    struct gpu *gpu = job->gpu;
    uint64_t stamps[2], mask = gpu->stamp_bits < 64 ? ((uint64_t)1 << gpu->stamp_bits) - 1 : UINT64_MAX;
    VkResult result = gpu->f.GetQueryPoolResults(gpu->device, gpu->stamps, 0, 2, sizeof stamps, stamps,
                                                 sizeof stamps[0],
                                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    double tick = 1e-9 * (double)gpu->properties.limits.timestampPeriod;
    *seconds = (double)((stamps[1] - stamps[0]) & mask) * tick / job->repeats;
    return gpu_ok(gpu, result, "reading the GPU's clock");
}

void gpu_job_forget(struct gpu_job *job)
{
    job->repeats = 0;
    job->warm = false;
}

bool gpu_job_run(struct gpu_job *job)
{
    return (job->repeats || record(job, 1)) && submit(job->gpu);
}

static bool warm_up(struct gpu_job *job)
{
    double start = seconds_now(), one = 0;
    do {
        if (!gpu_job_run(job) || !read_clock(job, &one))
            return false;
    } while (seconds_now() - start < WARM_UP);
    double repeats = one > 0 ? LEAST / one + 1 : REPEATS_MAX;
    job->warm = true;
    return record(job, repeats < REPEATS_MAX ? (int)repeats : REPEATS_MAX) && submit(job->gpu);
}

bool gpu_job_time(struct gpu_job *job, double *seconds)
{
    return (job->warm || warm_up(job)) && submit(job->gpu) && read_clock(job, seconds);
}
