/* --channels of abbe filter: which part of a picture is filtered; the rest of it stays as it is. */
#ifndef ABBE_TOOL_CHANNELS_H
#define ABBE_TOOL_CHANNELS_H

#include "picture.h"

enum channels_kind {
    CHANNELS_ALL,
    /* Y = 0.2126 R + 0.7152 G + 0.0722 B is filtered, and what it changes by is added to R, G and B. */
    CHANNELS_LUMINANCE,
    CHANNELS_CHROMA, /* R, G and B are filtered, and moved together until Y is that of the picture */
    CHANNELS_LIST,   /* some channels are filtered */
};

struct channels {
    enum channels_kind kind;
    const char *text; /* as it was written */
    bool colours[3];  /* LIST: red, green, blue */
    bool alpha;       /* LIST */
    bool is_linear;   /* Y, and what is added, are those of linear light */
};

/* Reads luminance, chroma, or a list such as red,alpha. Prints errors. */
bool channels_take(const char *command, const char *text, struct channels *channels);

/* Whether alpha alone is filtered: it is no light, and gain, offset and threshold leave it. */
bool channels_are_alpha(const struct channels *channels);

/* Whether a picture has these channels. Prints an error. */
bool channels_fit(const struct channels *channels, const char *name, const struct picture *picture);

/* Makes the picture that is filtered, of `source`, which has the channels. Its alpha, if it has one, is that of
 * the source, so that colours are weighted by it. Prints errors. */
bool channels_extract(const struct channels *channels, const struct picture *source, struct picture *part);

/* The samples of one pixel in that picture; returns their number. */
int channels_split(const struct channels *channels, const struct picture *source, const double *pixel,
                   double *part);

/* Puts the filtered samples of one pixel into `pixel`, which holds those of the source. */
void channels_merge(const struct channels *channels, const struct picture *source, const double *filtered,
                    double *pixel);

#endif
