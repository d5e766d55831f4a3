/* Filters the viewer's source into its result, on any device, and computes the magnitudes of its spectrum. */
#include "pictures.h"

#include "../gl.h"

#include <adopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool pictures_create(int width, int height, int channels, const abbe_filter *own, struct pictures *pictures)
{
    size_t pixels = (size_t)width * (size_t)height, samples = pixels * (size_t)channels;
    *pictures = (struct pictures){ .width = width, .height = height, .channels = channels, .own = own };
    pictures->source = calloc(samples, sizeof *pictures->source);
    pictures->result = calloc(samples, sizeof *pictures->result);
    pictures->plane = calloc(pixels, sizeof *pictures->plane);
    pictures->spectrum = calloc(2 * pixels, sizeof *pictures->spectrum);
    pictures->magnitudes = calloc(pixels, sizeof *pictures->magnitudes);
    return pictures->source && pictures->result && pictures->plane && pictures->spectrum &&
           pictures->magnitudes;
}

static void close_device(struct pictures *pictures)
{
    abbe_plan_destroy(&pictures->plan);
    abbe_device_close(&pictures->device);
    pictures->on_gpu = false;
}

void pictures_free(struct pictures *pictures)
{
    close_device(pictures);
    free(pictures->source);
    free(pictures->result);
    free(pictures->plane);
    free(pictures->spectrum);
    free(pictures->magnitudes);
    *pictures = (struct pictures){ 0 };
}

static bool keep_error(struct pictures *pictures, const abbe_device *device)
{
    snprintf(pictures->error, sizeof pictures->error, "%s", abbe_error_text(device));
    return false;
}

/* ---- Textures ----------------------------------------------------------------------------------------- */

static void destroy_textures(struct pictures *pictures)
{
    scene_picture_destroy(pictures->gl, &pictures->drawn);
    scene_picture_destroy(pictures->gl, &pictures->filtered);
}

static bool create_textures(struct pictures *pictures)
{
    char reason[SCENE_REASON];
    if (pictures->filtered.framebuffer)
        return true;
    if (scene_picture_create(pictures->gl, pictures->width, pictures->height, &pictures->drawn, reason) &&
        scene_picture_create(pictures->gl, pictures->width, pictures->height, &pictures->filtered, reason))
        return true;
    destroy_textures(pictures);
    return false;
}

/* Uploads row by row from the bottom, where OpenGL begins. A grey source becomes RGB. */
static void upload_source(const struct pictures *pictures)
{
    const struct scene_gl *gl = pictures->gl;
    size_t width = (size_t)pictures->width, channels = (size_t)pictures->channels;
    float *row = malloc(width * 4 * sizeof *row);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, pictures->drawn.texture);
    for (int y = 0; row && y < pictures->height; y++) {
        const float *from = pictures->source + (size_t)(pictures->height - 1 - y) * width * channels;
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < 4; c++)
                row[4 * x + c] = c == 3 ? 1 : from[x * channels + (channels == 1 ? 0 : c)];
        gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, y, pictures->width, 1, GL_RGBA, GL_FLOAT, row);
    }
    free(row);
}

/* Waits for the GPU, so that the viewer measures the time of the work. */
static bool draw_texture(const struct pictures *pictures, struct scene *scene,
                         const struct scene_params *params, char reason[SCENE_REASON])
{
    bool done = scene_render(scene, params, pictures->drawn.framebuffer, reason);
    pictures->gl->Finish();
    return done;
}

/* Waits, too. */
static int filter_texture(const struct pictures *pictures)
{
    int error = adopt_filter(pictures->plan, pictures->drawn.texture, pictures->filtered.texture);
    pictures->gl->Finish();
    return error;
}

static bool download_picture(const struct pictures *pictures, const struct scene_picture *picture,
                             float *values, char reason[SCENE_REASON])
{
    size_t pixels = (size_t)pictures->width * (size_t)pictures->height;
    if (pictures->channels == 3)
        return scene_picture_read(pictures->gl, picture, values, reason);
    float *rgb = malloc(3 * pixels * sizeof *rgb);
    bool done = rgb ? scene_picture_read(pictures->gl, picture, rgb, reason)
                    : scene_refuse(reason, "out of memory");
    for (size_t i = 0; done && i < pixels; i++)
        values[i] = rgb[3 * i];
    free(rgb);
    return done;
}

static void download_source(struct pictures *pictures)
{
    if (pictures->source_is_old &&
        !download_picture(pictures, &pictures->drawn, pictures->source, pictures->error))
        return;
    pictures->source_is_old = false;
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

void pictures_enter_window(struct pictures *pictures, scene_get_function functions, const struct scene_gl *gl)
{
    pictures->functions = functions;
    pictures->gl = gl;
}

void pictures_leave_window(struct pictures *pictures)
{
    close_device(pictures);
    if (pictures->gl)
        destroy_textures(pictures);
}

bool pictures_open_device(struct pictures *pictures, const char *name, int threads)
{
    bool shares = pictures->functions && adopt_is_gl(name) && create_textures(pictures);
    abbe_device *device = shares ? adopt_device(name, pictures->functions, threads) : NULL;
    bool on_gpu = device != NULL;
    if (!device && abbe_device_open(name, &(abbe_device_params){ .threads = threads }, &device))
        return keep_error(pictures, NULL);
    download_source(pictures);
    close_device(pictures);
    pictures->device = device;
    pictures->on_gpu = on_gpu;
    if (on_gpu)
        upload_source(pictures);
    return true;
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

static int filter_of_mask(const struct mask *mask, abbe_filter **filter)
{
    abbe_matrix matrix = { 0 };
    int error = abbe_matrix_create(mask->width, mask->height, &matrix);
    for (size_t i = 0; !error && i < (size_t)mask->width * (size_t)mask->height; i++)
        matrix.values[i] = (double)((float)mask->gains[i] /
                                    255.0f); /* the value that the command reads from a file */
    if (!error)
        error = abbe_filter_from_mask(&matrix, filter);
    abbe_matrix_free(&matrix);
    return error;
}

/* The mask comes first, because no filter may follow a gradient magnitude. */
static int filter_of_state(const struct pictures *pictures, const struct state *state,
                           const struct mask *mask, abbe_filter **filter)
{
    char text[FILTER_TEXT];
    abbe_filter *made = NULL, *painted = NULL;
    const abbe_filter *chain[2];
    size_t count = 0;
    int error = mask_is_open(mask) ? ABBE_OK : filter_of_mask(mask, &painted);
    if (painted)
        chain[count++] = painted;
    state_filter_text(state, text);
    if (!error && !state_filter_is_own(state))
        error = abbe_filter_parse(text, NULL, &made);
    chain[count++] = made ? made : pictures->own;
    if (!error)
        error = abbe_filter_chain(chain, count, filter);
    abbe_filter_destroy(&painted);
    abbe_filter_destroy(&made);
    return error;
}

void pictures_plan(struct pictures *pictures, const struct state *state, const struct mask *mask)
{
    abbe_filter *filter = NULL;
    abbe_plan *plan = NULL;
    pictures->error[0] = '\0';
    if (filter_of_state(pictures, state, mask, &filter)) {
        keep_error(pictures, NULL);
        return;
    }
    abbe_plan_params params = { .width = pictures->width,
                                .height = pictures->height,
                                .channels = pictures->on_gpu ? 4 : pictures->channels,
                                .source_type = ABBE_F32,
                                .result_type = ABBE_F32,
                                .filters = (const abbe_filter *const[]){ filter },
                                .filter_count = 1,
                                .border = state->border,
                                .border_value = state->border_value,
                                .nonfinite = ABBE_NONFINITE_ZERO,
                                .offset = state_offset(state) };
    if (abbe_plan_create(pictures->device, &params, &plan)) {
        keep_error(pictures, pictures->device);
    } else {
        abbe_plan_destroy(&pictures->plan);
        pictures->plan = plan;
    }
    abbe_filter_destroy(&filter);
}

abbe_image pictures_view(const struct pictures *pictures, float *values)
{
    ptrdiff_t stride = (ptrdiff_t)pictures->width * pictures->channels * (ptrdiff_t)sizeof *values;
    return (abbe_image){ .data = values,
                         .width = pictures->width,
                         .height = pictures->height,
                         .channels = pictures->channels,
                         .stride = stride,
                         .type = ABBE_F32 };
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

bool pictures_draw(struct pictures *pictures, struct scene *scene, const struct scene_params *params,
                   char reason[SCENE_REASON])
{
    pictures->source_is_old = pictures->on_gpu;
    return pictures->on_gpu ? draw_texture(pictures, scene, params, reason)
                            : scene_capture(scene, params, pictures->source, reason);
}

static int run_plan(struct pictures *pictures)
{
    abbe_image source = pictures_view(pictures, pictures->source),
               result = pictures_view(pictures, pictures->result);
    return pictures->on_gpu ? filter_texture(pictures) : abbe_run(pictures->plan, &source, &result);
}

void pictures_filter(struct pictures *pictures)
{
    int error = pictures->plan ? run_plan(pictures) : ABBE_OK;
    if (error == ABBE_ERR_SIZE && pictures->on_gpu)
        pictures->on_gpu = false;
    else if (error)
        keep_error(pictures, pictures->device);
}

void pictures_read_result(struct pictures *pictures)
{
    if (pictures->on_gpu)
        download_picture(pictures, &pictures->filtered, pictures->result, pictures->error);
}

/* ---- Spectra ------------------------------------------------------------------------------------------- */

/* Luminance is clipped to white, as on the screen: the spectrum
 * of highlights far brighter would cover everything. */
static void compute_luminance(struct pictures *pictures)
{
    const float weights[] = { 0.2126f, 0.7152f, 0.0722f };
    size_t pixels = (size_t)pictures->width * (size_t)pictures->height;
    const float *from = pictures->source;
    for (size_t i = 0; i < pixels; i++, from += pictures->channels) {
        float sum = pictures->channels == 1
                        ? from[0]
                        : weights[0] * from[0] + weights[1] * from[1] + weights[2] * from[2];
        pictures->plane[i] = sum < 1 ? sum : 1;
    }
}

/* Moves zero frequency from the first corner to the middle. */
static void compute_magnitudes(struct pictures *pictures)
{
    const float decades = 5;
    int w = pictures->width, h = pictures->height;
    float strongest = 1e-30f;
    for (size_t i = 1; i < (size_t)w * (size_t)h; i++)
        strongest = fmaxf(strongest, hypotf(pictures->spectrum[2 * i], pictures->spectrum[2 * i + 1]));
    for (int v = 0; v < h; v++)
        for (int u = 0; u < w; u++) {
            const float *at = pictures->spectrum + 2 * ((size_t)v * (size_t)w + (size_t)u);
            float square = (at[0] * at[0] + at[1] * at[1]) / (strongest * strongest);
            float level = 1 + 0.5f * log10f(square + 1e-20f) / decades;
            size_t row = (size_t)((v + h / 2) % h), column = (size_t)((u + w / 2) % w);
            pictures->magnitudes[row * (size_t)w + column] = (uint8_t)(255 * fminf(fmaxf(level, 0), 1));
        }
}

void pictures_spectrum(struct pictures *pictures)
{
    download_source(pictures);
    compute_luminance(pictures);
    abbe_image plane = pictures_view(pictures, pictures->plane);
    plane.channels = 1;
    plane.stride = (ptrdiff_t)pictures->width * (ptrdiff_t)sizeof *pictures->plane;
    if (abbe_spectrum_forward(pictures->device, &plane, &plane) ||
        abbe_spectrum_unpack(pictures->width, pictures->height, pictures->plane, pictures->spectrum)) {
        keep_error(pictures, pictures->device);
        return;
    }
    compute_magnitudes(pictures);
}
