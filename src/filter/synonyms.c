/* Names that people type first for filters that have another name here: the words of other programs. */
#include "filter/synonyms.h"

#include <ctype.h>
#include <string.h>

/* `word` has neither capitals nor hyphens. Names of the catalogue need no row, nor do their misspellings. */
static const struct synonym {
    const char *word, *filter;
} synonyms[] = {
    { "blur", "gaussian" },
    { "gauss", "gaussian" },
    { "gaussianblur", "gaussian" },
    { "glow", "gaussian" },
    { "smooth", "gaussian" },
    { "soften", "gaussian" },
    { "denoise", "gaussian" },
    { "boxblur", "box" },
    { "average", "box" },
    { "mean", "box" },
    { "uniform", "box" },
    { "bokeh", "disk" },
    { "circle", "disk" },
    { "defocus", "disk" },
    { "lens", "disk" },
    { "lensblur", "disk" },
    { "pillbox", "disk" },
    { "motionblur", "motion" },
    { "clarity", "unsharp:sigma=40:amount=0.3" },
    { "sharp", "sharpen" },
    { "unsharpmask", "unsharp" },
    { "usm", "unsharp" },
    { "canny", "sobel" },
    { "contour", "sobel" },
    { "edge", "sobel" },
    { "edges", "sobel" },
    { "gradient", "sobel" },
    { "outline", "laplacian" },
    { "laplace", "laplacian" },
    { "mexicanhat", "log" },
    { "ricker", "log" },
    { "relief", "emboss" },
    { "convolve", "kernel" },
    { "detail", "highpass" },
    { "lowcut", "highpass" },
    { "highcut", "lowpass" },
    { "bandstop", "bandreject" },
    { "descreen", "notch" },
    { "dehum", "notch" },
    { "moire", "notch" },
    { "clouds", "power" },
    { "spectrum", "mask" },
    { "none", "identity" },
    { "copy", "identity" },
    { "bilateral", "" },
    { "despeckle", "" },
    { "dilate", "" },
    { "erode", "" },
    { "median", "" },
    { "nlmeans", "" },
};

static bool is_word(struct token name, const char *word)
{
    for (size_t i = 0; i < name.length; i++) {
        if (name.start[i] == '-' || name.start[i] == '_')
            continue;
        if (!*word || tolower((unsigned char)name.start[i]) != *word)
            return false;
        word++;
    }
    return !*word;
}

const char *synonym_find(struct token name)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (is_word(name, synonyms[i].word))
            return synonyms[i].filter;
    return NULL;
}
