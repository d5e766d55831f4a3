/* Places panes in a window. */
#include "layout.h"

enum { GAP = 8 };

/* The largest centred rectangle with the aspect ratio of the picture. */
static struct area fit_picture(struct area within, int picture_width, int picture_height)
{
    double across = (double)within.width / picture_width, down = (double)within.height / picture_height;
    double scale = across < down ? across : down;
    int width = (int)(picture_width * scale), height = (int)(picture_height * scale);
    if (width < 1 || height < 1)
        return (struct area){ 0, 0, 0, 0 };
    return (struct area){ within.x + (within.width - width) / 2, within.y + (within.height - height) / 2,
                          width, height };
}

void layout_panes(enum layout layout, const struct room *room, int picture_width, int picture_height,
                  struct area areas[PANES])
{
    int first = layout == LAYOUT_ALL ? 0 : (int)layout - LAYOUT_SOURCE;
    int count = layout == LAYOUT_ALL ? PANES : 1;
    int share = (room->width - GAP * (count + 1)) / count, height = room->height - room->above - room->below;
    for (int i = 0; i < PANES; i++)
        areas[i] = (struct area){ 0, 0, 0, 0 };
    for (int i = 0; i < count && share > 0 && height > 0; i++)
        areas[first + i] = fit_picture((struct area){ GAP + i * (share + GAP), room->above, share, height },
                                       picture_width, picture_height);
}
