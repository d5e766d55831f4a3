/* The pictures of a pipe or of standard input, one behind the other: where each ends and whether one follows. */
#include "delimit.h"
#include "say.h"
#include "vips_picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most bytes of a picture that comes from a pipe, and what is read before its end is looked for. */
static const size_t pipe_max = 1 << 30, first_bytes = 1 << 16;

/* ---- Bytes --------------------------------------------------------------------------------------------- */

/* Bytes from the beginning of the picture on. */
static size_t held_bytes(const struct sequence *sequence)
{
    return sequence->size - sequence->start;
}

/* Removes the pictures that were read. */
static void move_to_start(struct sequence *sequence)
{
    if (!sequence->start)
        return;
    memmove(sequence->bytes, sequence->bytes + sequence->start, held_bytes(sequence));
    sequence->size -= sequence->start;
    sequence->start = 0;
}

static bool reserve_bytes(struct sequence *sequence, size_t wanted)
{
    size_t room = sequence->room ? sequence->room : first_bytes;
    while (room < wanted)
        room *= 2;
    if (room == sequence->room)
        return true;
    unsigned char *bytes = realloc(sequence->bytes, room);
    if (!bytes)
        return false;
    sequence->bytes = bytes;
    sequence->room = room;
    return true;
}

/* Reads on until the picture has `wanted` bytes or the pipe ends. Prints errors. */
static bool read_bytes(struct sequence *sequence, size_t wanted)
{
    if (sequence->is_over || held_bytes(sequence) >= wanted)
        return true;
    move_to_start(sequence);
    bool fine = reserve_bytes(sequence, wanted);
    while (fine && !sequence->is_over && sequence->size < wanted) {
        ssize_t got = read(sequence->descriptor, sequence->bytes + sequence->size, wanted - sequence->size);
        fine = got >= 0 || errno == EINTR;
        sequence->size += got > 0 ? (size_t)got : 0;
        sequence->is_over = got == 0;
    }
    if (!fine)
        say_error("%s: cannot be read: %s", sequence->title, strerror(errno));
    return fine;
}

/* Reads twice as many bytes as there are; false, after printing an error, if that is too much. */
static bool read_twice(struct sequence *sequence)
{
    size_t held = held_bytes(sequence);
    if (held < pipe_max)
        return read_bytes(sequence, VIPS_MIN(2 * held, pipe_max));
    say_error("%s: a picture from a pipe may have 1 GB at most; save it to a file and name that",
              sequence->title);
    return false;
}

/* ---- Pictures ------------------------------------------------------------------------------------------ */

/* Standard input may be a file; its bytes are then mapped. */
static bool begin_sequence(struct sequence *sequence)
{
    VipsSource *file = NULL;
    if (isatty(sequence->descriptor)) {
        say_error("%s is a terminal; redirect a picture to it: abbe … < photo.jpg", sequence->title);
        return false;
    }
    if (!open_entry(sequence->title, sequence->descriptor, &file))
        return false;
    sequence->file = file;
    if (file) {
        sequence->is_over = true;
        sequence->bytes = (unsigned char *)vips_source_map(file, &sequence->size);
        vips_error_clear();
        return true;
    }
    if (!read_bytes(sequence, first_bytes))
        return false;
    if (!sequence->size)
        say_error("%s: is empty", sequence->title);
    return sequence->size > 0;
}

/* Finds the end of the picture; 0 where it does not tell, and then the pipe is read to its end. */
static bool find_end(struct sequence *sequence)
{
    if (!read_bytes(sequence, first_bytes))
        return false;
    for (;;) {
        size_t held = held_bytes(sequence);
        sequence->end = sequence->bytes ? delimit_picture(sequence->bytes + sequence->start, held) : 0;
        if (sequence->end)
            return read_bytes(sequence, sequence->end + SIGNATURE_BYTES);
        if (sequence->is_over)
            return true;
        if (!read_twice(sequence))
            return false;
    }
}

static const struct signature *next_signature(const struct sequence *sequence)
{
    size_t end = sequence->end, held = held_bytes(sequence);
    const unsigned char *picture = sequence->bytes + sequence->start;
    return end && end < held ? signature_find(picture + end, held - end) : NULL;
}

static bool has_text(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return true;
    return false;
}

/* The last picture takes all that is left, because files may have bytes behind their picture. */
static bool take_all(struct sequence *sequence)
{
    while (!sequence->is_over)
        if (!read_twice(sequence))
            return false;
    size_t held = held_bytes(sequence);
    bool is_told = sequence->end > 0;
    if (is_told && (sequence->is_expected || sequence->number > 1))
        sequence->rest = has_text(sequence->bytes + sequence->start + sequence->end, held - sequence->end)
                             ? held - sequence->end
                             : 0;
    if (!is_told && sequence->takes_several)
        say_warning("%s, picture %d: its end cannot be found; a picture behind it would not be read",
                    sequence->title, sequence->number);
    sequence->end = held;
    return true;
}

static bool find_picture(struct sequence *sequence)
{
    if (!find_end(sequence))
        return false;
    sequence->next = next_signature(sequence);
    if (!sequence->next && !take_all(sequence))
        return false;
    bool is_one = sequence->number == 1 && !sequence->next;
    snprintf(sequence->name, sizeof sequence->name, is_one ? "%.40s" : "%.40s, picture %d", sequence->title,
             sequence->number);
    return true;
}

bool sequence_next(struct sequence *sequence)
{
    if (sequence->number && !sequence->next) {
        if (sequence->rest)
            say_error("%s: the %zu bytes behind picture %d are no picture in a known format", sequence->title,
                      sequence->rest, sequence->number);
        sequence->failed |= sequence->rest > 0;
        sequence->rest = 0;
        return false;
    }
    bool done = sequence->number || begin_sequence(sequence);
    sequence->start += sequence->end;
    sequence->end = 0;
    sequence->next = NULL;
    sequence->number++;
    done = done && find_picture(sequence);
    sequence->failed |= !done;
    return done;
}

void sequence_free(struct sequence *sequence)
{
    if (sequence->file)
        g_object_unref(sequence->file);
    else
        free(sequence->bytes);
    *sequence = (struct sequence){ 0 };
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

static int free_bytes(void *bytes, void *area)
{
    (void)area;
    free(bytes);
    return 0;
}

VipsSource *sequence_source(struct sequence *sequence)
{
    if (sequence->file && !sequence->next && !sequence->start)
        return g_object_ref(sequence->file);
    if (sequence->file || sequence->next)
        return vips_source_new_from_memory(sequence->bytes + sequence->start, sequence->end);
    /* The last one is released when it has been decoded. */
    move_to_start(sequence);
    VipsBlob *blob = vips_blob_new(free_bytes, sequence->bytes, sequence->size);
    sequence->bytes = NULL;
    sequence->size = sequence->room = 0;
    VipsSource *source = vips_source_new_from_blob(blob);
    vips_area_unref(VIPS_AREA(blob));
    return source;
}

VipsSource *sequence_only(const char *title, int descriptor)
{
    struct sequence sequence = { .title = title, .descriptor = descriptor };
    VipsSource *source = NULL;
    if (sequence_next(&sequence)) {
        const struct signature *next = sequence.next;
        if (next)
            say_error(
                "%s: has another picture (%s) behind the first, which would be lost; pass one at a time, "
                "or use abbe filter with {n} in the output, as in 'out-{n}.png', to filter all",
                title, next->title);
        else
            source = sequence_source(&sequence);
    }
    sequence_free(&sequence);
    return source;
}
