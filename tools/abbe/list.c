/* abbe list: the available filters, borders and devices. */
#include "command.h"
#include "figures.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100, KEYS_TEXT = 128 };

static const struct option_spec specs[] = {
    { OPTION_HELP, 'h', "help", NULL, HELP_HELP },
    { 0, 0, NULL, NULL, NULL },
};

static const char usage[] = "abbe list [filters|borders|devices|FILTER]";
static const char summary[] = "Lists the filters with their keys, the borders or the devices; without an "
                              "argument, all three. With the\n"
                              "name of a filter, describes its keys.";
static const char examples[] = "  abbe list                  everything\n"
                               "  abbe list filters          filters for -f, with their defaults\n"
                               "  abbe list gaussian         keys of one filter, with ranges and units\n"
                               "  abbe list devices          devices of this machine\n";

/* ---- Filters ------------------------------------------------------------------------------------------- */

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

/* Writes a key with its default: "sigma=2", "file=" for a required key, "[width=]" for one that follows
 * another. Returns the length. */
static size_t write_key(const abbe_filter_key *key, char *text, size_t size)
{
    return (size_t)snprintf(text, size, key->follows ? "[%s=%s]" : "%s=%s", key->name,
                            key->default_text ? key->default_text : "");
}

static void write_keys(const abbe_filter_entry *entry, char text[KEYS_TEXT])
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < entry->key_count && used + 1 < KEYS_TEXT; i++) {
        if (i)
            text[used++] = ' ';
        used += write_key(entry->keys[i], text + used, KEYS_TEXT - used);
    }
}

static void list_filters_of(const char *title, bool frequency)
{
    size_t count;
    int name = 0, parameters = 0;
    char keys[KEYS_TEXT];
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (entries[i]->in_frequency == frequency) {
            write_keys(entries[i], keys);
            name = widest(name, entries[i]->name);
            parameters = widest(parameters, keys);
        }
    printf("%s\n", title);
    for (size_t i = 0; i < count; i++) {
        if (entries[i]->in_frequency != frequency)
            continue;
        write_keys(entries[i], keys);
        printf("  %-*s  %-*s  ", name, entries[i]->name, parameters, keys);
        print_wrapped(name + parameters + 6, entries[i]->summary);
    }
}

static void list_filters(void)
{
    list_filters_of("Filters in space (-f NAME:KEY=VALUE:…)", false);
    putchar('\n');
    list_filters_of("Filters in frequency", true);
    puts("\nA key without a default is required, unless it is in brackets: it then follows another key.\n"
         "'abbe list NAME' describes the keys of a filter. Chain filters with commas: -f gaussian,sharpen\n"
         "The same in words, without marks: -f 'gaussian sigma 3 then sharpen'\n"
         "Frequencies are fractions of Nyquist, 0 to 1, or 0.1cpp (cycles per pixel), or 24px (period).\n"
         "Shapes: butterworth, ideal, gaussian. Angles are degrees, counter-clockwise.");
}

/* ---- One filter ---------------------------------------------------------------------------------------- */

/* Writes what a key accepts: "0.01 to 10000 pixels", "both, x or y", …. */
static void write_range(const abbe_filter_key *key, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    switch (key->type) {
    case ABBE_KEY_NUMBER:
    case ABBE_KEY_INTEGER:
    case ABBE_KEY_FREQUENCY:
        snprintf(text, size, "%s%g to %g%s%s", key->type == ABBE_KEY_INTEGER ? "whole, " : "", key->min,
                 key->max, key->unit ? " " : "", key->unit ? key->unit : "");
        break;
    case ABBE_KEY_CHOICE:
        for (size_t i = 0; i < key->choice_count && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     !i                          ? ""
                                     : i + 1 < key->choice_count ? ", "
                                                                 : " or ",
                                     key->choices[i]);
        break;
    case ABBE_KEY_LIST: snprintf(text, size, "numbers separated by '/'"); break;
    case ABBE_KEY_FILE: snprintf(text, size, "file name"); break;
    }
}

static void list_keys(const abbe_filter_entry *entry)
{
    char key[KEYS_TEXT], range[KEYS_TEXT];
    int keys = 0, ranges = 0;
    for (size_t i = 0; i < entry->key_count; i++) {
        write_key(entry->keys[i], key, sizeof key);
        write_range(entry->keys[i], range, sizeof range);
        keys = widest(keys, key);
        ranges = widest(ranges, range);
    }
    printf("%s: %s\n", entry->name, entry->summary);
    for (size_t i = 0; i < entry->key_count; i++) {
        write_key(entry->keys[i], key, sizeof key);
        write_range(entry->keys[i], range, sizeof range);
        printf("  %-*s  %-*s  ", keys, key, ranges, range);
        print_wrapped(keys + ranges + 6, entry->keys[i]->summary);
    }
    if (entry->rule)
        printf("Rule: %s.\n", entry->rule);
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

/* Prints an adapter: "vulkan:0  NVIDIA H200, discrete, 139 GiB, NVIDIA 550.54.15". */
static void print_adapter(int left, const abbe_adapter *adapter)
{
    char memory[FIGURE_MAX], text[1400];
    snprintf(text, sizeof text, "%s: %s%s%s%s%s%s%s%s%s%s%s", adapter->name, adapter->model,
             *adapter->model ? ", " : "", abbe_adapter_kind_name(adapter->kind), adapter->memory ? ", " : "",
             adapter->memory ? figure_bytes((size_t)adapter->memory, memory) : "",
             *adapter->driver ? ", " : "", adapter->driver, *adapter->driver_version ? " " : "",
             adapter->driver_version, *adapter->problem ? "; not usable: " : "", adapter->problem);
    make_printable(text);
    printf("%*s", left, "");
    print_wrapped(left, text);
}

/* Prints why a device without adapters does not open. */
static void print_absence(int left, const char *name)
{
    abbe_device *device = NULL;
    char text[1024];
    bool opens = !abbe_device_open(name, NULL, &device);
    snprintf(text, sizeof text, "%s: %s", opens ? "available" : "not available",
             opens ? abbe_device_detail(device) : abbe_last_error());
    printf("%*s", left, "");
    print_wrapped(left, text);
    abbe_device_close(&device);
}

static bool is_adapter_of(const abbe_adapter *adapter, const char *device)
{
    size_t length = strcspn(adapter->name, ":");
    return strlen(device) == length && !strncmp(adapter->name, device, length);
}

static void list_devices(void)
{
    size_t count, adapter_count = 0;
    const abbe_device_entry *const *entries = abbe_device_catalogue(&count);
    const abbe_adapter *const *adapters = NULL;
    int name = (int)strlen("auto");
    for (size_t i = 0; i < count; i++)
        name = widest(name, entries[i]->name);
    if (abbe_device_list(&adapters, &adapter_count))
        say_warning("%s", abbe_last_error());
    puts("Devices (--device NAME)");
    printf("  %-*s  cpu, or a GPU (cuda, vulkan) for enough work to justify its start (default)\n", name,
           "auto");
    for (size_t i = 0; i < count; i++) {
        bool listed = false;
        printf("  %-*s  ", name, entries[i]->name);
        print_wrapped(name + 4, entries[i]->summary);
        for (size_t j = 0; j < adapter_count; j++)
            if (is_adapter_of(adapters[j], entries[i]->name)) {
                print_adapter(name + 4, adapters[j]);
                listed = true;
            }
        if (!listed)
            print_absence(name + 4, entries[i]->name);
    }
    abbe_device_list_free(&adapters);
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
    size_t count;
    const abbe_filter_entry *const *entries = abbe_filter_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entries[i]->name, what)) {
            list_keys(entries[i]);
            return DONE;
        }
    const char *nearest = option_nearest(what, names);
    if (nearest)
        return fail_usage("list", "there is no list of '%s'; did you mean '%s'?", what, nearest);
    return fail_usage(
        "list", "there is no list of '%s'; use one of: filters, borders, devices, or the name of a filter",
        what);
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
