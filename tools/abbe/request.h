/* What a command line of abbe filter asks for: pictures, filters, and the results to store. */
#ifndef ABBE_TOOL_REQUEST_H
#define ABBE_TOOL_REQUEST_H

#include "finish.h"
#include "folders.h"
#include "outputs.h"
#include "settings.h"

enum { RESULTS_MAX = 256 };

struct request {
    struct settings settings;
    int page; /* of every input, from 1 on; 0: all, where the results can have several */
    bool recursive, makes_folders;
    bool is_sequence; /* the input is standard input, and the outputs can take several pictures of it */
    bool has_numbers; /* {n} is in an output */
    enum existing existing;
    int input_count;
    const char **inputs;
    struct names found; /* with --recursive: what `inputs` points to after request_expand */
    int result_count;
    const char *texts[RESULTS_MAX];    /* of the filters; NULL for --rest */
    const char *patterns[RESULTS_MAX]; /* output names; see outputs.h */
    struct finish finishes[RESULTS_MAX];
    struct finish finish; /* the options before the first -f, which begin all results */
    struct channels channels;
    const char *where; /* the file of --where; NULL without */
    bool wants_help;
};

/* Reads and checks a command line; prints errors, and the help where that is asked for. Returns DONE or an
 * exit status; call request_free in every case. */
int request_read(struct request *request, int argc, char **argv);

/* With --recursive, replaces folders among the inputs by the pictures in them. Call it between picture_begin and
 * the use of the inputs. Returns DONE, or FAILED after printing an error. */
int request_expand(struct request *request);
void request_free(struct request *request);

#endif
