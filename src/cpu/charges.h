/* The primitives that prices of the CPU device are made of. docs/prices.md has the formulas. */
#ifndef ABBE_CPU_CHARGES_H
#define ABBE_CPU_CHARGES_H

#include "cpu/cpu.h"

enum cpu_charge {
    CHARGE_RUN,       /* one run, whatever its size */
    CHARGE_FORK,      /* waking the other threads once */
    CHARGE_SAMPLE_U8, /* loading or storing a sample, in the order of abbe_type */
    CHARGE_SAMPLE_U16,
    CHARGE_SAMPLE_F16,
    CHARGE_SAMPLE_F32,
    CHARGE_MIXED_SAMPLE, /* more for a sample that no vector kernel loads or stores as it is */
    CHARGE_LIGHT_SAMPLE, /* more for one that goes through the light curve */
    CHARGE_LOOK_SAMPLE,  /* looking beforehand whether a sample is finite */
    CHARGE_FAR_BYTE,     /* a byte between the cache and memory */
    /* In space. */
    CHARGE_DIRECT_TAP,       /* one tap of one sample */
    CHARGE_DIRECT_ROW,       /* a row of taps of one sample */
    CHARGE_SEPARABLE_TAP,    /* one tap of a factor, of one sample */
    CHARGE_DIRECT_SHORT_TAP, /* the first and the third in 16 bits */
    CHARGE_SEPARABLE_SHORT_TAP,
    CHARGE_LINE, /* a row of a strip, once per factor */
    CHARGE_EDGE, /* a pixel of the border beside such a row */
    /* In the Fourier plane. */
    CHARGE_ROW_FLOP,    /* one operation of the transforms of rows */
    CHARGE_COLUMN_FLOP, /* and of columns */
    CHARGE_GRID_SAMPLE, /* moving a complex sample of the grid through a pass */
    CHARGE_GATHER,      /* a pixel of the border beside a row */
    CHARGE_WINDOW,      /* the picture, or a tile */
    CHARGE_WINDOW_LINE, /* a row or a column of the picture or of a tile: finding its place */
    /* There by the plain engine. */
    CHARGE_PLAIN_FLOP, /* one operation of any transform */
    CHARGE_PLAIN_SAMPLE,
    CPU_CHARGES
};

extern const char *const cpu_charge_names[CPU_CHARGES];

/* The built-in prices of a level, or those of the user's file where it has some; and the section they are in. */
void cpu_price(enum core_level level, abbe_device *device);

/* tally.c: units of all charges that one run of a work takes on so many threads. */
void cpu_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

#endif
