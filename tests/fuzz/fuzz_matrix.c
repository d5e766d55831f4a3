/* Fuzz target: text matrices. Any bytes give finite numbers or a message, and ambiguous texts are refused. */
#include <abbe/abbe.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool reads(const char *text, size_t size, abbe_matrix_form form)
{
    abbe_matrix matrix = { 0 };
    int error = abbe_matrix_parse(text, size, form, &matrix);
    if (error ? matrix.values || !*abbe_error_text(NULL) : !matrix.values)
        abort();
    for (long long i = 0; i < (long long)matrix.width * matrix.height; i++)
        if (!isfinite(matrix.values[i]))
            abort();
    abbe_matrix_free(&matrix);
    return !error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of the exact length, so that the sanitizer reports a read past the end. */
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    bool rows = reads(text, size, ABBE_MATRIX_ROWS), header = reads(text, size, ABBE_MATRIX_VIPS);
    if (reads(text, size, ABBE_MATRIX_AUTO) && rows == header)
        abort();
    free(text);
    return 0;
}
