// Last step of results that were written as floats: pixels with more channels than a unit whose colours are
// divided by alpha. x counts pixels of a row, y rows.
#include "pixels.cuh"

ABCU_KERNEL(finish)
{
    const int x = (int)(blockIdx.x * ABCU_FINISH_THREADS + threadIdx.x), y = (int)blockIdx.y;
    if (x >= p.width)
        return;
    const float *pixel = p.wide + ((long long)y * p.width + x) * ABCU_CHANNELS;
    char *to = (char *)p.result + y * p.result_strides.row + x * p.result_strides.pixel;
    float alpha = ABCU_HAS(PREMULTIPLY) ? result_alpha(p, pixel[ABCU_CHANNELS - 1], x, y) : 1;
    for (int c = 0; c < ABCU_CHANNELS; c++)
        store_sample(to + c * p.result_strides.channel, finished(p, pixel[c], c, alpha), ABCU_RESULT_TYPE);
}
