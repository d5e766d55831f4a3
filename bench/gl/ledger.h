/* OpenGL's functions as the device gl calls them, watched or changed on the way: which program draws how many
 * fragments, and what frames cost without the look-ups or without the arithmetic of the shaders. */
#ifndef ABBE_BENCH_LEDGER_H
#define ABBE_BENCH_LEDGER_H

/* Functions for abbe_gl_params.get_proc_address. The stage must be open. */

/* Look-ups in textures become their coordinates, at no cost in memory. */
void (*ledger_without_lookups(const char *name))(void);

/* Fragment shaders only write zeros. */
void (*ledger_outputs_only(const char *name))(void);

/* Nothing changes, but fragments are counted. Only one device at a time may be adopted with it. */
void (*ledger_counting(const char *name))(void);

/* A fragment shader and what it has drawn since ledger_reset. */
struct ledger_entry {
    char *text; /* the shader's; its second line is a comment with the name of its file */
    unsigned program;
    double fragments;
};

enum { LEDGER_MAX = 64 };

/* Sets the fragments to zero, keeping the programs. */
void ledger_reset(void);

/* The programs of the device adopted with ledger_counting; ledger_free forgets them. */
const struct ledger_entry *ledger_entries(int *count);
void ledger_free(void);

#endif
