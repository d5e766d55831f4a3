/* OpenCV's filter2D and GaussianBlur, on the same number of threads as the other contenders. */
#include "peer.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <memory>

namespace
{

struct State {
    cv::Mat source, result, kernel; /* source and result are views of the pictures of the work */
    int border;
    bool gaussian;
    double sigma;
    int side;
};

void write_opencv_version(char *text, size_t size)
{
    snprintf(text, size, "%s", CV_VERSION);
}

/* OpenCV's name of a border, or −1: its filters do not support wrap, and their constant border is zero. */
int find_border(const bench_case *what)
{
    switch (what->border) {
    case ABBE_BORDER_REFLECT: return cv::BORDER_REFLECT;
    case ABBE_BORDER_MIRROR: return cv::BORDER_REFLECT_101;
    case ABBE_BORDER_CLAMP: return cv::BORDER_REPLICATE;
    case ABBE_BORDER_ZERO: return cv::BORDER_CONSTANT;
    case ABBE_BORDER_CONSTANT:
    case ABBE_BORDER_WRAP: break;
    }
    return -1;
}

bool suits_opencv(const bench_case *what)
{
    bool known_type = what->type == ABBE_F32 || what->type == ABBE_U8;
    return known_type && what->channels <= 4 && find_border(what) >= 0 && !what->every_method &&
           (what->kernel == KERNEL_GAUSSIAN || what->kernel == KERNEL_RANDOM);
}

cv::Mat view_image(const abbe_image *image)
{
    int depth = image->type == ABBE_U8 ? CV_8U : CV_32F;
    return cv::Mat(image->height, image->width, CV_MAKETYPE(depth, image->channels), image->data,
                   static_cast<size_t>(image->stride));
}

/* filter2D correlates; with the taps rotated by 180 degrees it convolves. */
cv::Mat rotate_taps(const abbe_matrix *taps)
{
    cv::Mat kernel(taps->height, taps->width, CV_32F);
    for (int y = 0; y < taps->height; y++)
        for (int x = 0; x < taps->width; x++) {
            size_t last = static_cast<size_t>(taps->width) * static_cast<size_t>(taps->height) - 1;
            size_t index = static_cast<size_t>(y) * static_cast<size_t>(taps->width) + static_cast<size_t>(x);
            kernel.at<float>(y, x) = static_cast<float>(taps->values[last - index]);
        }
    return kernel;
}

bool prepare_opencv(const peer_work *work, void **out, peer_note *note)
{
    try {
        auto state = std::make_unique<State>();
        cv::setNumThreads(work->threads);
        state->source = view_image(work->source);
        state->result = view_image(work->result);
        state->border = find_border(work->what);
        state->gaussian = work->what->kernel == KERNEL_GAUSSIAN;
        state->sigma = work->what->sigma;
        state->side = work->what->side;
        if (!state->gaussian)
            state->kernel = rotate_taps(work->taps);
        snprintf(note->detail, sizeof note->detail, "%s", state->gaussian ? "GaussianBlur" : "filter2D");
        *out = state.release();
        return true;
    } catch (const std::exception &error) {
        snprintf(note->problem, sizeof note->problem, "%s", error.what());
        return false;
    }
}

const char *run_opencv(void *opaque)
{
    auto *state = static_cast<State *>(opaque);
    try {
        if (state->gaussian)
            cv::GaussianBlur(state->source, state->result, cv::Size(state->side, state->side), state->sigma,
                             state->sigma, state->border);
        else
            cv::filter2D(state->source, state->result, -1, state->kernel, cv::Point(-1, -1), 0,
                         state->border);
        return nullptr;
    } catch (const std::exception &) {
        return "OpenCV threw an exception";
    }
}

void destroy_opencv(void *opaque)
{
    delete static_cast<State *>(opaque);
}

} // namespace

extern const peer peer_opencv = { "OpenCV",       nullptr,        write_opencv_version,
                                  suits_opencv,   prepare_opencv, run_opencv,
                                  destroy_opencv, nullptr,        false,
                                  false,          false,          0,
                                  nullptr,         nullptr };
