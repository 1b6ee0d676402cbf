/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.c: looks for jobs of ours by their names, and cancels them. */
#include "route/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/uuid.h"
#include "base/variable.h"
#include "contract/codes.h"
#include "route/carrier.h"

enum {
    PROGRAM_MS = 3000, /* for one of Slurm's programs: one whose daemon is dead hangs */
    END_MS = 8000,     /* for a job to be gone */
    LOOK_MS = 200,     /* between two looks at it */
    CLEAR = 2,         /* looks that do not find it, one after the other: it may just be coming */
    SAID = 64 << 10,   /* bytes of a list */
    WORDS = 8,
};

static bool is_within(const struct config_worker *worker, char *const *environment)
{
    const struct str *options = worker->options.v;

    for (size_t i = 0; i < worker->options.n; i++)
        if (str_begins(options[i], "--jobid"))
            return true;
    return variable_of((const char *const *)environment, str_of("SLURM_JOB_ID")) != NULL;
}

struct slurm_job slurm_job_new(const struct config_worker *worker, char *const *environment,
                               const struct world *world, struct arena *a)
{
    struct slurm_job job = { .environment = environment, .world = world };
    struct uuid id;
    char text[UUID_TEXT];

    if (worker->kind != WORKER_SLURM)
        return job;
    id = world->new_id(world->self);
    uuid_text(&id, text);
    job.name = arena_printf(a, "writ-%s", text);
    job.step = is_within(worker, environment);
    return job;
}

/* ---- Slurm's programs ---- */

static int64_t now(const struct slurm_job *job)
{
    return job->world->mono_ms(job->world->self);
}

/* Until its output ends or the time is up. */
static void listen_until(const struct slurm_job *job, int from, int64_t until, struct buf *said)
{
    char bytes[4096];
    ssize_t n = 1;

    while (n > 0) {
        struct pollfd p = { .fd = from, .events = POLLIN };
        int64_t left = until - now(job);

        if (left <= 0)
            return;
        if (poll(&p, 1, poll_ms(left)) <= 0)
            continue;
        n = read(from, bytes, sizeof bytes);
        if (n > 0 && said)
            buf_add(said, bytes, (size_t)n);
        n = n < 0 && errno == EINTR ? 1 : n;
    }
}

/* Runs one to its end. False: it could not be started, took too long or ended with an error. */
static bool slurm_program(const struct slurm_job *job, char *const *words, struct buf *said)
{
    _arena_ struct arena a = { 0 };
    _fd_ int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct carrier_ask ask = { .argv = words, .environment = job->environment, .input = &nothing };
    int64_t until = now(job) + PROGRAM_MS;
    struct pollfd dead = { .events = POLLIN };
    struct error ignored;
    struct carrier c;
    int64_t left;

    if (!carrier_start(&ask, &a, &c, &ignored))
        return false;
    listen_until(job, c.from, until, said);
    dead.fd = c.pidfd;
    left = until - now(job);
    (void)poll(&dead, 1, left > 0 ? poll_ms(left) : 0);
    return carrier_end(&c) == 0 && (!said || buf_ok(said));
}

static char **words_of(struct arena *a, const char *const *from)
{
    char **words = arena_alloc(a, WORDS * sizeof *words);

    for (size_t n = 0; n < WORDS - 1 && from[n]; n++)
        words[n] = arena_text(a, str_of(from[n]));
    return words;
}

/* ---- looking ---- */

/* A line of squeue: the id, the name, the state and the reason. The first that is the job's is
 * taken; a step's line has its id and its name alone. */
static bool take_line(const struct slurm_job *job, struct str *rest, struct str words[4])
{
    const char *end = memchr(rest->s, '\n', rest->n);
    struct str line = { rest->s, end ? (size_t)(end - rest->s) : rest->n };

    *rest = (struct str){ line.s + line.n + (end != NULL), rest->n - line.n - (end != NULL) };
    for (int i = 0; i < 4; i++) {
        const char *blank = memchr(line.s, ' ', line.n);

        words[i] = (struct str){ line.s, blank && i < 3 ? (size_t)(blank - line.s) : line.n };
        line.s += words[i].n + (blank && i < 3);
        line.n -= words[i].n + (blank && i < 3);
    }
    return str_is(words[1], job->name);
}

/* The ids of the job or step: one at most, for its name is its own. No text: it is gone. */
static enum slurm_state find(const struct slurm_job *job, struct arena *a, struct str *id,
                             char words[SLURM_WORD])
{
    const char *const jobs[] = { "squeue", "--noheader", "--format=%i %j %T %r",
                                 "--name", job->name,    NULL };
    const char *const steps[] = { "squeue", "--noheader", "--steps", "--format=%i %j", NULL };
    _buf_ struct buf said = { .max = SAID };
    struct str rest, line[4];

    (void)snprintf(words, SLURM_WORD, "squeue does not tell");
    if (!slurm_program(job, words_of(a, job->step ? steps : jobs), &said))
        return SLURM_UNKNOWN;
    rest = buf_str(&said);
    while (rest.n > 0) {
        if (!take_line(job, &rest, line))
            continue;
        *id = (struct str){ arena_text(a, line[0]), line[0].n };
        (void)snprintf(words, SLURM_WORD, "%.*s%s%.*s%s", STR_ARG(line[2]), line[3].n ? " (" : "",
                       STR_ARG(line[3]), line[3].n ? ")" : "");
        return str_is(line[2], "PENDING") || str_is(line[2], "CONFIGURING") ? SLURM_QUEUED
                                                                            : SLURM_THERE;
    }
    (void)snprintf(words, SLURM_WORD, "gone");
    return SLURM_GONE;
}

enum slurm_state slurm_look(const struct slurm_job *job, char words[SLURM_WORD])
{
    _arena_ struct arena a = { 0 };
    struct str id;

    return find(job, &a, &id, words);
}

/* ---- ending ---- */

/* Without the first, a job has Slurm's KillWait, half a minute, for a command that does not listen.
 */
char *const *const *slurm_last(const struct slurm_job *job, struct arena *a)
{
    const char *path = carrier_find("scancel", job->environment, a);
    const char *const kill[] = { path, "--signal=KILL", "--name", job->name, NULL };
    const char *const cancel[] = { path, "--name", job->name, NULL };
    char *const **last = arena_alloc(a, 3 * sizeof *last);

    if (!job->name || job->step || !path)
        return NULL;
    last[0] = words_of(a, kill);
    last[1] = words_of(a, cancel);
    return (char *const *const *)last;
}

static void cancel(const struct slurm_job *job, const char *const *which, struct arena *a)
{
    const char *const kill[] = { "scancel", "--signal=KILL", which[0], which[1], NULL };
    const char *const end[] = { "scancel", which[0], which[1], NULL };

    (void)slurm_program(job, words_of(a, kill), NULL);
    (void)slurm_program(job, words_of(a, end), NULL);
}

bool slurm_end(const struct slurm_job *job, struct error *e)
{
    int64_t until = now(job) + END_MS;
    char words[SLURM_WORD];
    struct str id = { "", 0 };
    int clear = 0;

    do {
        _arena_ struct arena a = { 0 };
        enum slurm_state state = SLURM_THERE;

        if (!job->step)
            cancel(job, (const char *[]){ "--name", job->name }, &a);
        state = find(job, &a, &id, words);
        if (job->step && state == SLURM_THERE)
            cancel(job, (const char *[]){ arena_text(&a, id), NULL }, &a);
        clear = state == SLURM_GONE ? clear + 1 : 0;
        if (clear == CLEAR)
            return true;
        (void)poll(NULL, 0, LOOK_MS);
    } while (now(job) < until);
    return error_set(e, CODE_RCH_UNAVAILABLE,
                     "its %s '%s' in Slurm is not gone: %s; see `squeue%s`, and end it with "
                     "`scancel`",
                     job->step ? "step" : "job", job->name, words, job->step ? " --steps" : "");
}
