/* How to filter, as the common options say it. */
#include "command.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct settings settings_default(void)
{
    return (struct settings){ .device = "auto", .reading = { .max_pixels = MAX_PIXELS } };
}

static const char *const *border_names(void)
{
    static const char *names[ABBE_BORDER_WRAP + 2];
    for (int border = 0; border <= (int)ABBE_BORDER_WRAP; border++)
        names[border] = abbe_border_name((abbe_border)border);
    return names;
}

static const char *const *method_names(void)
{
    static const char *names[ABBE_METHOD_TILES + 2];
    for (int method = 0; method <= (int)ABBE_METHOD_TILES; method++)
        names[method] = abbe_method_name((abbe_method)method);
    return names;
}

static const char *const *precision_names(void)
{
    static const char *names[ABBE_PRECISION_HALF + 2];
    for (int precision = 0; precision <= (int)ABBE_PRECISION_HALF; precision++)
        names[precision] = abbe_precision_name((abbe_precision)precision);
    return names;
}

/* The entry of `names` that `text` is; says what is wrong and which are known otherwise. */
static int choose(const char *command, const char *what, const char *text, const char *const *names)
{
    int index = option_choice(text, names);
    if (index >= 0)
        return index;
    const char *nearest = option_nearest(text, names);
    if (nearest) {
        say_usage_error(command, "unknown %s '%s'; did you mean '%s'?", what, text, nearest);
        return -1;
    }
    char known[160] = "";
    for (int i = 0; names[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    say_usage_error(command, "unknown %s '%s'; there are %s", what, text, known);
    return -1;
}

/* NAME or constant:VALUE. */
static int take_border(struct settings *settings, const char *command, const char *text)
{
    char name[32];
    double value = 0;
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, text);
    int border = choose(command, "border", text[length] ? name : text, border_names());
    if (border < 0)
        return -1;
    if (text[length] && border != ABBE_BORDER_CONSTANT) {
        say_usage_error(command, "border '%s' takes no value; constant:VALUE does", name);
        return -1;
    }
    if (text[length] && (!option_number(text + length + 1, &value) || !isfinite((float)value))) {
        say_usage_error(command, "border '%s' needs a number behind the colon, such as constant:0.5", text);
        return -1;
    }
    settings->border = (abbe_border)border;
    settings->border_value = (float)value;
    return 1;
}

static int take_method(struct settings *settings, const char *command, const char *text)
{
    int method = choose(command, "method", text, method_names());
    settings->method = (abbe_method)method;
    return method < 0 ? -1 : 1;
}

static int take_precision(struct settings *settings, const char *command, const char *text)
{
    int precision = choose(command, "precision", text, precision_names());
    settings->precision = (abbe_precision)precision;
    return precision < 0 ? -1 : 1;
}

bool settings_count(const char *command, const struct option *option, long long low, long long high,
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
    case OPTION_METHOD: return take_method(settings, command, option->value);
    case OPTION_PRECISION: return take_precision(settings, command, option->value);
    case OPTION_DEVICE: settings->device = option->value; return 1;
    case OPTION_THREADS:
        if (!settings_count(command, option, 0, 1024, &number))
            return -1;
        settings->threads = (int)number;
        return 1;
    case OPTION_MAX_PIXELS:
        return settings_count(command, option, 1, LLONG_MAX, &settings->reading.max_pixels) ? 1 : -1;
    case OPTION_UNTRUSTED: settings->reading.allow_untrusted = true; return 1;
    case OPTION_STATS: settings->stats = true; return 1;
    case OPTION_QUIET: say_quiet(true); return 1;
    default: return 0;
    }
}

bool settings_open(const struct settings *settings, abbe_device **device)
{
    if (!abbe_device_open(settings->device, &(abbe_device_params){ .threads = settings->threads }, device))
        return true;
    say_error("%s", abbe_error_text(NULL));
    return false;
}
