/* Options that several subcommands share: numbers, names, devices, filters and kernel files. */
#include "settings.h"

#include "samples.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Values -------------------------------------------------------------------------------------------- */

struct settings settings_default(void)
{
    return (struct settings){ .device = "auto", .reading = { .max_pixels = MAX_PIXELS } };
}

/* Prints the message of abbe_…_from_name. */
static int refuse_name(const char *command)
{
    say_usage_error(command, "%s", abbe_last_error());
    return -1;
}

/* Reads NAME or constant:VALUE. */
static int take_border(struct settings *settings, const char *command, const char *text)
{
    char name[32];
    double value = 0;
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, text);
    abbe_border border;
    if (abbe_border_from_name(text[length] ? name : text, &border))
        return refuse_name(command);
    if (text[length] && border != ABBE_BORDER_CONSTANT) {
        say_usage_error(command, "border '%s' takes no value; only constant:VALUE does", name);
        return -1;
    }
    if (text[length] && (!option_number(text + length + 1, &value) || !isfinite((float)value))) {
        say_usage_error(command, "border '%s' needs a number after the colon, such as constant:0.5", text);
        return -1;
    }
    settings->border = border;
    settings->border_value = value;
    return 1;
}

/* Reads a number of bytes: 500M, 1.5G. */
static int take_memory(struct settings *settings, const char *command, const char *text)
{
    static const char units[] = "kMGT";
    char number[32];
    double bytes = 0, unit = 1;
    size_t length = strlen(text);
    const char *found = length ? strchr(units, text[length - 1] == 'K' ? 'k' : text[length - 1]) : NULL;
    if (found)
        unit = pow(1000, (double)(found - units + 1));
    snprintf(number, sizeof number, "%.*s", (int)(length - (found != NULL)), text);
    if (length < sizeof number && option_number(number, &bytes) && bytes * unit >= 1 && bytes * unit < 1e18) {
        settings->memory = bytes * unit;
        return 1;
    }
    say_usage_error(command, "--memory needs a number of bytes such as 500M or 2G, not '%s'", text);
    return -1;
}

bool settings_take_integer(const char *command, const struct option *option, long long low, long long high,
                           long long *value)
{
    if (option_integer(option->value, low, high, value))
        return true;
    say_usage_error(command, "%s needs a whole number from %lld to %lld, not '%s'", option->name, low, high,
                    option->value);
    return false;
}

int settings_take(struct settings *settings, const char *command, const struct option *option)
{
    long long number;
    switch (option->id) {
    case OPTION_BORDER: return take_border(settings, command, option->value);
    case OPTION_METHOD:
        return abbe_method_from_name(option->value, &settings->method) ? refuse_name(command) : 1;
    case OPTION_PRECISION:
        return abbe_precision_from_name(option->value, &settings->precision) ? refuse_name(command) : 1;
    case OPTION_DEVICE: settings->device = option->value; return 1;
    case OPTION_THREADS:
        if (!settings_take_integer(command, option, 0, 1024, &number))
            return -1;
        settings->threads = (int)number;
        return 1;
    case OPTION_MEMORY: return take_memory(settings, command, option->value);
    case OPTION_MAX_PIXELS:
        settings->limits_pixels = true;
        return settings_take_integer(command, option, 1, LLONG_MAX, &settings->reading.max_pixels) ? 1 : -1;
    case OPTION_UNTRUSTED: settings->reading.allow_untrusted = true; return 1;
    case OPTION_STATS: settings->stats = true; return 1;
    case OPTION_QUIET: say_quiet(true); return 1;
    default: return 0;
    }
}

void settings_warn_of_levels(const char *option, double value, abbe_type type)
{
    if (type == ABBE_F32 || fabs(value) <= 2)
        return;
    double top = type == ABBE_U8 ? 255 : 65535;
    say_warning("%s%g is applied as it is, but samples stand for 0 to 1; level %g of %g is %s%.4g", option,
                value, value, top, option, value / top);
}

/* Prints what the library overcomes; with --stats also what it passes over. */
static void print_log(void *user, abbe_log_level level, const char *text)
{
    const struct settings *settings = user;
    if (level >= ABBE_LOG_WARNING)
        say_warning("%s", text);
    else if (settings->stats)
        say_note("%s", text);
}

bool settings_open_device(const struct settings *settings, abbe_device **device)
{
    const abbe_device_params params = { .threads = settings->threads,
                                        .log = print_log,
                                        .log_user = (void *)settings };
    if (!abbe_device_open(settings->device, &params, device))
        return true;
    say_error("%s", abbe_last_error());
    return false;
}

/* ---- Filters ------------------------------------------------------------------------------------------- */

/* Most bytes of a text matrix, about the length of the largest kernel; first bytes that are examined. */
enum { TEXT_MAX = 1 << 28, LOOK = 512 };

struct loading {
    const struct reading *reading;
    bool printed; /* the error of the last file has been printed */
};

/* Whether text begins with a number or a comment, as no picture does. abbe_matrix_parse checks the rest. */
static bool looks_like_numbers(const char *bytes, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark of UTF-8 */
    size_t blank = size >= 3 && !memcmp(bytes, mark, 3) ? 3 : 0;
    for (size_t i = blank; i < size; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (iscntrl(byte) && !isspace(byte))
            return false;
        if (blank == i && isspace(byte))
            blank++;
    }
    return blank < size && strchr("0123456789+-.#", bytes[blank]);
}

/* The bytes of a file, of which the first *size are already in `start`, because a pipe can be read only once.
 * The caller frees them; NULL after printing an error. */
static char *read_all(FILE *file, const char *name, const char *start, size_t *size)
{
    char *bytes = NULL;
    size_t room = 0;
    do {
        room = room ? 2 * room : 1 << 16;
        char *more = room <= TEXT_MAX ? realloc(bytes, room) : NULL;
        if (!more) {
            say_error("%s: the matrix is too large", name);
            free(bytes);
            return NULL;
        }
        if (!bytes)
            memcpy(more, start, *size);
        bytes = more;
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room);
    if (!ferror(file))
        return bytes;
    say_error("%s: %s", name, strerror(errno));
    free(bytes);
    return NULL;
}

static int load_text(FILE *file, const char *name, const char *start, size_t size, abbe_matrix *matrix)
{
    char *bytes = read_all(file, name, start, &size);
    if (!bytes)
        return ABBE_ERR_FILE;
    const char *ending = strrchr(name, '.');
    abbe_matrix_form form = ending && !strcmp(ending, ".mat") ? ABBE_MATRIX_VIPS : ABBE_MATRIX_AUTO;
    int error = abbe_matrix_parse(bytes, size, form, matrix);
    if (error)
        say_error("%s: %s", name, abbe_error_text(NULL));
    else if (abbe_matrix_has_scale(bytes, size, form))
        error = ABBE_LOADED_SCALED;
    free(bytes);
    return error;
}

/* Puts a picture with alpha on a ground of that value, as floats. Taps are 0 where nothing was painted, and
 * gains are 1. */
static bool flatten_alpha(struct picture *picture, double ground)
{
    const abbe_image *from = &picture->view;
    int colours = from->channels - 1;
    struct picture flat;
    if (!picture->has_alpha || colours < 1)
        return true;
    if (!picture_create(from->width, from->height, colours, ABBE_F32, NULL, &flat))
        return false;
    for (size_t i = 0; i < (size_t)from->width * (size_t)from->height; i++) {
        size_t pixel = i * (size_t)from->channels;
        double alpha = (double)sample_load(from, pixel + (size_t)colours);
        for (size_t c = 0; c < (size_t)colours; c++) {
            double colour = (double)sample_load(from, pixel + c);
            sample_store(&flat.view, i * (size_t)colours + c, alpha * colour + (1 - alpha) * ground);
        }
    }
    picture_free(picture);
    *picture = flat;
    return true;
}

static int load_picture(struct loading *loading, const char *name, double ground, abbe_matrix *matrix)
{
    struct picture picture;
    if (!picture_read(name, loading->reading, 0, 0, &picture))
        return ABBE_ERR_FILE;
    int error = ABBE_ERR_MEMORY;
    if (flatten_alpha(&picture, ground)) {
        error = abbe_matrix_from_image(&picture.view, matrix);
        if (error)
            say_error("%s: %s", name, abbe_error_text(NULL));
    }
    picture_free(&picture);
    return error;
}

static bool is_regular_file(FILE *file)
{
    struct stat entry;
    return !fstat(fileno(file), &entry) && S_ISREG(entry.st_mode);
}

/* The loader of abbe_filter_parse. */
static int load_matrix(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    struct loading *loading = user;
    double ground = strcmp(filter, "mask") ? 0 : 1;
    char start[LOOK];
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    int error = ABBE_ERR_FILE;
    if (!file || ferror(file)) {
        say_error("%s: %s", name, strerror(errno));
    } else if (looks_like_numbers(start, size)) {
        error = load_text(file, name, start, size, matrix);
    } else if (!is_regular_file(file)) {
        say_error("%s: is not a matrix of numbers; a picture must be a file, not a pipe", name);
    } else {
        error = load_picture(loading, name, ground, matrix);
    }
    loading->printed = error && error != ABBE_LOADED_SCALED;
    if (file)
        fclose(file);
    return error;
}

int settings_make_filter(const char *text, const struct reading *reading, abbe_filter **filter)
{
    struct loading loading = { .reading = reading };
    int error = abbe_filter_parse(text, &(abbe_loader){ load_matrix, &loading }, filter);
    if (!error)
        return DONE;
    if (loading.printed)
        return FAILED;
    bool wrong = error == ABBE_ERR_SYNTAX || error == ABBE_ERR_RANGE || error == ABBE_ERR_UNSUPPORTED;
    bool is_threshold = strstr(abbe_error_text(NULL), "unknown key 'threshold'") != NULL;
    say_error("filter '%s': %s%s", text, abbe_error_text(NULL),
              is_threshold ? " (a threshold is not linear; abbe filter has --threshold)"
              : wrong      ? " (see 'abbe list filters')"
                           : "");
    return wrong ? WRONG_USAGE : FAILED;
}
