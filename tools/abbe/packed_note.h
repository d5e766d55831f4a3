/* The line by which a file says that it holds a packed spectrum, and of what kind of picture. */
#ifndef ABBE_TOOL_PACKED_NOTE_H
#define ABBE_TOOL_PACKED_NOTE_H

#include "picture.h"

/* The picture that was transformed. */
struct packed_note {
    abbe_type type;
    int width, height, channels;
    bool has_alpha;
    int orientation;
};

/* The image description of the spectrum file, to be freed: the note, then on lines of its own what the picture's
 * description was (NULL: it had none). NULL without memory. */
char *packed_note_write(const struct packed_note *note, const char *description);

/* Reads it back, strictly: a first line that differs from what packed_note_write writes is no note. `rest` gets
 * the picture's own description, inside the text, "" when it had none. */
bool packed_note_read(const char *description, struct packed_note *note, const char **rest);

#endif
