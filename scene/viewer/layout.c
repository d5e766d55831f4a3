/* Places panes in a window. */
#include "layout.h"

enum { GAP = 8 };

void layout_panes(enum layout layout, const struct room *room, struct area areas[PANES])
{
    int first = layout == LAYOUT_ALL ? 0 : (int)layout - LAYOUT_SOURCE;
    int count = layout == LAYOUT_ALL ? PANES : 1;
    int share = (room->width - GAP * (count + 1)) / count, height = room->height - room->above - room->below;
    for (int i = 0; i < PANES; i++)
        areas[i] = (struct area){ 0, 0, 0, 0 };
    for (int i = 0; i < count && share > 0 && height > 0; i++)
        areas[first + i] = (struct area){ GAP + i * (share + GAP), room->above, share, height };
}

bool area_contains(const struct area *area, double x, double y)
{
    return x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height;
}
