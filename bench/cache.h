/* The user's cache folder, for what is learnt once per machine. */
#ifndef ABBE_BENCH_CACHE_H
#define ABBE_BENCH_CACHE_H

/* Path of a file in abbe's part of the cache folder ($XDG_CACHE_HOME, or ~/.cache), which is made where it is
 * missing. Only where these begin with '/', as the library has it.
 * To be freed; NULL where there is no such folder. */
char *cache_path(const char *name);

#endif
