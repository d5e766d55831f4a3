/* Fuzz target: the file of measured prices. After any bytes every price is within its range, and prices
 * change only when the whole text is valid. */
#include "device/prices.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "row_flop", "far_byte", "run" };
    static const double builtin[] = { 3e-11, 5e-11, 1e-6 };
    double prices[3];
    memcpy(prices, builtin, sizeof prices);
    /* A copy of the exact length, so that the sanitizer reports a read past the end. */
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    bool sound = prices_parse(text, size, &(struct price_list){ "cpu:avx2", names, 3, prices });
    for (int i = 0; i < 3; i++)
        if (!(prices[i] >= builtin[i] / 1000 && prices[i] <= builtin[i] * 1000))
            abort();
    if (!sound && memcmp(prices, builtin, sizeof prices) != 0)
        abort();
    free(text);
    return 0;
}
