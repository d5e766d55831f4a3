/* Fuzz target: the grammar of filters. Any text parses or fails with a message, and every parsed filter
 * answers queries. */
#include <abbe/abbe.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Loads a file whose text is its name, with '_' for a space and '/' for a new line. */
static int load(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter;
    char text[64];
    size_t length = strlen(name) < sizeof text ? strlen(name) : sizeof text;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(name[i] == '_' ? ' ' : name[i] == '/' ? '\n' : name[i]);
    return abbe_matrix_parse(text, length, ABBE_MATRIX_AUTO, matrix);
}

static int is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Whether a text is cheap to parse. The time grows with the numbers and filters of a text and could be
 * minutes; unit tests cover large ones. Texts with three digits before a point, an exponent or more than six
 * filters are skipped. */
static int is_modest(const uint8_t *data, size_t size)
{
    int digits = 0, joints = 0, fraction = 0;
    for (size_t i = 0; i < size; i++) {
        fraction = data[i] == '.' || (fraction && is_digit(data[i]));
        digits = is_digit(data[i]) && !fraction ? digits + 1 : 0;
        joints += data[i] == ',' || (size - i >= 4 && !memcmp(data + i, "then", 4));
        int exponent = i && (data[i] | 0x20) == 'e' && (is_digit(data[i - 1]) || data[i - 1] == '.');
        if (digits > 2 || exponent || joints > 5)
            return 0;
    }
    return 1;
}

static void query(const abbe_filter *filter)
{
    const abbe_filter_info *info = abbe_filter_describe(filter);
    abbe_matrix taps;
    double gain[2];
    if (info->components < 1 || info->components > 2 || info->centre_x < 0 || info->centre_x >= info->width)
        abort();
    int left, right, up, down;
    if (!info->in_frequency && abbe_filter_reach(filter, 0, &left, &right, &up, &down))
        abort();
    for (int component = 0; component < info->components; component++) {
        if ((long long)info->width * info->height > 1 << 16)
            continue;
        if (abbe_filter_gain(filter, component, 0.3, -0.5, gain))
            abort();
        int error = abbe_filter_taps(filter, component, &taps);
        if (error != (info->in_frequency ? ABBE_ERR_UNSUPPORTED : ABBE_OK))
            abort();
        if (!error)
            abbe_matrix_free(&taps);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!is_modest(data, size))
        return 0;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    abbe_filter *filter = NULL;
    const abbe_loader loader = { load, NULL };
    int error = abbe_filter_parse(text, &loader, &filter);
    if (error ? filter || !*abbe_error_text(NULL) : !filter)
        abort();
    if (!error)
        query(filter);
    abbe_filter_destroy(&filter);
    free(text);
    return 0;
}
