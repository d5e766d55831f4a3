/* The version of the library, and the names of public enumerators, both ways. */
#include "core/error.h"
#include "core/text.h"

#include <abbe/abbe.h>

#include <stdio.h>
#include <string.h>

const char *abbe_version(void)
{
#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR, ABBE_VERSION_PATCH);
}

const char *abbe_error_name(int code)
{
    switch ((abbe_error)code) {
    case ABBE_OK: return "ABBE_OK";
    case ABBE_ERR_INVALID: return "ABBE_ERR_INVALID";
    case ABBE_ERR_SYNTAX: return "ABBE_ERR_SYNTAX";
    case ABBE_ERR_RANGE: return "ABBE_ERR_RANGE";
    case ABBE_ERR_SIZE: return "ABBE_ERR_SIZE";
    case ABBE_ERR_MEMORY: return "ABBE_ERR_MEMORY";
    case ABBE_ERR_UNSUPPORTED: return "ABBE_ERR_UNSUPPORTED";
    case ABBE_ERR_NONFINITE: return "ABBE_ERR_NONFINITE";
    case ABBE_ERR_FILE: return "ABBE_ERR_FILE";
    case ABBE_ERR_DEVICE: return "ABBE_ERR_DEVICE";
    case ABBE_ERR_CANCELLED: return "ABBE_ERR_CANCELLED";
    }
    return "unknown error";
}

/* ---- Names both ways ---------------------------------------------------------------------------------- */

/* The names of one enumeration. */
struct name_list {
    const char *what; /* for messages: "border" */
    int count;
    const char *const *names; /* of the enumerators 0 to count − 1; NULL for a value that is none */
};

#define NAME_LIST(what, names)                    \
    {                                             \
        what, sizeof names / sizeof *names, names \
    }

static const char *const types[ABBE_TYPE_COUNT + 1] = {
    [ABBE_U8] = "u8",   [ABBE_U16] = "u16", [ABBE_F16] = "f16", [ABBE_F32] = "f32",
    [ABBE_F64] = "f64", [ABBE_I16] = "i16", [ABBE_U32] = "u32", [ABBE_I32] = "i32",
};
static const char *const borders[ABBE_BORDER_COUNT] = {
    [ABBE_BORDER_REFLECT] = "reflect", [ABBE_BORDER_MIRROR] = "mirror",     [ABBE_BORDER_CLAMP] = "clamp",
    [ABBE_BORDER_ZERO] = "zero",       [ABBE_BORDER_CONSTANT] = "constant", [ABBE_BORDER_WRAP] = "wrap",
};
static const char *const methods[ABBE_METHOD_COUNT] = {
    [ABBE_METHOD_AUTO] = "auto", [ABBE_METHOD_DIRECT] = "direct", [ABBE_METHOD_SEPARABLE] = "separable",
    [ABBE_METHOD_FFT] = "fft",   [ABBE_METHOD_TILES] = "tiles",
};
static const char *const alphas[ABBE_ALPHA_COUNT] = {
    [ABBE_ALPHA_NONE] = "none",
    [ABBE_ALPHA_PREMULTIPLY] = "premultiply",
    [ABBE_ALPHA_INDEPENDENT] = "independent",
};
static const char *const nonfinites[ABBE_NONFINITE_COUNT] = {
    [ABBE_NONFINITE_ERROR] = "error",
    [ABBE_NONFINITE_ZERO] = "zero",
    [ABBE_NONFINITE_TRUST] = "trust",
};
static const char *const precisions[ABBE_PRECISION_COUNT] = {
    [ABBE_PRECISION_FULL] = "full",
    [ABBE_PRECISION_HALF] = "half",
    [ABBE_PRECISION_DOUBLE] = "double",
};

static const char *const scales[ABBE_SCALE_COUNT] = {
    [ABBE_SCALE_UNIT] = "unit",
    [ABBE_SCALE_VALUE] = "value",
};

static const char *const windows[ABBE_WINDOW_COUNT] = {
    [ABBE_WINDOW_SAME] = "same",
    [ABBE_WINDOW_FULL] = "full",
    [ABBE_WINDOW_VALID] = "valid",
    [ABBE_WINDOW_RECTANGLE] = "rectangle",
};

static const char *const adapter_kinds[ABBE_ADAPTER_COUNT] = {
    [ABBE_ADAPTER_CPU] = "cpu",
    [ABBE_ADAPTER_DISCRETE] = "discrete",
    [ABBE_ADAPTER_INTEGRATED] = "integrated",
    [ABBE_ADAPTER_VIRTUAL] = "virtual",
    [ABBE_ADAPTER_SOFTWARE] = "software",
    [ABBE_ADAPTER_UNKNOWN] = "unknown",
};

static const struct name_list type_list = NAME_LIST("type", types),
                              border_list = NAME_LIST("border", borders),
                              method_list = NAME_LIST("method", methods),
                              alpha_list = NAME_LIST("alpha", alphas),
                              nonfinite_list = NAME_LIST("nonfinite", nonfinites),
                              precision_list = NAME_LIST("precision", precisions),
                              scale_list = NAME_LIST("scale", scales),
                              window_list = NAME_LIST("window", windows),
                              adapter_kind_list = NAME_LIST("kind of adapter", adapter_kinds);

static const char *name_of(const struct name_list *list, int value)
{
    return value >= 0 && value < list->count ? list->names[value] : NULL;
}

static int fail_unknown_name(const struct name_list *list, const char *name)
{
    struct shown shown = text_show(name, strlen(name));
    struct nearest nearest = { .word = name, .length = strlen(name) };
    char known[160] = "";
    for (int i = 0; i < list->count; i++) {
        size_t used = strlen(known);
        if (!list->names[i])
            continue;
        nearest_try(&nearest, list->names[i]);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", list->names[i]);
    }
    if (nearest.name)
        return core_fail(NULL, ABBE_ERR_INVALID, "unknown %s '%s'; did you mean '%s'?", list->what,
                         shown.text, nearest.name);
    return core_fail(NULL, ABBE_ERR_INVALID, "unknown %s '%s'; use one of: %s", list->what, shown.text,
                     known);
}

/* Finds the value of a name. `place` is the caller's enumerator, which must not be NULL. */
static int find_value(const struct name_list *list, const char *name, const void *place, int *value)
{
    if (!name || !place)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_%s_from_name: %s is NULL", list->what,
                         name ? list->what : "name");
    for (int i = 0; i < list->count; i++)
        if (list->names[i] && !strcmp(list->names[i], name)) {
            *value = i;
            return ABBE_OK;
        }
    return fail_unknown_name(list, name);
}

const char *abbe_type_name(abbe_type type)
{
    return name_of(&type_list, (int)type);
}

int abbe_type_from_name(const char *name, abbe_type *type)
{
    int value, error = find_value(&type_list, name, type, &value);
    if (!error)
        *type = (abbe_type)value;
    return error;
}

const char *abbe_border_name(abbe_border border)
{
    return name_of(&border_list, (int)border);
}

int abbe_border_from_name(const char *name, abbe_border *border)
{
    int value, error = find_value(&border_list, name, border, &value);
    if (!error)
        *border = (abbe_border)value;
    return error;
}

const char *abbe_method_name(abbe_method method)
{
    return name_of(&method_list, (int)method);
}

int abbe_method_from_name(const char *name, abbe_method *method)
{
    int value, error = find_value(&method_list, name, method, &value);
    if (!error)
        *method = (abbe_method)value;
    return error;
}

const char *abbe_alpha_name(abbe_alpha alpha)
{
    return name_of(&alpha_list, (int)alpha);
}

int abbe_alpha_from_name(const char *name, abbe_alpha *alpha)
{
    int value, error = find_value(&alpha_list, name, alpha, &value);
    if (!error)
        *alpha = (abbe_alpha)value;
    return error;
}

const char *abbe_nonfinite_name(abbe_nonfinite nonfinite)
{
    return name_of(&nonfinite_list, (int)nonfinite);
}

int abbe_nonfinite_from_name(const char *name, abbe_nonfinite *nonfinite)
{
    int value, error = find_value(&nonfinite_list, name, nonfinite, &value);
    if (!error)
        *nonfinite = (abbe_nonfinite)value;
    return error;
}

const char *abbe_precision_name(abbe_precision precision)
{
    return name_of(&precision_list, (int)precision);
}

int abbe_precision_from_name(const char *name, abbe_precision *precision)
{
    int value, error = find_value(&precision_list, name, precision, &value);
    if (!error)
        *precision = (abbe_precision)value;
    return error;
}

const char *abbe_scale_name(abbe_scale scale)
{
    return name_of(&scale_list, (int)scale);
}

int abbe_scale_from_name(const char *name, abbe_scale *scale)
{
    int value, error = find_value(&scale_list, name, scale, &value);
    if (!error)
        *scale = (abbe_scale)value;
    return error;
}

const char *abbe_window_name(abbe_window window)
{
    return name_of(&window_list, (int)window);
}

int abbe_window_from_name(const char *name, abbe_window *window)
{
    int value, error = find_value(&window_list, name, window, &value);
    if (!error)
        *window = (abbe_window)value;
    return error;
}

const char *abbe_adapter_kind_name(abbe_adapter_kind kind)
{
    return name_of(&adapter_kind_list, (int)kind);
}
