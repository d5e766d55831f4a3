/* Names of outputs made from names of inputs: {name} is the input's without folder and extension, {ext} its
 * extension. */
#include "filter.h"

#include <stdlib.h>
#include <string.h>

bool output_has_place(const char *pattern)
{
    return strstr(pattern, "{name}") != NULL;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The dot of the extension, or the end. A leading dot begins a name, not an extension. */
static const char *dot_of(const char *base)
{
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? dot : base + strlen(base);
}

char *output_file(const char *output)
{
    const char *options = picture_options(output);
    return strndup(output, options ? (size_t)(options - output) : strlen(output));
}

char *output_name(const char *pattern, const char *input)
{
    const char *base = strcmp(input, "-") ? base_of(input) : "stdin";
    const char *dot = dot_of(base), *ext = *dot ? dot + 1 : dot;
    size_t name_length = (size_t)(dot - base), ext_length = strlen(ext);
    /* A place is five characters at least, so each can grow the name by less than base. */
    char *name = malloc(strlen(pattern) * (1 + name_length + ext_length) + 1), *to = name;
    if (!name)
        return NULL;
    const char *options = picture_options(pattern); /* which only the person at the shell chooses */
    while (*pattern && pattern != options) {
        if (!strncmp(pattern, "{name}", 6)) {
            to = (char *)memcpy(to, base, name_length) + name_length;
            pattern += 6;
        } else if (!strncmp(pattern, "{ext}", 5)) {
            to = (char *)memcpy(to, ext, ext_length) + ext_length;
            pattern += 5;
        } else {
            *to++ = *pattern++;
        }
    }
    strcpy(to, pattern);
    return name;
}
