/* abbe list: the available filters, borders and devices. */
#include "command.h"
#include "figures.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100 };

static const struct option_spec specs[] = {
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe list [filters|borders|devices]";
static const char summary[] =
    "Lists the filters with their parameters, the borders or the devices; without an argument, all three.";
static const char examples[] = "  abbe list                  everything\n"
                               "  abbe list filters          filters for -f, with their defaults\n"
                               "  abbe list devices          devices of this machine\n";

/* ---- Filters ------------------------------------------------------------------------------------------- */

/* A loader that returns a 1 x 1 matrix for every file name. */
static int load_one(void *user, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)name;
    int error = abbe_matrix_create(1, 1, matrix);
    if (!error)
        matrix->values[0] = 1;
    return error;
}

/* Whether a filter is a function of frequency, found by making one. "x=" in its parameters is a required
 * value, for which 0 is used. */
static bool in_frequency(const abbe_filter_entry *entry)
{
    char text[256];
    abbe_filter *filter = NULL;
    int length = snprintf(text, sizeof text, "%s", entry->name);
    for (const char *key = entry->parameters; *key; key += strspn(key, " ")) {
        int word = (int)strcspn(key, " ");
        if (word && key[word - 1] == '=')
            length += snprintf(text + length, sizeof text - (size_t)length, ":%.*s0", word, key);
        key += word;
    }
    abbe_filter_parse(text, &(abbe_loader){ load_one, NULL }, &filter);
    bool found = filter && abbe_filter_describe(filter)->in_frequency;
    abbe_filter_destroy(&filter);
    return found;
}

/* Prints words between the columns `left`, where the cursor is, and COLUMNS. */
static void print_wrapped(int left, const char *text)
{
    int column = left;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > left && column + 1 + word > COLUMNS) {
            printf("\n%*s", left, "");
            column = left;
        }
        column += printf("%s%.*s", column > left ? " " : "", word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

static int widest(int width, const char *text)
{
    return figure_width(text) > width ? figure_width(text) : width;
}

static void list_filters_of(const char *title, bool frequency)
{
    size_t count;
    int name = 0, parameters = 0;
    const abbe_filter_entry *entries = abbe_filter_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (in_frequency(&entries[i]) == frequency) {
            name = widest(name, entries[i].name);
            parameters = widest(parameters, entries[i].parameters);
        }
    printf("%s\n", title);
    for (size_t i = 0; i < count; i++) {
        const abbe_filter_entry *entry = &entries[i];
        if (in_frequency(entry) != frequency)
            continue;
        printf("  %-*s  %-*s  ", name, entry->name, parameters, entry->parameters);
        print_wrapped(name + parameters + 6, entry->summary);
    }
}

static void list_filters(void)
{
    list_filters_of("Filters in space (-f NAME:KEY=VALUE:…)", false);
    putchar('\n');
    list_filters_of("Filters in frequency", true);
    puts("\nA key without a default is required. Chain filters with commas: -f gaussian:sigma=3,sharpen\n"
         "Frequencies are fractions of Nyquist, 0 to 1, or 0.1cpp (cycles per pixel), or 24px (period).\n"
         "Shapes: butterworth, ideal, gaussian. Angles are degrees, counter-clockwise.");
}

/* ---- Borders ------------------------------------------------------------------------------------------- */

static const struct {
    const char *picture, *summary;
} borders[] = {
    [ABBE_BORDER_REFLECT] = { "dcba|abcd|dcba", "the picture reflected, its edge repeated (default)" },
    [ABBE_BORDER_MIRROR] = { " dcb|abcd|cba ", "the picture reflected about its edge pixels" },
    [ABBE_BORDER_CLAMP] = { "aaaa|abcd|dddd", "the nearest pixel of the edge" },
    [ABBE_BORDER_ZERO] = { "0000|abcd|0000", "black, or transparent" },
    [ABBE_BORDER_CONSTANT] = { "kkkk|abcd|kkkk", "constant:VALUE, VALUE from 0 to 1 in every channel" },
    [ABBE_BORDER_WRAP] = { "abcd|abcd|abcd", "the picture repeated, for tiles and textures" },
};

static void list_borders(void)
{
    puts("Borders (--border NAME)");
    for (int i = 0; abbe_border_name((abbe_border)i); i++) {
        bool is_described = i < (int)(sizeof borders / sizeof borders[0]) && borders[i].picture;
        printf("  %-10s  %s  %s\n", abbe_border_name((abbe_border)i), is_described ? borders[i].picture : "",
               is_described ? borders[i].summary : "");
    }
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

static void list_devices(void)
{
    size_t count;
    const abbe_device_entry *const *entries = abbe_device_catalogue(&count);
    int name = (int)strlen("auto");
    for (size_t i = 0; i < count; i++)
        name = widest(name, entries[i]->name);
    puts("Devices (--device NAME)");
    printf("  %-*s  cpu, or vulkan for enough work to justify its start (default)\n", name, "auto");
    for (size_t i = 0; i < count; i++) {
        abbe_device *device = NULL;
        char text[1024];
        bool opens = !abbe_device_open(entries[i]->name, NULL, &device);
        printf("  %-*s  ", name, entries[i]->name);
        print_wrapped(name + 4, entries[i]->summary);
        snprintf(text, sizeof text, "%s: %s", opens ? "available" : "not available",
                 opens ? abbe_device_detail(device) : abbe_error_text(NULL));
        printf("  %-*s  ", name, "");
        print_wrapped(name + 4, text);
        abbe_device_close(&device);
    }
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int print_list(const char *what)
{
    static const char *const names[] = { "filters", "borders", "devices", NULL };
    static void (*const lists[])(void) = { list_filters, list_borders, list_devices };
    int index = option_choice(what, names);
    if (index >= 0) {
        lists[index]();
        return DONE;
    }
    const char *nearest = option_nearest(what, names);
    if (nearest)
        return fail_usage("list", "there is no list of '%s'; did you mean '%s'?", what, nearest);
    return fail_usage("list", "there is no list of '%s'; use one of: filters, borders, devices", what);
}

int command_list(int argc, char **argv)
{
    struct option_reader reader = {
        .command = "list", .specs = specs, .argc = argc, .argv = argv, .next = 1
    };
    const char *what = NULL;
    for (;;) {
        struct option option = option_next(&reader);
        switch (option.id) {
        case OPTION_WRONG: return WRONG_USAGE;
        case OPTION_HELP: option_help(usage, summary, specs, examples); return DONE;
        case OPTION_ARGUMENT:
            if (what)
                return fail_usage("list", "list takes one name; '%s' is a second one", option.value);
            what = option.value;
            break;
        default: /* OPTION_END */
            if (what)
                return print_list(what);
            list_filters();
            putchar('\n');
            list_borders();
            putchar('\n');
            list_devices();
            return DONE;
        }
    }
}
