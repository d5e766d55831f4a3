/* Ends the command when a decoder computes without progress, as some do for ever on damaged files. */
#ifndef ABBE_PICTURE_WATCHDOG_H
#define ABBE_PICTURE_WATCHDOG_H

/* Starts to watch the decoder of the file `name`. It may use a number of seconds of processor time between two
 * calls of watchdog_progress, 60 or ABBE_DECODER_SECONDS; waiting for data does not count. */
void watchdog_begin(const char *name);

/* Allows more time, in proportion, for the rest of a picture of that many pixels: a sixtieth for each million,
 * because some decoders deliver nothing before they have decoded all. */
void watchdog_expect(long long pixels);

void watchdog_progress(void);

/* Stops watching until the next call of watchdog_progress: what follows is no work of the decoder. */
void watchdog_pause(void);
void watchdog_end(void);

#endif
