/* Memory: every allocation of the library, with overflow-checked sizes. */
#ifndef ABBE_CORE_MEMORY_H
#define ABBE_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The size of a cache line, and of the longest vector of any CPU the library is compiled for. */
#define CORE_ALIGNMENT 64

/* *product = a · b; on overflow returns false and leaves *product unchanged. */
static inline bool core_multiply(size_t a, size_t b, size_t *product)
{
    size_t result;
    if (__builtin_mul_overflow(a, b, &result))
        return false;
    *product = result;
    return true;
}

/* count · size bytes aligned to CORE_ALIGNMENT, contents undefined; NULL without memory or on overflow. */
void *core_alloc(size_t count, size_t size);

/* The same, filled with zeros. */
void *core_alloc_zero(size_t count, size_t size);

/* Releases memory of the two functions above; accepts NULL. */
void core_free(void *memory);

#endif
