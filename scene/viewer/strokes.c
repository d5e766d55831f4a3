/* Keeps the list of strokes, with undo and redo. */
#include "strokes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void strokes_begin(struct strokes *strokes, int width, int height)
{
    *strokes = (struct strokes){ .width = width, .height = height, .version = 1 };
}

void strokes_free(struct strokes *strokes)
{
    free(strokes->list);
    free(strokes->points);
    *strokes = (struct strokes){ 0 };
}

/* Makes room for one more element. Returns the array, moved if need be, or NULL if memory runs out. */
static void *grow_array(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t larger = *room ? 2 * *room : 64;
    void *moved = larger <= SIZE_MAX / size ? realloc(array, larger * size) : NULL;
    if (moved)
        *room = larger;
    return moved;
}

bool strokes_copy(const struct strokes *from, struct strokes *to)
{
    *to = *from;
    to->count = to->room = from->done;
    to->point_room = from->point_count;
    to->list = malloc((from->done + 1) * sizeof *to->list);
    to->points = malloc((from->point_count + 1) * sizeof *to->points);
    if (!to->list || !to->points) {
        strokes_free(to);
        return false;
    }
    if (from->done)
        memcpy(to->list, from->list, from->done * sizeof *to->list);
    if (from->point_count)
        memcpy(to->points, from->points, from->point_count * sizeof *to->points);
    return true;
}

/* ---- Deeds --------------------------------------------------------------------------------------------- */

/* Appends a deed in place of all that was undone. */
static bool append_deed(struct strokes *strokes, const struct stroke *stroke)
{
    strokes->count = strokes->done;
    const struct stroke *last = strokes->done ? &strokes->list[strokes->done - 1] : NULL;
    strokes->point_count = last ? last->first + last->count : 0;
    struct stroke *list = grow_array(strokes->list, strokes->count, &strokes->room, sizeof *list);
    if (!list)
        return false;
    strokes->list = list;
    list[strokes->count] = *stroke;
    list[strokes->count].first = strokes->point_count;
    list[strokes->count].count = 0;
    strokes->done = ++strokes->count;
    strokes->version++;
    return true;
}

void strokes_clear(struct strokes *strokes)
{
    strokes_release(strokes);
    if (strokes_painted(strokes))
        append_deed(strokes, &(struct stroke){ .deed = DEED_CLEAR });
}

void strokes_invert(struct strokes *strokes)
{
    strokes_release(strokes);
    append_deed(strokes, &(struct stroke){ .deed = DEED_INVERT });
}

bool strokes_undo(struct strokes *strokes)
{
    strokes_release(strokes);
    if (!strokes->done)
        return false;
    strokes->done--;
    strokes->version++;
    return true;
}

bool strokes_redo(struct strokes *strokes)
{
    strokes_release(strokes);
    if (strokes->done == strokes->count)
        return false;
    strokes->done++;
    strokes->version++;
    return true;
}

bool strokes_keep(const struct strokes *strokes)
{
    bool keep = false;
    for (size_t i = 0; i < strokes->done; i++)
        keep ^= strokes->list[i].deed == DEED_INVERT;
    return keep;
}

bool strokes_painted(const struct strokes *strokes)
{
    bool painted = false;
    for (size_t i = 0; i < strokes->done; i++) {
        const struct stroke *stroke = &strokes->list[i];
        if (stroke->deed == DEED_CLEAR)
            painted = false;
        else if (stroke->deed == DEED_STROKE && !stroke->erases)
            painted = true;
    }
    return painted;
}

/* ---- Drawing ------------------------------------------------------------------------------------------- */

static bool append_point(struct strokes *strokes, struct point at)
{
    struct point *points = grow_array(strokes->points, strokes->point_count, &strokes->point_room,
                                      sizeof *points);
    if (!points)
        return false;
    strokes->points = points;
    points[strokes->point_count++] = at;
    strokes->list[strokes->done - 1].count++;
    strokes->version++;
    return true;
}

void strokes_press(struct strokes *strokes, const struct stroke *kind, struct point at)
{
    strokes_release(strokes);
    if (!append_deed(strokes, kind))
        return;
    strokes->drawing = true;
    if (!append_point(strokes, at))
        strokes_cancel(strokes);
}

/* A brush takes every point that is worth it; the other tools have two points. */
void strokes_drag(struct strokes *strokes, struct point at)
{
    if (!strokes->drawing)
        return;
    struct stroke *stroke = &strokes->list[strokes->done - 1];
    struct point *last = &strokes->points[strokes->point_count - 1];
    if (stroke->tool != TOOL_BRUSH && stroke->count == 2) {
        *last = at;
        strokes->version++;
    } else if (hypot(at.u - last->u, at.v - last->v) > stroke->radius / 16) {
        append_point(strokes, at);
    }
}

void strokes_release(struct strokes *strokes)
{
    strokes->drawing = false;
}

void strokes_cancel(struct strokes *strokes)
{
    if (!strokes->drawing)
        return;
    strokes->drawing = false;
    strokes->count = --strokes->done;
    strokes->version++;
}
