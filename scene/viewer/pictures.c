/* Filters the viewer's source into its result, on any device. */
#include "pictures.h"

#include "../gl.h"

#include <adopt.h>
#include <stdio.h>
#include <stdlib.h>

static void close_device(struct pictures *pictures)
{
    abbe_plan_destroy(&pictures->plan);
    abbe_device_close(&pictures->device);
    pictures->on_gpu = false;
}

static void destroy_textures(struct pictures *pictures)
{
    scene_picture_destroy(pictures->gl, &pictures->drawn);
    scene_picture_destroy(pictures->gl, &pictures->filtered);
}

/* The devices stay at hand, but not the plan and the textures, which have the shape of the picture. */
static void free_values(struct pictures *pictures)
{
    close_device(pictures);
    if (pictures->gl)
        destroy_textures(pictures);
    pyramid_free(&pictures->source_levels);
    pyramid_free(&pictures->result_levels);
    magnitudes_free(&pictures->spectrum);
    free(pictures->source);
    free(pictures->result);
    pictures->source = pictures->result = NULL;
}

bool pictures_take(struct pictures *pictures, int width, int height, int channels, enum samples samples,
                   float *values)
{
    size_t count = (size_t)width * (size_t)height * (size_t)channels;
    if (!values)
        values = calloc(count, sizeof *values);
    if (!values)
        return false;
    free_values(pictures);
    pictures->width = width;
    pictures->height = height;
    pictures->channels = channels;
    pictures->samples = samples;
    pictures->source = values;
    pictures->source_is_old = false;
    pictures->error[0] = '\0';
    pyramid_begin(&pictures->source_levels, samples, width, height, channels, values);
    return true;
}

void pictures_free(struct pictures *pictures)
{
    free_values(pictures);
    *pictures = (struct pictures){ 0 };
}

bool pictures_need_result(struct pictures *pictures)
{
    size_t count = (size_t)pictures->width * (size_t)pictures->height * (size_t)pictures->channels;
    if (!pictures->result)
        pictures->result = calloc(count, sizeof *pictures->result);
    pyramid_free(&pictures->result_levels);
    pyramid_begin(&pictures->result_levels, pictures->samples, pictures->width, pictures->height,
                  pictures->channels, pictures->result);
    return pictures->result != NULL;
}

static bool keep_error(struct pictures *pictures, const abbe_device *device)
{
    snprintf(pictures->error, sizeof pictures->error, "%s", abbe_error_text(device));
    return false;
}

/* ---- Textures ----------------------------------------------------------------------------------------- */

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

void pictures_read_source(struct pictures *pictures)
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

/* A device of its own lets a thread beside the window filter a large picture. */
bool pictures_open_device(struct pictures *pictures, const char *name, int threads, bool is_large)
{
    abbe_device_params params = { .threads = threads };
    abbe_device *device = NULL;
    bool may_share = pictures->functions && adopt_is_gl(name);
    if (is_large || !may_share)
        abbe_device_open(name, &params, &device);
    bool on_gpu = false;
    if (!device && may_share && create_textures(pictures)) {
        device = adopt_device(name, pictures->functions, threads);
        on_gpu = device != NULL;
    }
    if (!device && !is_large && may_share)
        abbe_device_open(name, &params, &device);
    if (!device)
        return keep_error(pictures, NULL);
    pictures->error[0] = '\0';
    pictures_read_source(pictures);
    close_device(pictures);
    pictures->device = device;
    pictures->on_gpu = on_gpu;
    if (on_gpu)
        upload_source(pictures);
    return true;
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

void pictures_plan(struct pictures *pictures, const struct recipe *recipe)
{
    abbe_plan *plan = NULL;
    pictures->error[0] = '\0';
    if (recipe_plan(recipe, pictures->device, pictures->width, pictures->height,
                    pictures->on_gpu ? 4 : pictures->channels, &plan)) {
        snprintf(pictures->error, sizeof pictures->error, "%s", abbe_last_error());
        return;
    }
    abbe_plan_destroy(&pictures->plan);
    pictures->plan = plan;
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
    bool ready = pictures->plan && (pictures->on_gpu || pictures_need_result(pictures));
    int error = ready ? run_plan(pictures) : ABBE_OK;
    if (error == ABBE_ERR_SIZE && pictures->on_gpu)
        pictures->on_gpu = false;
    else if (error)
        keep_error(pictures, pictures->device);
}

void pictures_read_result(struct pictures *pictures)
{
    if (pictures->on_gpu && pictures_need_result(pictures))
        download_picture(pictures, &pictures->filtered, pictures->result, pictures->error);
}

void pictures_spectrum(struct pictures *pictures, abbe_device *cpu)
{
    pictures_read_source(pictures);
    if (magnitudes_compute(&pictures->spectrum, cpu, pictures->width, pictures->height, pictures->channels,
                           pictures->source))
        keep_error(pictures, cpu);
}
