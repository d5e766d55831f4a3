/* The charges of the CPU device: terms of a price. docs/prices.md has the formulas. */
#ifndef ABBE_CPU_CHARGES_H
#define ABBE_CPU_CHARGES_H

#include "cpu/cpu.h"

enum cpu_charge {
    CHARGE_RUN,       /* one run, independent of its size */
    CHARGE_FORK,      /* waking the other threads once */
    CHARGE_SAMPLE_U8, /* loading or storing a sample, in the order of abbe_type */
    CHARGE_SAMPLE_U16,
    CHARGE_SAMPLE_F16,
    CHARGE_SAMPLE_F32,
    CHARGE_MIXED_SAMPLE, /* extra for a sample that no vector kernel loads or stores directly */
    CHARGE_LIGHT_SAMPLE, /* extra for a sample that is decoded or encoded */
    CHARGE_LOOK_SAMPLE,  /* checking a sample for finiteness before the run */
    CHARGE_FAR_BYTE,     /* a byte between the caches and memory */
    /* In space. */
    CHARGE_DIRECT_TAP,          /* one tap of one sample */
    CHARGE_DIRECT_ROW,          /* a row of taps of one sample */
    CHARGE_SEPARABLE_TAP,       /* one tap of a factor, of one sample */
    CHARGE_DIRECT_SHORT_TAP,    /* the same in 16 bits */
    CHARGE_SEPARABLE_SHORT_TAP, /* the same in 16 bits */
    CHARGE_LINE,                /* a row of a strip, for each factor */
    CHARGE_EDGE,                /* a pixel of the border beside such a row */
    /* In the Fourier plane. */
    CHARGE_ROW_FLOP,    /* one operation of the transforms of rows */
    CHARGE_COLUMN_FLOP, /* one operation of the transforms of columns */
    CHARGE_GRID_SAMPLE, /* moving a complex sample of the grid through a pass */
    CHARGE_GATHER,      /* a pixel of the border beside a row */
    CHARGE_WINDOW,      /* one window */
    CHARGE_WINDOW_LINE, /* a row or column of a window: finding its pixels */
    /* In the Fourier plane, by the plain engine. */
    CHARGE_PLAIN_FLOP,   /* one operation of any transform */
    CHARGE_PLAIN_SAMPLE, /* as CHARGE_GRID_SAMPLE */
    CHARGE_SPECTRUM,     /* planning and gains on demand: one number of H, the unit of sampler_units() */
    CPU_CHARGES
};

extern const char *const cpu_charge_names[CPU_CHARGES];

/* Sets the device's prices, the built-in ones of a level or the user's where the price file has them, and the
 * name of their section in that file. */
void cpu_set_prices(enum core_level level, abbe_device *device);

/* count_units.c: adds the units of each charge in one run of a work on `threads` threads. */
void cpu_count_units(const abbe_device *device, const struct work *work, int threads, double *units);

#endif
