/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c: the command lines that reach workers, and whether they can. */
#include "route/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "contract/codes.h"
#include "route/carrier.h"
#include "route/command.h"

enum { WORDS_MORE = 32 }; /* than the worker's own: those of the tables below */

struct line {
    struct arena *a;
    char **argv;
    size_t n;
    const char *writ;            /* of a pipe */
    const struct slurm_job *job; /* of slurm, as is what it needs; NULL: not known */
    const struct worker_need *need;
};

static struct line line_new(const struct config_worker *worker, size_t more, struct arena *a)
{
    size_t words = worker->options.n + worker->command.n + more + WORDS_MORE;

    return (struct line){ .a = a, .argv = arena_alloc(a, words * sizeof(char *)) };
}

static void add(struct line *l, const char *word)
{
    l->argv[l->n++] = arena_text(l->a, str_of(word));
}

static void add_all(struct line *l, const char *const *words)
{
    for (; *words; words++)
        add(l, *words);
}

static void add_items(struct line *l, const struct items *items)
{
    const struct str *words = items->v;

    for (size_t i = 0; i < items->n; i++)
        l->argv[l->n++] = arena_text(l->a, words[i]);
}

/* writ on the other machine, by the name it has there. */
static void add_writ(struct line *l, const struct config_worker *worker, const char *writ)
{
    static const char *const words[] = { "worker", "--stdio", NULL };

    if (worker->command.n)
        add_items(l, &worker->command);
    else
        add(l, writ);
    add_all(l, words);
}

/* ---- each kind ---- */

static void pipe_line(struct line *l, const struct config_worker *worker)
{
    add_writ(l, worker, l->writ);
}

/* ssh keeps the first value it is given of an option: what must hold stands before the user's own
 * options, and what may be chosen after them. It never becomes a master that others depend on. */
static void ssh_line(struct line *l, const struct config_worker *worker)
{
    static const char *const must[] = { "ssh", "-T", "-o", "BatchMode=yes", NULL };
    static const char *const may[] = {
        "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3",
        "-o", "ControlMaster=no",       NULL,
    };

    add_all(l, must);
    add_items(l, &worker->options);
    add_all(l, may);
    add(l, "-o");
    add(l, arena_printf(l->a, "ConnectTimeout=%lld", (long long)worker->patience_secs));
    add(l, "--");
    l->argv[l->n++] = arena_text(l->a, worker->host);

    size_t first = l->n;

    add_writ(l, worker, "writ");
    for (size_t i = first; i < l->n; i++) { /* a shell over there reads these */
        struct str word = str_of(l->argv[i]);

        l->argv[i] = arena_text(l->a, command_join((struct words){ &word, 1 }, l->a));
    }
}

/* The job has room for the run and for what carries it, and a time of its own, in whole minutes:
 * should nobody be left to end it, Slurm does. Options of the worker come later, and win. */
static void add_need(struct line *l)
{
    enum { MORE_MB = 128, MINUTE_MS = 60000 };
    const struct worker_need *need = l->need;

    add(l, arena_printf(l->a, "--mem=%lldM", (long long)need->memory_mb + MORE_MB));
    add(l, arena_printf(l->a, "--cpus-per-task=%lld", (long long)need->cpu_cores));
    add(l, arena_printf(l->a, "--time=%lld",
                        (long long)((need->time_ms + SLURM_SPARE_MS + MINUTE_MS - 1) / MINUTE_MS)));
}

/* By default srun passes on output line by line, and a frame has no line's end: without
 * --unbuffered it would wait for ever. What it makes of the output then is a terminal in name only:
 * every byte passes. */
static void slurm_line(struct line *l, const struct config_worker *worker)
{
    static const char *const words[] = {
        "srun", "--ntasks=1", "--wait=0", "--kill-on-bad-exit=0", "--input=0", "--unbuffered", NULL
    };

    add_all(l, words);
    if (l->job && l->need && !l->job->step)
        add_need(l);
    add_items(l, &worker->options);
    if (l->job)
        add(l, arena_printf(l->a, "--job-name=%s", l->job->name)); /* whatever the options say */
    add_writ(l, worker, "writ");
    add(l, "--eager"); /* srun sends a kibibyte, and the next when that was answered */
}

static void wrap_line(struct line *l, const struct config_worker *worker)
{
    static const char *const words[] = { "exec", "--", NULL };

    if (worker->command.n)
        add_items(l, &worker->command);
    else
        add(l, "rch");
    add_all(l, words);
}

static void (*const lines[WORKER_KINDS])(struct line *l, const struct config_worker *worker) = {
    [WORKER_PIPE] = pipe_line,
    [WORKER_SLURM] = slurm_line,
    [WORKER_SSH] = ssh_line,
    [WORKER_WRAP] = wrap_line,
};

char **worker_carrier(const struct config_worker *worker, const char *writ,
                      const struct slurm_job *job, const struct worker_need *need, struct arena *a)
{
    struct line l = line_new(worker, 0, a);

    l.writ = writ;
    l.job = job;
    l.need = need;
    lines[worker->kind](&l, worker);
    return l.argv;
}

char **worker_wrapped(const struct config_worker *worker, char *const *argv, struct arena *a)
{
    struct line l;
    size_t n = 0;

    while (argv[n])
        n++;
    l = line_new(worker, n, a);
    wrap_line(&l, worker);
    for (size_t i = 0; i < n; i++)
        add(&l, argv[i]);
    return l.argv;
}

/* ---- is it there? ---- */

/* Until it has ended, the time is up or somebody calls; what it prints is not looked at. */
static bool ends_in_time(const struct carrier *c, int64_t secs, int cancel)
{
    _fd_ int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const struct itimerspec once = { .it_value = { .tv_sec = secs } };
    struct pollfd fds[] = { { .fd = c->pidfd, .events = POLLIN },
                            { .fd = timer, .events = POLLIN },
                            { .fd = cancel, .events = POLLIN },
                            { .fd = c->from, .events = POLLIN } };
    char bytes[4096];

    if (timer < 0 || timerfd_settime(timer, 0, &once, NULL) != 0)
        return false;
    while (!fds[0].revents && !fds[1].revents && !fds[2].revents) {
        if (poll(fds, COUNT(fds), -1) > 0 && fds[3].revents &&
            read(c->from, bytes, sizeof bytes) <= 0)
            fds[3].fd = -1;
    }
    return fds[0].revents != 0;
}

static bool probe(const struct config_worker *worker, char *const *environment, int cancel,
                  struct arena *a, struct error *e)
{
    struct line l = line_new(worker, worker->probe.n, a);
    _fd_ int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct carrier_ask ask = { .environment = environment, .input = &nothing };
    struct carrier c;
    bool in_time;
    int status;

    add_items(&l, &worker->probe);
    ask.argv = l.argv;
    if (!carrier_start(&ask, a, &c, e))
        return false;
    in_time = ends_in_time(&c, worker->patience_secs, cancel);
    status = carrier_end(&c);
    if (!in_time && cancel_asked(cancel))
        return error_set(e, CODE_RCH_UNAVAILABLE, "the probe '%s' was not waited for: cancelled",
                         l.argv[0]);
    if (!in_time)
        return error_set(e, CODE_RCH_UNAVAILABLE,
                         "the probe '%s' did not end within %lld s; see what it waits for",
                         l.argv[0], (long long)worker->patience_secs);
    if (status != 0)
        return error_set(e, CODE_RCH_UNAVAILABLE,
                         "the probe '%s' ended with %d, and with 0 where the worker is available",
                         l.argv[0],
                         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return true;
}

bool worker_available(const struct config_worker *worker, char *const *environment,
                      const char *writ, int cancel, struct error *e)
{
    _arena_ struct arena a = { 0 };
    const char *program = worker_carrier(worker, writ, NULL, NULL, &a)[0];

    if (!carrier_find(program, environment, &a))
        return error_set(e, CODE_RCH_UNAVAILABLE,
                         "'%s' is not a program in PATH; install it, or use another worker",
                         program);
    return worker->kind != WORKER_WRAP || !worker->probe.n ||
           probe(worker, environment, cancel, &a, e);
}
