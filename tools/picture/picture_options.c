/* Options of a format, "Q=95,subsample-mode=off" in the brackets of a name: checked one by one, then set. */
#include "picture_parts.h"

#include <string.h>

const char *picture_options(const char *name)
{
    size_t length = strlen(name);
    const char *bracket = length > 1 && name[length - 1] == ']' ? strrchr(name, '[') : NULL;
    return bracket && !strchr(bracket, '/') ? bracket : NULL;
}

bool saver_mentions(const char *options, const char *setting)
{
    size_t key = strcspn(setting, "=");
    for (const char *option = options; option && *option;) {
        option += strspn(option, " ,");
        if (strcspn(option, "=,") == key && !strncmp(option, setting, key))
            return true;
        option += strcspn(option, ",");
    }
    return false;
}

/* A setting of the saver that a name may choose; NULL for what decides where and what is written, for libvips
 * would open any file that such an option names. */
static GParamSpec *find_setting(VipsObject *saver, const char *key)
{
    GParamSpec *spec = NULL;
    VipsArgumentClass *class = NULL;
    VipsArgumentInstance *instance = NULL;
    if (vips_object_get_argument(saver, key, &spec, &class, &instance) != 0) {
        vips_error_clear();
        return NULL;
    }
    bool optional = (class->flags & VIPS_ARGUMENT_INPUT) && !(class->flags & VIPS_ARGUMENT_REQUIRED);
    bool plain = !g_type_is_a(G_PARAM_SPEC_VALUE_TYPE(spec), G_TYPE_OBJECT);
    return optional && plain ? spec : NULL;
}

static bool is_number(const char *text, double *number)
{
    char *end = NULL;
    *number = g_ascii_strtod(text, &end);
    return end != text && *end == 0;
}

/* GLib drops a number out of range with a warning that nobody sees, and the default would be written. */
static bool check_number(const GParamSpec *spec, const char *key, const char *value)
{
    double least, most, number;
    bool whole = G_IS_PARAM_SPEC_INT(spec);
    if (whole) {
        least = ((const GParamSpecInt *)spec)->minimum;
        most = ((const GParamSpecInt *)spec)->maximum;
    } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
        least = ((const GParamSpecDouble *)spec)->minimum;
        most = ((const GParamSpecDouble *)spec)->maximum;
    } else {
        return true;
    }
    bool fine = is_number(value, &number) && number >= least && number <= most &&
                (!whole || number == (double)(long long)number);
    if (!fine)
        vips_error("options", "'%s' is a %s from %.10g to %.10g, not '%s'", key,
                   whole ? "whole number" : "number", least, most, value);
    return fine;
}

static bool check_switch(const GParamSpec *spec, const char *key, const char *value)
{
    static const char *const known[] = { "true", "false", "yes", "no", "1", "0" };
    if (!G_IS_PARAM_SPEC_BOOLEAN(spec))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (!g_ascii_strcasecmp(value, known[i]))
            return true;
    vips_error("options", "'%s' is true or false, not '%s'", key, value);
    return false;
}

/* "key=value", or a bare "key" for true; taken apart in place. */
static bool set_one(VipsObject *saver, char *option)
{
    char *equals = strchr(option, '=');
    const char *value = equals ? g_strstrip(equals + 1) : "true";
    if (equals)
        *equals = 0;
    const char *key = g_strchomp(option);
    GParamSpec *spec = find_setting(saver, key);
    if (!spec) {
        vips_error("options", "there is no option '%s'", key);
        return false;
    }
    if (!*value || (!equals && !G_IS_PARAM_SPEC_BOOLEAN(spec))) {
        vips_error("options", "'%s' has no value; write %s=…", key, key);
        return false;
    }
    return check_number(spec, key, value) && check_switch(spec, key, value) &&
           vips_object_set_argument_from_string(saver, key, value) == 0;
}

bool saver_set(VipsOperation *saver, const char *options)
{
    char **list = g_strsplit(options, ",", -1);
    bool fine = true;
    for (char **option = list; fine && *option; option++)
        if (*g_strstrip(*option))
            fine = set_one(VIPS_OBJECT(saver), *option);
    g_strfreev(list);
    return fine;
}
