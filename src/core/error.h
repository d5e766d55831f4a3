/* The sentence behind a failure, kept per device and per thread. */
#ifndef ABBE_CORE_ERROR_H
#define ABBE_CORE_ERROR_H

/* Records the sentence for `device` (NULL: calls that name none) and returns `code`, so that a caller can
 * write: return core_fail(device, ABBE_ERR_SIZE, "…"). */
int core_fail(const void *device, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* core_fail with the one sentence every failed allocation shares. */
int core_fail_memory(const void *device);

/* The last sentence for `device` in this thread, or "". */
const char *core_failure(const void *device);

/* Forgets this thread's sentence for a device whose address may be used again. */
void core_forget(const void *device);

#endif
