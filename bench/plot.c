/* Draws the chart by gnuplot: how many times longer each peer takes than Abbe. */
#include "report.h"

#include "say.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool plot_check(void)
{
    const char *path = getenv("PATH");
    for (const char *folder = path ? path : ""; *folder;) {
        size_t length = strcspn(folder, ":");
        char name[4096];
        snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, folder);
        if (access(name, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    say_error("--plot needs gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)");
    return false;
}

/* Writes one bar for each result of the peer and returns their number; only counts if `script` is NULL. */
static int write_bars(FILE *script, const struct report *report, const struct peer *peer)
{
    int bars = 0, place = 0;
    for (size_t i = 0; i < report->count; i++)
        for (int j = 1; j < report->results[i].count && !report->results[i].what->every_method;
             j++, place++) {
            const struct result *result = &report->results[i];
            if (result->contenders[j].peer != peer)
                continue;
            bars++;
            if (script)
                fprintf(script, "%d %.6g \"%s, %d\"\n", place, result_ratio(result, j), result->what->name,
                        result->threads);
        }
    return bars;
}

static int write_plot_data(FILE *script, const struct report *report)
{
    int bars = 0;
    for (const struct peer *const *peer = report->peers; *peer; peer++) {
        if (write_bars(NULL, report, *peer) == 0)
            continue;
        fprintf(script, "$%s << END\n", (*peer)->name);
        bars += write_bars(script, report, *peer);
        fputs("END\n", script);
    }
    return bars;
}

/* Bars point up from 1 where Abbe is faster, and down where it is slower. Returns the number of bars. */
static int write_plot_script(FILE *script, const struct report *report)
{
    int bars = write_plot_data(script, report);
    fprintf(script,
            "set terminal svg size %d,480 font 'sans-serif,12' background '#ffffff'\n"
            "set title 'How many times longer it takes than Abbe (case, threads)'\n"
            "set style fill solid 0.8 noborder\nset grid ytics\nset xtics rotate by 50 right\n"
            "set logscale y 2\nset yrange [*<0.5:2<*]\nset key top left\nset tics nomirror\nset border 3\n"
            "set xrange [-0.7:%d-0.3]\n",
            240 + 28 * (bars > 12 ? bars : 12), bars);
    fputs("plot 1 with lines linecolor rgb '#888888' notitle", script);
    for (const struct peer *const *peer = report->peers; *peer; peer++)
        if (write_bars(NULL, report, *peer) > 0)
            fprintf(script, ", $%s using 1:2:($1-0.4):($1+0.4):(1):2:xtic(3) with boxxyerror title '%s'",
                    (*peer)->name, (*peer)->name);
    fputs("\n", script);
    return bars;
}

/* Runs gnuplot with the script as standard input and the chart as standard output; true if it succeeds. */
static bool run_gnuplot(int script, int chart)
{
    char name[] = "gnuplot", *arguments[] = { name, NULL };
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, chart, STDOUT_FILENO);
    int error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &status, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool draw_chart(FILE *script, struct target *target)
{
    if (fflush(script) || lseek(fileno(script), 0, SEEK_SET) != 0 ||
        !run_gnuplot(fileno(script), target->descriptor)) {
        say_error("%s: gnuplot could not draw the chart", target->path);
        return false;
    }
    return target_commit(target);
}

bool plot_draw(const char *path, const struct report *report)
{
    struct target target;
    FILE *script = tmpfile();
    bool drawn = false;
    if (!script) {
        say_error("%s: cannot create a temporary file for the chart: %s", path, strerror(errno));
        return false;
    }
    if (write_plot_script(script, report) == 0) {
        say_error("%s: nothing to draw: no case ran against a peer", path);
    } else if (target_open(path, &target)) {
        drawn = draw_chart(script, &target);
        target_close(&target);
    }
    fclose(script);
    return drawn;
}
