/* The price file: prices that abbe-bench --calibrate measured on this machine. */
#ifndef ABBE_DEVICE_PRICES_H
#define ABBE_DEVICE_PRICES_H

#include "device/device.h"

/* The prices of one section: the names of the charges, and the seconds per unit of each. */
struct price_list {
    const char *section;
    const char *const *names;
    int count;
    double *prices; /* the built-in prices; prices of the file replace them */
};

/* Reads the price file of a device: the file `prices` in the folder that the application named, the file that
 * ABBE_PRICES names, or else `prices` in the default cache folder. Leaves the prices unchanged when there is
 * no file, when ABBE_PRICES is "builtin", and, with a line to the logger, when the file cannot be read or is
 * invalid. */
void prices_read(const abbe_device *device, const struct price_list *list);

/* Reads prices from the text of such a file. Returns whether all of it is valid; otherwise no price
 * changes. */
bool prices_parse(const char *text, size_t length, const struct price_list *list);

#endif
