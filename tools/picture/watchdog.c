/* Ends the command when a decoder computes without progress: a timer of processor time, and its signal. */
#include "watchdog.h"

#include "options.h"
#include "say.h"
#include "target.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { SECONDS = 60 };

static bool watching;
static double seconds;          /* without progress, for a small picture */
static double allowed;          /* for this one */
static char last_words[1024];   /* printed by the handler, which may not format */
static struct sigaction former; /* of SIGPROF */

static void end_command(int number)
{
    (void)number;
    target_die(last_words);
}

/* Starts the timer anew; 0 stops it. */
static void set_timer(double after)
{
    double whole = floor(after);
    struct itimerval timer = { .it_value = { (time_t)whole, (suseconds_t)((after - whole) * 1e6) } };
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* The number in the environment; a text that is no number is ignored. */
static double seconds_wanted(void)
{
    const char *text = getenv("ABBE_DECODER_SECONDS");
    double wanted;
    return text && option_number(text, &wanted) && wanted >= 0 && wanted < 1e6 ? wanted : SECONDS;
}

void watchdog_begin(const char *name)
{
    struct itimerval other;
    seconds = allowed = seconds_wanted();
    /* A profiler may use the timer. */
    if (seconds == 0 || getitimer(ITIMER_PROF, &other) != 0 || other.it_value.tv_sec ||
        other.it_value.tv_usec)
        return;
    snprintf(last_words, sizeof last_words,
             "%.800s: cannot be read: its decoder does not come to an end; ABBE_DECODER_SECONDS allows more "
             "time",
             name);
    make_printable(last_words);
    struct sigaction action = { .sa_handler = end_command, .sa_flags = SA_ONSTACK };
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, &former);
    watching = true;
    set_timer(allowed);
}

void watchdog_expect(long long pixels)
{
    allowed = seconds * (1 + (double)pixels / 60e6);
    watchdog_progress();
}

void watchdog_progress(void)
{
    if (watching)
        set_timer(allowed);
}

void watchdog_pause(void)
{
    if (watching)
        set_timer(0);
}

void watchdog_end(void)
{
    if (!watching)
        return;
    set_timer(0);
    sigaction(SIGPROF, &former, NULL);
    watching = false;
}
