/* What JavaScript needs beside the public functions, which the module exports as they are: structs that are
 * made from numbers, lists as JSON, callbacks, and the functions of OpenGL, which are imports. */
#include <abbe/abbe.h>
#include <abbe/gl.h>

#include "gl/functions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

/* JavaScript fills views as eight integers of 32 bits, and matrices as three. */
_Static_assert(sizeof(abbe_image) == 32 && sizeof(abbe_matrix) == 12, "index.js writes these structs");

/* ---- Functions of OpenGL ------------------------------------------------------------------------------ */

#define DECLARE(type, name) \
    extern __typeof__(gl##name) gl##name __attribute__((import_module("gl"), import_name(#name)));
ABGL_FUNCTIONS(DECLARE)
#undef DECLARE

/* A page has no environment, and libc's own would be fetched from the host. */
char *secure_getenv(const char *name);
char *secure_getenv(const char *name)
{
    (void)name;
    return NULL;
}

typedef void gl_function(void);

static gl_function *find_function(const char *name)
{
#define ENTRY(type, name) { "gl" #name, (gl_function *)gl##name },
    static const struct {
        const char *name;
        gl_function *function;
    } table[] = { ABGL_FUNCTIONS(ENTRY) };
#undef ENTRY
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].function;
    return NULL;
}

EXPORT(adopt) int web_adopt(const char *words, bool top_down, bool alone, abbe_device **device);
int web_adopt(const char *words, bool top_down, bool alone, abbe_device **device)
{
    return abbe_gl_adopt(&(abbe_gl_params){ .size = sizeof(abbe_gl_params),
                                            .get_proc_address = find_function,
                                            .words = words,
                                            .top_down = top_down,
                                            .alone = alone },
                         device);
}

/* ---- Filters ------------------------------------------------------------------------------------------ */

/* Calls the loader of the filter that is being parsed; fills the matrix by abbe_matrix_create. */
IMPORT(load) int host_load(const char *filter, const char *name, abbe_matrix *matrix);

static int load_matrix(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user;
    return host_load(filter, name, matrix);
}

EXPORT(parse) int web_parse(const char *text, bool has_loader, abbe_filter **filter);
int web_parse(const char *text, bool has_loader, abbe_filter **filter)
{
    static const abbe_loader loader = { .load = load_matrix };
    return abbe_filter_parse(text, has_loader ? &loader : NULL, filter);
}

EXPORT(kernel)
int web_kernel(const abbe_matrix *taps, bool normalize, const int *centre, abbe_filter **filter);
int web_kernel(const abbe_matrix *taps, bool normalize, const int *centre, abbe_filter **filter)
{
    return abbe_filter_from_kernel(
        &(abbe_kernel_params){
            .size = sizeof(abbe_kernel_params), .taps = taps, .normalize = normalize, .centre = centre },
        filter);
}

EXPORT(separable)
int web_separable(const double *row, int width, const double *column, int height, bool normalize,
                  const int *centre, abbe_filter **filter);
int web_separable(const double *row, int width, const double *column, int height, bool normalize,
                  const int *centre, abbe_filter **filter)
{
    return abbe_filter_from_separable(&(abbe_separable_params){ .size = sizeof(abbe_separable_params),
                                                                .row = row,
                                                                .column = column,
                                                                .width = width,
                                                                .height = height,
                                                                .normalize = normalize,
                                                                .centre = centre },
                                      filter);
}

/* ---- Plans and runs ----------------------------------------------------------------------------------- */

/* The order of the numbers that index.js passes. */
enum {
    WIDTH,
    HEIGHT,
    CHANNELS,
    SOURCE_TYPE,
    RESULT_TYPE,
    BORDER,
    BORDER_VALUE,
    METHOD,
    TILE_WIDTH,
    TILE_HEIGHT,
    ALPHA,
    NONFINITE,
    OFFSET,
    LINEAR_LIGHT,
    CORRELATE,
    PRECISION,
    SCALE,
    WINDOW,
    RESULT_X,
    RESULT_Y,
    RESULT_WIDTH,
    RESULT_HEIGHT
};

EXPORT(plan)
int web_plan(abbe_device *device, const double *n, const abbe_filter *const *filters, size_t count,
             abbe_plan **plan);
int web_plan(abbe_device *device, const double *n, const abbe_filter *const *filters, size_t count,
             abbe_plan **plan)
{
    return abbe_plan_create(device,
                            &(abbe_plan_params){ .size = sizeof(abbe_plan_params),
                                                 .width = (int)n[WIDTH],
                                                 .height = (int)n[HEIGHT],
                                                 .channels = (int)n[CHANNELS],
                                                 .source_type = (abbe_type)n[SOURCE_TYPE],
                                                 .result_type = (abbe_type)n[RESULT_TYPE],
                                                 .filters = filters,
                                                 .filter_count = count,
                                                 .border = (abbe_border)n[BORDER],
                                                 .border_value = n[BORDER_VALUE],
                                                 .method = (abbe_method)n[METHOD],
                                                 .tile_width = (int)n[TILE_WIDTH],
                                                 .tile_height = (int)n[TILE_HEIGHT],
                                                 .alpha = (abbe_alpha)n[ALPHA],
                                                 .nonfinite = (abbe_nonfinite)n[NONFINITE],
                                                 .offset = n[OFFSET],
                                                 .linear_light = n[LINEAR_LIGHT] != 0,
                                                 .correlate = n[CORRELATE] != 0,
                                                 .precision = (abbe_precision)n[PRECISION],
                                                 .scale = (abbe_scale)n[SCALE],
                                                 .window = (abbe_window)n[WINDOW],
                                                 .result_x = (int)n[RESULT_X],
                                                 .result_y = (int)n[RESULT_Y],
                                                 .result_width = (int)n[RESULT_WIDTH],
                                                 .result_height = (int)n[RESULT_HEIGHT] },
                            plan);
}

/* Calls the progress function of the run that is under way. */
IMPORT(progress) int host_progress(double done);

static int report_progress(void *user, double done)
{
    (void)user;
    return host_progress(done);
}

EXPORT(run)
int web_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results, bool has_progress);
int web_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results, bool has_progress)
{
    static const abbe_watch watch = { .size = sizeof watch, .progress = report_progress };
    return abbe_run_watched(plan, source, results, has_progress ? &watch : NULL);
}

/* ---- Lists as JSON ------------------------------------------------------------------------------------ */

struct json {
    char *text;
    size_t used, room;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void json_print(struct json *json, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    if (json->used + length + 1 > json->room && !json->failed) {
        size_t room = 2 * json->room + length + 1;
        char *text = realloc(json->text, room);
        json->failed = !text;
        json->text = text ? text : json->text;
        json->room = text ? room : json->room;
    }
    if (!json->failed)
        json->used += (size_t)vsnprintf(json->text + json->used, json->room - json->used, format, again);
    va_end(again);
    va_end(arguments);
}

/* A text in quotes, or null. */
static void json_text(struct json *json, const char *text)
{
    if (!text) {
        json_print(json, "null");
        return;
    }
    json_print(json, "\"");
    for (; *text; text++)
        json_print(json, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    json_print(json, "\"");
}

/* JSON has no infinity; JavaScript reads a number that is too large as one. */
static void json_number(struct json *json, double number)
{
    json_print(json, "%.17g%s", __builtin_isinf(number) ? (number < 0 ? -1.0 : 1.0) : number,
               __builtin_isinf(number) ? "e999" : "");
}

static char *json_end(struct json *json)
{
    if (!json->failed)
        return json->text;
    free(json->text);
    return NULL;
}

static void print_key(struct json *json, const abbe_filter_key *key)
{
    static const char *const types[] = {
        [ABBE_KEY_NUMBER] = "number", [ABBE_KEY_INTEGER] = "integer", [ABBE_KEY_FREQUENCY] = "frequency",
        [ABBE_KEY_CHOICE] = "choice", [ABBE_KEY_LIST] = "list",       [ABBE_KEY_FILE] = "file"
    };
    json_print(json, "{\"name\":\"%s\",\"summary\":", key->name);
    json_text(json, key->summary);
    json_print(json, ",\"type\":\"%s\",\"default\":", types[key->type]);
    json_text(json, key->default_text);
    json_print(json, ",\"follows\":");
    json_text(json, key->follows);
    json_print(json, ",\"min\":");
    json_number(json, key->min);
    json_print(json, ",\"max\":");
    json_number(json, key->max);
    json_print(json, ",\"unit\":");
    json_text(json, key->unit);
    json_print(json, ",\"choices\":[");
    for (size_t i = 0; i < key->choice_count; i++) {
        json_print(json, "%s", i ? "," : "");
        json_text(json, key->choices[i]);
    }
    json_print(json, "]}");
}

/* The results of these functions are released by `free`; NULL without memory. */
EXPORT(catalogue) char *web_catalogue(void);
char *web_catalogue(void)
{
    struct json json = { 0 };
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    json_print(&json, "[");
    for (size_t i = 0; i < count; i++) {
        json_print(&json, "%s{\"name\":\"%s\",\"summary\":", i ? "," : "", entries[i]->name);
        json_text(&json, entries[i]->summary);
        json_print(&json, ",\"inFrequency\":%s,\"rule\":", entries[i]->in_frequency ? "true" : "false");
        json_text(&json, entries[i]->rule);
        json_print(&json, ",\"keys\":[");
        for (size_t k = 0; k < entries[i]->key_count; k++) {
            json_print(&json, "%s", k ? "," : "");
            print_key(&json, entries[i]->keys[k]);
        }
        json_print(&json, "]}");
    }
    json_print(&json, "]");
    return json_end(&json);
}

EXPORT(explain) char *web_explain(const abbe_plan *plan);
char *web_explain(const abbe_plan *plan)
{
    struct json json = { 0 };
    size_t count;
    const abbe_candidate *const *list = abbe_plan_explain(plan, &count);
    json_print(&json, "[");
    for (size_t i = 0; i < count; i++) {
        const abbe_candidate *one = list[i];
        json_print(&json, "%s{\"method\":\"%s\",\"possible\":%s,\"chosen\":%s,\"reason\":", i ? "," : "",
                   abbe_method_name(one->method), one->possible ? "true" : "false",
                   one->chosen ? "true" : "false");
        json_text(&json, one->possible ? NULL : one->reason);
        json_print(&json, ",\"seconds\":%.17g,\"planning\":%.17g,\"bytes\":%zu", one->seconds, one->planning,
                   one->bytes);
        json_print(&json, ",\"fft\":[%d,%d],\"tile\":[%d,%d],\"passes\":%d,\"even\":%s}", one->fft_width,
                   one->fft_height, one->tile_width, one->tile_height, one->passes,
                   one->even ? "true" : "false");
    }
    json_print(&json, "]");
    return json_end(&json);
}

EXPORT(peaks)
int web_peaks(abbe_device *device, const abbe_image *picture, int most, double prominence, char **text);
int web_peaks(abbe_device *device, const abbe_image *picture, int most, double prominence, char **text)
{
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    const abbe_peak_params params = { .size = sizeof params, .most = most, .prominence = prominence };
    int error = abbe_peaks_find(device, picture, &params, &peaks, &count);
    if (error)
        return error;
    struct json json = { 0 };
    json_print(&json, "[");
    for (size_t i = 0; i < count; i++) {
        json_print(&json, "%s{\"x\":%.17g,\"y\":%.17g,\"amplitude\":%.17g", i ? "," : "", peaks[i]->x,
                   peaks[i]->y, peaks[i]->amplitude);
        json_print(&json, ",\"prominence\":%.17g,\"radius\":%.17g,\"harmonic\":%d,\"fundamental\":%zu}",
                   peaks[i]->prominence, peaks[i]->radius, peaks[i]->harmonic, peaks[i]->fundamental);
    }
    json_print(&json, "]");
    abbe_peaks_free(&peaks);
    *text = json_end(&json);
    return *text ? ABBE_OK : ABBE_ERR_MEMORY;
}
