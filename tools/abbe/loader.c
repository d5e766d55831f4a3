/* Filters from text, and the kernel and mask files that the text names: images, or matrices of numbers. */
#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A text matrix larger than this is a mistake: the largest kernel as numbers is about as long. */
enum { TEXT_MAX = 1 << 28, LOOK = 512 };

struct loading {
    const struct reading *reading;
    bool said; /* an error has been told already */
};

/* Text that begins with a number or a comment. No picture does: their first bytes are letters, or no text at all.
 * What else is wrong with the numbers, the reader of matrices says best. */
static bool looks_like_numbers(const char *bytes, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 text may begin with it */
    size_t blank = size >= 3 && !memcmp(bytes, mark, 3) ? 3 : 0;
    for (size_t i = blank; i < size; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (iscntrl(byte) && !isspace(byte))
            return false;
        if (blank == i && isspace(byte))
            blank++;
    }
    return blank < size && strchr("0123456789+-.#", bytes[blank]);
}

/* The file's bytes, the first *size of which have been read to `start` already (a pipe gives them once); to be freed,
 * NULL after saying why not. */
static char *read_all(FILE *file, const char *name, const char *start, size_t *size)
{
    char *bytes = NULL;
    size_t room = 0;
    do {
        room = room ? 2 * room : 1 << 16;
        char *more = room <= TEXT_MAX ? realloc(bytes, room) : NULL;
        if (!more) {
            say_error("%s: the matrix is too large", name);
            free(bytes);
            return NULL;
        }
        if (!bytes)
            memcpy(more, start, *size);
        bytes = more;
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room);
    if (!ferror(file))
        return bytes;
    say_error("%s: %s", name, strerror(errno));
    free(bytes);
    return NULL;
}

static int load_text(struct loading *loading, FILE *file, const char *name, const char *start, size_t size,
                     abbe_matrix *matrix)
{
    char *bytes = read_all(file, name, start, &size);
    loading->said = true;
    if (!bytes)
        return ABBE_ERR_FILE;
    const char *ending = strrchr(name, '.');
    abbe_matrix_form form = ending && !strcmp(ending, ".mat") ? ABBE_MATRIX_VIPS : ABBE_MATRIX_AUTO;
    int error = abbe_matrix_parse(bytes, size, form, matrix);
    if (error)
        say_error("%s: %s", name, abbe_error_text(NULL));
    free(bytes);
    return error;
}

/* Closes the ranks of the colour channels: transparency says nothing about taps or gains. */
static void drop_alpha(struct picture *picture)
{
    abbe_image *view = &picture->view;
    if (!picture->has_alpha || view->channels < 2)
        return;
    size_t whole = (size_t)view->channels * abbe_type_size(view->type),
           kept = whole - abbe_type_size(view->type);
    char *pixels = view->data;
    for (size_t i = 0; i < (size_t)view->width * view->height; i++)
        memmove(pixels + i * kept, pixels + i * whole, kept);
    view->channels--;
    view->stride = (ptrdiff_t)((size_t)view->width * kept);
    picture->has_alpha = false;
}

static int load_picture(struct loading *loading, const char *name, abbe_matrix *matrix)
{
    struct picture picture;
    loading->said = true;
    if (!picture_read(name, loading->reading, 0, 0, &picture))
        return ABBE_ERR_FILE;
    drop_alpha(&picture);
    int error = abbe_matrix_from_image(&picture.view, matrix);
    if (error)
        say_error("%s: %s", name, abbe_error_text(NULL));
    picture_free(&picture);
    return error;
}

static bool is_file(FILE *file)
{
    struct stat status;
    return !fstat(fileno(file), &status) && S_ISREG(status.st_mode);
}

static int load(void *user, const char *name, abbe_matrix *matrix)
{
    struct loading *loading = user;
    char start[LOOK];
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    int error = ABBE_ERR_FILE;
    if (!file || ferror(file)) {
        say_error("%s: %s", name, strerror(errno));
        loading->said = true;
    } else if (looks_like_numbers(start, size)) {
        error = load_text(loading, file, name, start, size, matrix);
    } else if (!is_file(file)) {
        say_error("%s: not a matrix of numbers; a picture is read from a file, not from a pipe", name);
        loading->said = true;
    } else {
        error = load_picture(loading, name, matrix);
    }
    if (file)
        fclose(file);
    return error;
}

int filter_from_text(const char *text, const struct reading *reading, abbe_filter **filter)
{
    struct loading loading = { reading, false };
    int error = abbe_filter_parse(text, &(abbe_loader){ load, &loading }, filter);
    if (!error)
        return DONE;
    if (loading.said)
        return FAILED;
    bool wrong = error == ABBE_ERR_SYNTAX || error == ABBE_ERR_RANGE || error == ABBE_ERR_UNSUPPORTED;
    say_error("filter '%s': %s%s", text, abbe_error_text(NULL), wrong ? " (see 'abbe list filters')" : "");
    return wrong ? WRONG_USAGE : FAILED;
}
