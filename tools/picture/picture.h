/* Pictures in files, read and written by libvips, which the rest of the command does not see. */
#ifndef ABBE_PICTURE_H
#define ABBE_PICTURE_H

#include <abbe/abbe.h>

/* A picture in memory. It is upright: the orientation tag of its file has been applied. */
struct picture {
    abbe_image view; /* U8, U16 or F32, interleaved, rows without gaps, owned */
    bool has_alpha;  /* the last channel is alpha */
    void *origin;    /* libvips's image with metadata and profile; NULL for a picture that was not read */
    int orientation; /* EXIF 1 … 8 as it was in the file */
    int pages;       /* pages of the file; 1 for a picture that was not read */
    int held;        /* pages in memory, of one shape, one behind the other; the view is the first of them */
};

/* Starts and ends libvips. Its warnings are not printed; messages after which GLib ends the process are.
 * `threads` 0 leaves their number to libvips. */
bool picture_begin(const char *program, int threads);
void picture_end(void);

/* Name and version of libvips; works before picture_begin. */
const char *picture_library(void);

/* Creates a picture with undefined pixels. `like`, unless NULL, provides metadata, profile and orientation.
 * Prints an error when memory is short. */
bool picture_create(int width, int height, int channels, abbe_type type, const struct picture *like,
                    struct picture *picture);
void picture_free(struct picture *picture);

/* A page of a picture, from 0 to held − 1, as a picture of one page, which belongs to the whole one. */
struct picture picture_page(const struct picture *picture, int page);

/* Adds a page of the same shape behind the others; the first one becomes the picture. The page is cleared. Prints
 * an error when memory is short. */
bool picture_append(struct picture *picture, struct picture *page);

/* Lets picture_create call `make_room` when memory is short, and try again if that returns true. NULL ends
 * it. */
void picture_when_short(bool (*make_room)(void *user), void *user);

/* The image description of a picture that was read, or NULL. */
const char *picture_description(const struct picture *picture);

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct reading {
    long long max_pixels;      /* larger pictures are refused */
    bool allow_untrusted;      /* read formats whose decoders libvips marks as unsafe for untrusted files */
    int page;                  /* from 1 on; 0: the first, with a warning if there are more; or PAGES_ALL */
    struct sequence *sequence; /* of standard input; NULL: it has one picture only */
};
enum { MAX_PIXELS = 1000000000, PAGES_ALL = -1, PAGES_MAX = 100000 };

/* Whether a file begins like a picture that can be read. Also true where the file cannot be opened or read:
 * picture_read then says why. */
bool picture_is_known(const char *path, const struct reading *reading);

/* Reads a file, or standard input for "-". PAGES_ALL reads the pages of TIFF, GIF and WebP files if they have one
 * shape, and otherwise the first, with a warning. The declared size is checked before any pixel is decoded. Reports
 * progress as "reading" between the fractions `from` and `to` of the command. Prints errors. */
bool picture_read(const char *path, const struct reading *reading, double from, double to,
                  struct picture *picture);

/* ---- Reading in rows ----------------------------------------------------------------------------------- */

/* A picture whose header has been read, and whose pixels follow from top to bottom. */
struct inflow {
    struct picture shape; /* without pixels; held pages have one shape */

    const char *path, *name;
    const struct signature *signature;
    void *source, *image, *region; /* of libvips */
    int page;                      /* of the image, from 0 on; −1: all */
    bool is_sound;                 /* the data of the file ends as it should */
    char *rows;                    /* the last rows that were decoded; row y of the image is at y % kept */
    int kept, unit;                /* rows in memory; rows that are decoded at once */
    int next;                      /* the first row that has not been decoded */
};

/* Opens a picture and reads its header. `path` must outlive it. Prints errors; call inflow_close in every case. */
bool inflow_open(const char *path, const struct reading *reading, struct inflow *inflow);

/* Whether the picture has no more pixels than that; prints an error otherwise. */
bool inflow_check_pixels(const struct inflow *inflow, long long max_pixels);

/* Decodes all pixels, instead of the functions below. Prints errors. */
bool inflow_load(struct inflow *inflow, double from, double to, struct picture *picture);

/* Writes into `reason` why the rows of the picture cannot be read one after the other; false if they can. */
bool inflow_has_obstacle(const struct inflow *inflow, char *reason, size_t size);

/* How many times larger the pixels are than the file. */
double inflow_compression(const struct inflow *inflow);

/* Bytes that a decoder takes for rows. */
double inflow_decoder_bytes(const struct inflow *inflow);

/* Begins to read rows, of which at least the last `kept` can be read again. Prints errors. */
bool inflow_begin(struct inflow *inflow, int kept);

/* Fills a view with the pixels from (x, y) on; the rows of page p begin at p · height. Rows that are no longer in
 * memory are decoded again, with all above them. Prints errors. */
bool inflow_read(struct inflow *inflow, int x, int y, const abbe_image *to);

/* After the last pixel, warns of flaws in the file that were mended. */
void inflow_say_mended(const struct inflow *inflow);
void inflow_close(struct inflow *inflow);

/* ---- The pictures of standard input -------------------------------------------------------------------- */

/* The pictures of standard input, one behind the other. The caller sets the fields of the first group. */
struct sequence {
    const char *title; /* for messages: "standard input" */
    int descriptor;
    bool takes_several; /* a picture that may hide further ones is a warning */
    bool is_expected;   /* also behind the first picture, bytes that are no picture are an error */

    int number;    /* of the picture that was found last, from 1 on */
    char name[64]; /* of that picture, for messages */
    bool failed;   /* something could not be read, or is no picture */

    const struct signature *next; /* of the picture behind it; NULL if it is the last */
    void *file;                   /* libvips's source if standard input is a file, whose bytes are mapped */
    unsigned char *bytes;
    size_t size, room;
    size_t start, end; /* of the picture; the end is counted from the start */
    size_t rest;       /* bytes behind the last picture that are no picture */
    bool is_over;      /* all bytes have been read */
};

/* Finds the next picture, which picture_read then reads, or passes over it if that was not called. At most one
 * picture, and what came with it, is in memory. False if there is none, and after printing an error. */
bool sequence_next(struct sequence *sequence);
void sequence_free(struct sequence *sequence);

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* An output name such as "photos/out.jpg[Q=95]", parsed once. The extension chooses the format, options of
 * the format may follow in brackets, and "-" is standard output: a PNG, or a TIFF for floats. */
struct destination {
    const char *name;            /* for messages: the path, or "standard output" */
    char *path;                  /* NULL for standard output */
    char *options;               /* the text in brackets; NULL without brackets */
    const struct format *format; /* NULL for standard output and for an unknown extension */
};

/* Parses a name. Fails, and prints an error, only when memory is short; destination_check finds other
 * mistakes. Call destination_free in every case. */
bool destination_parse(const char *text, struct destination *destination);
void destination_free(struct destination *destination);

/* Whether a name is that of standard output: "-", or "FORMAT:-" for a format. */
bool destination_is_stdout(const char *text);

/* Checks, before any work is done, that a picture can be written: the extension, the options and the file
 * (target_check), or that standard output is not a terminal. Prints an error and returns false otherwise. */
bool destination_check(const struct destination *destination);

/* The type in which a result of type `wanted` is stored: the same, or the nearest that the format of a
 * checked destination holds (JPEG: U8; PNG: U8, U16; TIFF: all). */
abbe_type destination_type(const struct destination *destination, abbe_type wanted);

/* Whether files of a destination hold several pages: TIFF, GIF, WebP. */
bool destination_has_pages(const struct destination *destination);

/* Whether floats are written as TIFF. */
bool destination_is_tiff(const struct destination *destination);

/* The options at the end of a name, from the opening bracket on; NULL without options. */
const char *destination_find_options(const char *text);

/* Writes a picture, with all of its pages if the format holds several, to a checked destination. The file appears whole or not at all. `description` becomes the
 * image description, which only TIFF keeps: NULL keeps that of the picture, "" removes it. Reports progress
 * as "writing" between the fractions `from` and `to` of the command. Prints errors. */
bool picture_write(const struct picture *picture, const struct destination *destination,
                   const char *description, double from, double to);

/* ---- Writing in rows ----------------------------------------------------------------------------------- */

/* A file that is written while its rows are made, by a thread of its own. */
struct outflow;

/* Writes into `reason` why a file cannot be written row by row; false if it can. For checked destinations. */
bool outflow_has_obstacle(const struct destination *destination, abbe_type type, char *reason, size_t size);

/* The height of the tiles of a TIFF that is made from a picture; 0 for others. */
int outflow_tile_height(const struct destination *destination, const struct picture *shape);

/* Begins to write a picture, whose view has no pixels yet, to a checked destination. The rows of further pages follow
 * those of the first. At most `rows` rows wait to be written. Prints errors; NULL
 * then. Only the calling thread may call the functions below. */
struct outflow *outflow_open(const struct picture *shape, const struct destination *destination, int rows);

/* Lets at least that many rows wait, as parts of rows need that come one beside the other. Prints errors. */
bool outflow_reserve(struct outflow *outflow, int rows);

/* Takes pixels from (x, y) on. Rows come from top to bottom; those of one call may be parts of rows, whose others follow
 * in the next calls. Waits while too many rows wait. False when writing has failed. */
bool outflow_write(struct outflow *outflow, int x, int y, const abbe_image *from);

/* After the last row, waits until all is written. Prints errors. */
bool outflow_end(struct outflow *outflow);

/* Gives the file its name. Prints errors. */
bool outflow_commit(struct outflow *outflow);

/* Removes a file that was not committed. NULL is allowed. */
void outflow_free(struct outflow *outflow);

#endif
