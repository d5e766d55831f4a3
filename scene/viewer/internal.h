/* What the files of the viewer's main loop share. */
#ifndef ABBE_SCENE_VIEWER_INTERNAL_H
#define ABBE_SCENE_VIEWER_INTERNAL_H

#include "face.h"
#include "model.h"
#include "pictures.h"
#include "preview.h"
#include "screen.h"
#include "window.h"
#include "worker.h"

enum job_kind { JOB_NONE, JOB_OPEN, JOB_PREPARE, JOB_SPECTRUM, JOB_PEAKS, JOB_FILTER, JOB_SAVE };

/* Work on whole pictures, for the worker. While it runs, only the worker touches it. */
struct job {
    enum job_kind kind;
    struct viewer *viewer;
    bool done;                     /* without failure */
    double start;                  /* when it began */
    char *name;                    /* OPEN */
    struct viewer_picture opened;  /* OPEN */
    struct pyramid levels, plain;  /* PREPARE: of the source; FILTER: `levels` of the result */
    struct magnitudes spectrum;    /* SPECTRUM */
    const abbe_peak *const *peaks; /* PEAKS */
    size_t peak_count;
    struct recipe recipe;                /* FILTER, SAVE */
    struct histogram histogram;          /* PREPARE: of the source; FILTER: of the result */
    bool is_source;                      /* SAVE: nothing is filtered */
    char result_name[64], mask_name[64]; /* SAVE */
    char *command;                       /* SAVE */
    char error[SCENE_REASON];
};

/* What the pane of the result shows. */
enum result { RESULT_NONE, RESULT_PREVIEW, RESULT_WHOLE };

/* What a pane shows: it is rendered again if something is different. */
struct shown {
    unsigned version;
    bool is_copy;
    struct area area;
    struct place place;
};

struct viewer {
    const struct viewer_params *params;
    struct model model;
    struct pictures pictures;
    struct preview preview;
    struct screen screen;
    struct ink ink;
    struct window *window;
    struct scene *scene;
    struct worker worker;
    struct job job;
    char *picture_name;
    struct face_times times;
    double clock;  /* start of the last frame */
    double turned; /* time of the last turn of the teapot */

    unsigned strokes_version; /* of the recipe in use */
    bool recipe_new;          /* the result is that of an older recipe */
    double changed;           /* time of the last change of the recipe */
    bool source_new;          /* was drawn */
    bool spectrum_new;        /* must be computed */
    bool prepared;            /* a large picture has its smaller copies */
    bool spectrum_is_estimate;
    bool failed; /* the whole picture cannot be filtered by this recipe */
    enum result result;
    bool result_is_source;  /* nothing is filtered */
    struct place previewed; /* where the picture lay for the preview */
    struct area previewed_area;
    struct histogram histogram;        /* of the result, or of its preview */
    struct histogram source_histogram; /* of a large picture; without channels until it is prepared */
    bool histogram_new;
    unsigned versions[PANES];      /* of what panes show */
    struct shown shown[PANES + 1]; /* the last: the source in the pane of the result */
    char note[FILTER_TEXT];        /* text about the last action */
    bool note_is_error;
};

/* Tells whether pictures are filtered at once; larger ones have a preview, and the worker follows. */
bool viewer_is_direct(const struct viewer *viewer);

/* jobs.c: takes what the worker has finished, and gives it the next job. */
void jobs_finish(struct viewer *viewer);
void jobs_start(struct viewer *viewer);
void jobs_cancel(struct viewer *viewer, enum job_kind kind);
void jobs_end(struct viewer *viewer);
void jobs_save_now(struct viewer *viewer);
void jobs_find_peaks_now(struct viewer *viewer);

/* viewer.c: begins with the picture of the parameters, and opens their device. */
bool viewer_begin_pictures(struct viewer *viewer, char reason[SCENE_REASON]);
bool viewer_begin_device(struct viewer *viewer, char reason[SCENE_REASON]);

/* Brings everything up to date after events: takes and starts jobs, filters what is filtered at once. */
void viewer_update(struct viewer *viewer);

/* Begins with another picture, which is taken over. */
bool viewer_take(struct viewer *viewer, const struct viewer_picture *picture, const char *name);
void viewer_note(struct viewer *viewer, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* show.c: draws the window. */
void show_window(struct viewer *viewer);
void show_free(struct viewer *viewer);

#endif
