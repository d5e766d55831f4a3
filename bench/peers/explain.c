/* What Abbe has chosen, for the tables. */
#include "peer.h"

#include <stdio.h>

/* The method with the sizes that matter: "fft 1920x1080", "tiles 512x512". */
static void describe(const abbe_candidate *chosen, struct peer_note *note)
{
    const char *name = abbe_method_name(chosen->method);
    if (chosen->method == ABBE_METHOD_FFT || chosen->method == ABBE_METHOD_TILES)
        snprintf(note->detail, sizeof note->detail, "%s %dx%d", name, chosen->fft_width, chosen->fft_height);
    else
        snprintf(note->detail, sizeof note->detail, "%s", name);
    note->method = chosen->method;
    note->predicted = chosen->seconds;
}

void peer_explain(const abbe_plan *plan, struct peer_note *note)
{
    const abbe_candidate *candidates = NULL;
    size_t count = 0;
    if (abbe_plan_explain(plan, &candidates, &count))
        return;
    for (size_t i = 0; i < count; i++)
        if (candidates[i].chosen)
            describe(&candidates[i], note);
}
