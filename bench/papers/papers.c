/* Puts the reports together and writes the page and its charts. */
#include "papers/papers.h"

#include "files.h"
#include "papers/page.h"
#include "say.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

/* The reports of --from, read. */
static struct value *others[FROM_MAX];

static bool check_page(const char *path)
{
    size_t length = strlen(path);
    if (length > 3 && !strcmp(path + length - 3, ".md"))
        return target_check(path);
    say_error("%s: the page's name must end with .md; its charts are in a folder without it", path);
    return false;
}

bool papers_open(const struct settings *settings)
{
    if (!check_page(settings->markdown))
        return false;
    for (int i = 0; i < settings->from_count; i++) {
        others[i] = document_read(settings->from[i]);
        if (!others[i])
            return false;
        if (strcmp(document_text(others[i], "program"), "abbe-bench")) {
            say_error("%s: not a report of abbe-bench", settings->from[i]);
            return false;
        }
    }
    return true;
}

void papers_close(void)
{
    for (int i = 0; i < FROM_MAX; i++) {
        document_free(others[i]);
        others[i] = NULL;
    }
}

/* Reads the report of this run back from its own JSON. NULL, with a message, if memory runs out. */
static struct value *read_back(const struct report *report)
{
    char *text = NULL;
    size_t size = 0;
    const char *problem = "out of memory";
    FILE *out = open_memstream(&text, &size);
    struct value *value = NULL;
    if (out) {
        write_json(out, report);
        bool complete = !ferror(out);
        complete = !fclose(out) && complete;
        if (complete)
            value = document_parse(text, &problem);
    }
    free(text);
    if (!value)
        say_error("the report cannot be read back: %s", problem);
    return value;
}

/* Writes folder/NAME.svg. `user` is the folder. */
static bool draw_chart(void *user, const char *name, const struct chart *chart)
{
    struct draft draft;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s.svg", (const char *)user, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        say_error("%s: the name is too long", (const char *)user);
        return false;
    }
    if (!target_make_folder(path) || !draft_open(&draft))
        return false;
    chart_write(draft.out, chart);
    return draft_deliver(&draft, path);
}

static bool write_page(const char *path, const struct value *own)
{
    struct draft draft;
    char folder[4000];
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - 3), path);
    const char *slash = strrchr(folder, '/');
    if (!draft_open(&draft))
        return false;
    struct page page = {
        .out = draft.out, .charts = slash ? slash + 1 : folder, .draw = draw_chart, .user = folder
    };
    if (own)
        page.reports[page.count++] = own;
    for (int i = 0; i < FROM_MAX && others[i] && page.count < MACHINES_MAX; i++)
        page.reports[page.count++] = others[i];
    page_write(&page);
    return draft_deliver(&draft, path) && !page.failed;
}

bool papers_write(const struct settings *settings, const struct report *report)
{
    struct value *own = report ? read_back(report) : NULL;
    bool written = (own || !report) && write_page(settings->markdown, own);
    document_free(own);
    return written;
}
