/* The catalogue as data, and the two spellings of filter texts: what abbe_filter_catalogue publishes is what
 * abbe_filter_parse accepts. */
#include "support/test.h"

#include <abbe/abbe.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const abbe_filter_entry *const *entries;
static size_t entry_count;

static int load(void *user, const char *filter, const char *name, abbe_matrix *matrix)
{
    (void)user, (void)filter, (void)name;
    return abbe_matrix_parse("1 2 1\n0 1 5", 11, ABBE_MATRIX_ROWS, matrix);
}

static const abbe_loader loader = { load, NULL };

static bool is_required(const abbe_filter_key *key)
{
    return !key->default_text && !key->follows;
}

static bool has_range(const abbe_filter_key *key)
{
    return key->type == ABBE_KEY_NUMBER || key->type == ABBE_KEY_INTEGER || key->type == ABBE_KEY_FREQUENCY;
}

/* Writes "name:key=value…" with every required key except `without`, and with `given` if it is not NULL. */
static void write_text(const abbe_filter_entry *entry, const abbe_filter_key *without, const char *given,
                       char text[256])
{
    int used = snprintf(text, 256, "%s", entry->name);
    for (size_t i = 0; i < entry->key_count; i++)
        if (is_required(entry->keys[i]) && entry->keys[i] != without)
            used += snprintf(text + used, 256 - (size_t)used, ":%s=%s", entry->keys[i]->name,
                             entry->keys[i]->type == ABBE_KEY_FILE ? "name" : "0.3");
    if (given)
        snprintf(text + used, 256 - (size_t)used, ":%s=%s", without->name, given);
}

/* ---- Data --------------------------------------------------------------------------------------------- */

static void check_key(const abbe_filter_entry *entry, const abbe_filter_key *key)
{
    bool choice = key->type == ABBE_KEY_CHOICE, listed = !choice, followed = false;
    assert_true(*key->name && *key->summary);
    for (const char *c = key->name; *c; c++)
        assert_true(islower((unsigned char)*c) || *c == '_');
    assert_true(key->type >= ABBE_KEY_NUMBER && key->type <= ABBE_KEY_FILE);
    assert_false(key->default_text && key->follows);
    assert_true(choice == (key->choices != NULL) && choice == (key->choice_count > 1));
    for (size_t i = 0; i < key->choice_count; i++)
        listed |= !strcmp(key->choices[i], key->default_text);
    for (size_t i = 0; key->follows && i < entry->key_count; i++)
        followed |= !strcmp(key->follows, entry->keys[i]->name);
    if (!listed || (key->follows && !followed) || (has_range(key) && !(key->min < key->max)))
        fail_msg("%s, key %s: wrong choices, followed key or range", entry->name, key->name);
}

static void entries_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < entry_count; i++) {
        const abbe_filter_entry *entry = entries[i];
        assert_true(*entry->name && *entry->summary);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(entry->name, entries[k]->name);
        for (size_t k = 0; k < entry->key_count; k++) {
            check_key(entry, entry->keys[k]);
            for (size_t l = 0; l < k; l++)
                assert_string_not_equal(entry->keys[k]->name, entry->keys[l]->name);
        }
        char text[256];
        abbe_filter *filter = NULL;
        write_text(entry, NULL, NULL, text);
        if (abbe_filter_parse(text, &loader, &filter))
            fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
        assert_int_equal(abbe_filter_describe(filter)->in_frequency, entry->in_frequency);
        abbe_filter_destroy(&filter);
    }
}

/* ---- Ranges ------------------------------------------------------------------------------------------- */

/* The value is accepted, unless it breaks the rule between the keys. */
static void check_accepted(const abbe_filter_entry *entry, const abbe_filter_key *key, double value)
{
    char text[256], number[32];
    abbe_filter *filter = NULL;
    snprintf(number, sizeof number, "%.17g", value);
    write_text(entry, key, number, text);
    int error = abbe_filter_parse(text, &loader, &filter);
    bool by_rule = error == ABBE_ERR_RANGE && entry->rule && strstr(abbe_error_text(NULL), entry->rule);
    if (error && !by_rule)
        fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
    abbe_filter_destroy(&filter);
}

static void check_refused(const abbe_filter_entry *entry, const abbe_filter_key *key, double value)
{
    char text[256], number[32], wanted[160];
    abbe_filter *filter = NULL;
    snprintf(number, sizeof number, "%.17g", value);
    write_text(entry, key, number, text);
    int error = abbe_filter_parse(text, &loader, &filter);
    bool whole = key->type == ABBE_KEY_INTEGER;
    snprintf(wanted, sizeof wanted, "%s is '%s' at position %zu; it must be %s%g to %g%s%s", key->name,
             number, strlen(text) - strlen(number) + 1, whole ? "a whole number from " : "", key->min,
             key->max, key->unit ? " " : "", key->unit ? key->unit : "");
    if (error != ABBE_ERR_RANGE || strcmp(abbe_error_text(NULL), wanted))
        fail_msg("\"%s\": %s \"%s\", not \"%s\"", text, abbe_error_name(error), abbe_error_text(NULL),
                 wanted);
    assert_null(filter);
}

static void ranges_are_what_the_catalogue_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < entry_count; i++)
        for (size_t k = 0; k < entries[i]->key_count; k++) {
            const abbe_filter_key *key = entries[i]->keys[k];
            if (!has_range(key))
                continue;
            bool whole = key->type == ABBE_KEY_INTEGER;
            check_accepted(entries[i], key, key->min);
            check_accepted(entries[i], key, key->max);
            check_refused(entries[i], key, key->min - (whole ? 1 : 1e-6 * (1 + fabs(key->min))));
            check_refused(entries[i], key, key->max + (whole ? 1 : 1e-6 * (1 + fabs(key->max))));
            if (whole)
                check_refused(entries[i], key, key->min + 0.5);
        }
}

static void choices_are_what_the_catalogue_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < entry_count; i++)
        for (size_t k = 0; k < entries[i]->key_count; k++) {
            const abbe_filter_key *key = entries[i]->keys[k];
            for (size_t c = 0; c < key->choice_count; c++) {
                char text[256];
                abbe_filter *filter = NULL;
                write_text(entries[i], key, key->choices[c], text);
                if (abbe_filter_parse(text, &loader, &filter))
                    fail_msg("\"%s\": %s", text, abbe_error_text(NULL));
                abbe_filter_destroy(&filter);
            }
        }
}

/* ---- Spellings ---------------------------------------------------------------------------------------- */

/* Rewrites a text without quotes from marks to words. */
static void spell_in_words(const char *text, char words[512])
{
    size_t used = 0;
    for (const char *c = text; *c; c++)
        used += (size_t)snprintf(words + used, 512 - used, *c == ',' ? "  then\t" : "%c",
                                 *c == ':' || *c == '=' ? ' ' : *c);
}

/* Checks that two filters have the same components and gains, to the last bit. */
static void check_same(const char *marks, const char *words)
{
    abbe_filter *one = NULL, *other = NULL;
    if (abbe_filter_parse(marks, &loader, &one))
        fail_msg("\"%s\": %s", marks, abbe_error_text(NULL));
    if (abbe_filter_parse(words, &loader, &other))
        fail_msg("\"%s\": %s", words, abbe_error_text(NULL));
    const abbe_filter_info a = *abbe_filter_describe(one), b = *abbe_filter_describe(other);
    if (a.components != b.components || a.width != b.width || a.height != b.height ||
        a.centre_x != b.centre_x || a.centre_y != b.centre_y || a.in_frequency != b.in_frequency)
        fail_msg("\"%s\" and \"%s\" differ", marks, words);
    for (int i = 0; i < 9 * a.components; i++) {
        double here[2], there[2], fx = i % 9 / 17.0 - 0.2, fy = i * 5 % 9 / 19.0;
        assert_int_equal(abbe_filter_gain(one, i / 9, fx, fy, here), ABBE_OK);
        assert_int_equal(abbe_filter_gain(other, i / 9, fx, fy, there), ABBE_OK);
        if (memcmp(here, there, sizeof here))
            fail_msg("\"%s\" and \"%s\" differ at (%g, %g)", marks, words, fx, fy);
    }
    abbe_filter_destroy(&one);
    abbe_filter_destroy(&other);
}

static void both_spellings_make_the_same_filter(void **state)
{
    (void)state;
    char text[256], words[512];
    for (size_t i = 0; i < entry_count; i++) {
        write_text(entries[i], NULL, NULL, text);
        spell_in_words(text, words);
        check_same(text, words);
        for (size_t k = 0; k < entries[i]->key_count; k++) {
            const abbe_filter_key *key = entries[i]->keys[k];
            const char *value = key->type == ABBE_KEY_CHOICE      ? key->choices[1]
                                : key->type == ABBE_KEY_LIST      ? "1/-2/.5"
                                : key->type == ABBE_KEY_FREQUENCY ? "8px"
                                : key->type == ABBE_KEY_FILE      ? "name"
                                : key->max == 1                   ? "0"
                                                                  : "3";
            write_text(entries[i], key, value, text);
            spell_in_words(text, words);
            check_same(text, words);
        }
    }
    check_same("gaussian:sigma=3,unsharp:amount=0.5", "gaussian sigma 3 then unsharp amount 0.5");
    check_same("gaussian:sigma=3,unsharp:amount=0.5", "\n gaussian\n\tsigma 3\r\n then unsharp amount 0.5\n");
    check_same("gaussian:sigma=3,sobel", "gaussian sigma \"3\" then sobel");
    check_same("kernel:file=\"a,b=c:d then e\",box", "kernel file \"a,b=c:d then e\" then box");
    check_same("kernel:file=\"then\"", "kernel file \"then\"");
}

static void check_syntax(const char *text, const char *message)
{
    abbe_filter *filter = NULL;
    int error = abbe_filter_parse(text, &loader, &filter);
    if ((error != ABBE_ERR_SYNTAX && error != ABBE_ERR_RANGE && error != ABBE_ERR_UNSUPPORTED) ||
        strcmp(abbe_error_text(NULL), message))
        fail_msg("\"%s\": %s \"%s\", not \"%s\"", text, abbe_error_name(error), abbe_error_text(NULL),
                 message);
    assert_null(filter);
}

static void errors_in_words(void **state)
{
    (void)state;
    check_syntax("guassian sigma 3", "unknown filter 'guassian' at position 1; did you mean 'gaussian'?");
    check_syntax("box then gausian", "unknown filter 'gausian' at position 10; did you mean 'gaussian'?");
    check_syntax("gaussian sgima 3", "unknown key 'sgima' at position 10; did you mean 'sigma'?");
    check_syntax("gaussian sigma", "key 'sigma' at position 10 has no value");
    check_syntax("gaussian sigma then box", "key 'sigma' at position 10 has no value");
    check_syntax("gaussian sigma two", "sigma: 'two' at position 16 is not a number");
    check_syntax("gaussian  sigma  0", "sigma is '0' at position 18; it must be 0.01 to 10000 pixels");
    check_syntax("gaussian sigma 2 sigma 3", "key 'sigma' at position 18 is given twice");
    check_syntax("gaussian sigma \"3\"x", "'x' at position 19 follows a quoted value");
    check_syntax("gaussian sigma \"3", "the quote at position 16 is not closed");
    check_syntax("gaussian sigma \"\"", "key 'sigma' at position 10 has an empty value");
    check_syntax("then", "a filter name is missing at position 1");
    check_syntax("then box", "a filter name is missing at position 1");
    check_syntax("box then", "a filter name is missing at position 9");
    check_syntax("box then then box", "a filter name is missing at position 10");
    check_syntax("notch x 0.3", "'notch' at position 1 needs y=VALUE");
    check_syntax("box box", "unknown key 'box' at position 5; 'box' takes radius=2 [width=] [height=]");
    check_syntax("bandpass low 0.5 then box", "'bandpass' at position 1: low must be below high");
    check_syntax("sobel then box", "'box' at position 12 follows a filter that takes a magnitude; such a "
                                   "filter must be the last");
    check_syntax("gaussian sigma=3", "'gaussian' at position 1 is followed by a blank; write name:key=value, "
                                     "or words without ':', ',' and '='");
    check_syntax("box, gaussian sigma 3",
                 "'gaussian' at position 6 is followed by a blank; write name:key=value, or words without "
                 "':', ',' and '='");
}

static void errors_in_lists(void **state)
{
    (void)state;
    check_syntax("separable:x=1/two/1", "x: 'two' at position 15 is not a number");
    check_syntax("separable:x=1//1", "x: '' at position 15 is not a number");
    check_syntax("separable:x=/", "x: '' at position 13 is not a number");
    check_syntax("separable:x=1/2/", "x: '' at position 17 is not a number");
    check_syntax("separable:x=1/1e39", "x: '1e39' at position 15 is not a finite number");
    check_syntax("separable x 1/1e999", "x: '1e999' at position 15 is not a finite number");
    check_syntax("separable:x=1e30:y=1e30:normalize=0",
                 "'separable' at position 1: the products of the taps must stay within the range of a float");
    check_syntax("derivative:sigma=0.1", "'derivative' at position 1: a derivative needs taps beside the "
                                         "centre: sigma or truncate must be larger");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_are_sound),
    cmocka_unit_test(ranges_are_what_the_catalogue_says),
    cmocka_unit_test(choices_are_what_the_catalogue_says),
    cmocka_unit_test(both_spellings_make_the_same_filter),
    cmocka_unit_test(errors_in_words),
    cmocka_unit_test(errors_in_lists),
};

int main(void)
{
    entries = abbe_filter_catalogue(&entry_count);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
