/* abbe spectrum --peaks and --chain: the periodic components of a picture as notches that remove them. */
#include "peaks.h"

#include <math.h>
#include <stdio.h>

static void print_notch(const abbe_peak *peak)
{
    printf("notch:x=%.5f:y=%.5f:radius=%.4f", peak->x, peak->y, peak->radius);
}

/* The angle is that of the direction in which the component varies, like that of every filter. */
static void print_line(const abbe_peak *peak)
{
    double frequency = hypot(peak->x, peak->y);
    print_notch(peak);
    printf("  period %.3g px, angle %.1f, amplitude %.3g, %.3g times its surroundings", 2 / frequency,
           atan2(-peak->y, peak->x) * 180 / M_PI, peak->amplitude, peak->prominence);
    if (peak->harmonic > 1)
        printf(", harmonic %d of line %zu", peak->harmonic, peak->fundamental + 1);
    putchar('\n');
}

static void print_chain(const abbe_peak *const *peaks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            putchar(',');
        print_notch(peaks[i]);
    }
    puts(count ? "" : "identity");
}

/* The picture without its alpha. */
static abbe_image view_colours(const struct picture *picture)
{
    abbe_image view = picture->view;
    if (!picture->has_alpha || view.channels < 2)
        return view;
    view.pixel_stride = view.channels * (ptrdiff_t)abbe_type_size(view.type);
    view.channels--;
    return view;
}

bool peaks_print(const struct single *single, const struct picture *picture, enum peaks_form form, int most)
{
    const abbe_image view = view_colours(picture);
    const abbe_peak *const *peaks = NULL;
    size_t count = 0;
    if (abbe_peaks_find(single->device, &view, &(abbe_peak_params){ .most = most }, &peaks, &count))
        return single_error(single->input);
    if (form == PEAKS_CHAIN)
        print_chain(peaks, count);
    for (size_t i = 0; form == PEAKS_LINES && i < count; i++)
        print_line(peaks[i]);
    if (!count)
        say_note("%s: has no periodic component that stands out", single->input);
    abbe_peaks_free(&peaks);
    return true;
}
