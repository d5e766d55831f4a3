/* The page about the four papers: their figures beside those of one or more machines. It is written from reports
 * in JSON alone, so that every figure on it is one that the program printed. */
#ifndef ABBE_BENCH_PAGE_H
#define ABBE_BENCH_PAGE_H

#include "papers/chart.h"
#include "papers/document.h"

enum { MACHINES_MAX = 9 }; /* this one and those of --from */

struct page {
    FILE *out;
    const char *charts; /* folder of the charts, as the page names it */
    const struct value *reports[MACHINES_MAX];
    int count;
    bool (*draw)(void *user, const char *name, const struct chart *chart); /* writes NAME.svg */
    void *user;
    bool failed; /* a chart could not be written */
};

/* The whole page. */
void page_write(struct page *page);

/* One section for each paper, in moreland.c, payne.c, fialka.c and podlozhnyuk.c. */
void write_moreland(struct page *page);
void write_payne(struct page *page);
void write_fialka(struct page *page);
void write_podlozhnyuk(struct page *page);

/* The letter of a machine. */
char machine_letter(int machine);

/* Median seconds of a contender in a case on a machine; 0 if it was not measured. The name of the case is given
 * as for printf. */
double seconds_of(const struct page *page, int machine, const char *contender, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a method in a case that compares methods. */
double method_seconds(const struct page *page, int machine, const char *method, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

/* What a contender noted, such as its method; "" if it was not measured. */
const char *detail_of(const struct page *page, int machine, const char *contender, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

/* 1 / seconds, or 0 for 0. */
double rate(double seconds);

/* a / b, or 0 if one of them is missing. */
double ratio(double a, double b);

/* Writes a number with three digits or more, or an empty cell for 0. */
void put_cell(FILE *out, double value);

/* Writes a row whose first cell is given as for printf. Returns without writing if all values are 0. */
void put_row(FILE *out, const double *values, int count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the heads "| first | name | … |" and the line below. */
void put_head(FILE *out, const char *first, const char *const *names, int count);

/* Draws a chart and refers to it, unless there is nothing to draw. */
void put_chart(struct page *page, const char *name, const char *text, const struct chart *chart);

#endif
