/* Fuzzes text matrices: any bytes give finite numbers or a sentence. */
#include <abbe/abbe.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of the exact length, so that the sanitizer sees a step beyond it. */
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    abbe_matrix matrix = { 0 };
    int status = abbe_matrix_parse(text, size, &matrix);
    if (status ? matrix.values || !*abbe_error_text(NULL) : !matrix.values)
        abort();
    for (long long i = 0; i < (long long)matrix.width * matrix.height; i++)
        if (!isfinite(matrix.values[i]))
            abort();
    abbe_matrix_free(&matrix);
    free(text);
    return 0;
}
