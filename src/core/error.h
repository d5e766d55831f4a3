/* Error messages, kept per device and per thread. */
#ifndef ABBE_CORE_ERROR_H
#define ABBE_CORE_ERROR_H

/* Records a message for `device` (NULL for functions without a device) and returns `code`, so that a caller
 * can write: return core_fail(device, ABBE_ERR_SIZE, "…"). */
int core_fail(const void *device, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* core_fail with ABBE_ERR_MEMORY and the message of every failed allocation. */
int core_fail_memory(const void *device);

/* The last message for `device` in this thread, or "". */
const char *core_failure(const void *device);

/* Removes this thread's message for a device that is closed: its address may be used again. */
void core_forget(const void *device);

#endif
