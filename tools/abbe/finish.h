/* From filtered floats to results as they are stored: threshold, gain, offset, channels, mask, depth. */
#ifndef ABBE_TOOL_FINISH_H
#define ABBE_TOOL_FINISH_H

#include "channels.h"
#include "options.h"
#include "where.h"

/* How one result is finished: stored = gain · filtered + offset. Alpha is stored as it is. */
struct finish {
    double threshold; /* filtered samples move towards those of the picture by that, and not past them */
    abbe_type type;   /* of --depth; 0: that of the picture */
    double gain;
    double offset;
    bool has_offset; /* --offset was given */
};

/* The options of struct finish in the tables of commands. */
enum finish_option { FINISH_DEPTH = 2000, FINISH_GAIN, FINISH_OFFSET, FINISH_THRESHOLD };

#define HELP_DEPTH "samples of the result: 8, 16 or float (as the picture)"

struct finish finish_default(void);

/* Stores the value of such an option. Returns 1, 0 for another option, or −1 after printing an error. */
int finish_take(struct finish *finish, const char *command, const struct option *option);

/* Reads 8, 16 or float; false after printing an error. */
bool finish_take_depth(const char *command, const struct option *option, abbe_type *type);

/* The type in which a result for that checked destination is stored; 0 after printing that the format cannot
 * hold what --depth asks for. `source` is the type of the picture. */
abbe_type finish_type(const struct finish *finish, const struct destination *destination, abbe_type source);

/* The offset of a result of that type: a whole level of integers, so that flat areas stay flat and abbe
 * combine subtracts exactly what was added. 0.5 becomes 128/255 or 32768/65535. */
double finish_offset(double offset, abbe_type type);

/* The level that stands for 1 in integers of that type. */
double finish_top(abbe_type type);

/* Whether the plan can store such results itself, with that type and offset. */
bool finish_is_plain(const struct finish *finish);

/* Finishes one row of filtered floats that keeps nothing of the picture, without threshold. */
void finish_row(const struct finish *finish, bool has_alpha, const abbe_image *from, const abbe_image *to);

/* What results keep of the picture that is filtered. */
struct blend {
    const struct picture *source;
    const struct channels *channels;
    const struct where *where;
    bool by_alpha; /* colours are weighted by alpha where they are mixed */
};

/* Whether results keep anything of the picture. */
bool finish_blends(const struct blend *blend);

/* Replaces filtered floats, of the source or of the part of it that its channels are, by the finished result
 * of that type. Prints errors. */
bool finish_picture(const struct finish *finish, abbe_type type, const struct blend *blend,
                    struct picture *filtered);

#endif
