/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c: starts a wrapper as its caller would, watches over it as over a run of ours, and reads
 * what became of it by the worker's row.
 */
#include "route/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/quiet.h"
#include "contract/codes.h"
#include "contract/layers.h"
#include "contract/limits.h"
#include "route/carrier.h"
#include "route/workers.h"
#include "sandbox/input.h"

enum { PIPE_BYTES = 1 << 20, WORDS_MAX = 160 };

/* What a run holds open; let_go() closes it. */
struct wrapped {
    const struct wrap_ask *ask;
    char **argv; /* with the wrapper in front */
    int input;
    struct carrier carrier;
    char *parts;
    struct capture out, err;
};

static void let_go(struct wrapped *w)
{
    if (w->input >= 0)
        (void)close(w->input);
    capture_end(&w->out);
    capture_end(&w->err);
    buf_free(&w->out.head);
    buf_free(&w->err.head);
    free(w->parts);
}

/* ---- what the wrapper says of itself ---- */

static bool is_refusal(const struct config_worker *worker, const struct outcome *out)
{
    const int64_t *refusals = worker->refusals.v;

    for (size_t i = 0; out->cause == CAUSE_EXITED && i < worker->refusals.n; i++)
        if (refusals[i] == out->exit_code)
            return true;
    return false;
}

/* The last line it wrote, fit for a message: what it says is not ours. */
static const char *last_words(const struct printed *err, struct arena *a)
{
    bool whole;
    struct str said = printed_end(err, &whole);
    size_t begin;
    char *words;

    while (said.n > 0 && (unsigned char)said.s[said.n - 1] <= ' ')
        said.n--;
    for (begin = said.n; begin > 0 && said.s[begin - 1] != '\n'; begin--)
        ;
    said = (struct str){ said.s + begin, said.n - begin };
    if (said.n > WORDS_MAX)
        said.n = WORDS_MAX;
    words = arena_text(a, said);
    for (size_t i = 0; i < said.n; i++)
        if (words[i] < ' ' || words[i] > '~')
            words[i] = '?';
    return words;
}

/* its own failures are those that its row lists. */
static enum wrap_end judge(const struct wrapped *w, const struct outcome *out, struct arena *a,
                           struct error *e)
{
    const char *words;

    if (!is_refusal(w->ask->worker, out))
        return WRAP_ENDED;
    words = last_words(&out->err, a);
    (void)error_set(e, CODE_RCH_UNAVAILABLE,
                    "%s ended with %d, which is one of the worker's refusals: it did not run the "
                    "command%s%s%s; run it by hand to see why, or take %d off the refusals if it "
                    "is the command's own",
                    w->argv[0], out->exit_code, *words ? ", and said '" : "", words,
                    *words ? "'" : "", out->exit_code);
    return WRAP_UNAVAILABLE;
}

/* ---- a run ---- */

static bool prepare(struct wrapped *w, struct arena *a, struct error *e)
{
    const struct wrap_ask *ask = w->ask;

    w->argv = worker_wrapped(ask->worker, ask->argv, a);
    if (!carrier_find(w->argv[0], ask->environment, a))
        return error_set(e, CODE_RCH_UNAVAILABLE,
                         "'%s' is neither a program in PATH nor the whole path of one; install it, "
                         "or change the worker's command in your configuration",
                         w->argv[0]);
    w->input = input_file(ask->input);
    return w->input >= 0 || error_sys(e, CODE_IO, "standard input cannot be made");
}

static bool start(struct wrapped *w, struct arena *a, struct error *e)
{
    const struct carrier_ask ask = { .argv = w->argv,
                                     .environment = w->ask->environment,
                                     .cwd = w->ask->cwd,
                                     .input = &w->input,
                                     .errors = true };

    return carrier_start(&ask, a, &w->carrier, e);
}

/* Takes over one of the carrier's pipes. */
static void listen_to(struct capture *c, int *from, int live, enum output output, char *part)
{
    (void)fcntl(*from, F_SETPIPE_SZ, PIPE_BYTES); /* a matter of speed alone */
    (void)fcntl(*from, F_SETFL, O_NONBLOCK);
    capture_begin(c, *from, live, (size_t)outputs[output].bytes, part);
    *from = -1;
}

/* As supervise.h wants it; the last is for a guard that does not do its work. */
static void send_signal(void *self, int signal)
{
    const struct carrier *c = self;

    if (signal == SIGKILL)
        (void)kill(c->pid, SIGKILL);
    else
        carrier_signal(c, signal == SIGTERM ? SIGTERM : SIGKILL);
}

/* None of our walls held it: the user, who named the wrapper, does without them. */
static void measure(const struct rusage *used, struct outcome *out)
{
    out->cpu_ms = (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000LL +
                  (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1000;
    out->memory_peak_bytes = used->ru_maxrss * 1024LL;
    out->layers = 0;
    out->missing = LAYER_ALL;
    out->cgroup = "none";
}

static void watch(struct wrapped *w, const struct world *world, struct arena *a,
                  struct outcome *out)
{
    const struct wrap_ask *ask = w->ask;
    struct threads nobody = { .listener = -1 };
    struct supervision s = { .world = world,
                             .line = -1,
                             .init = w->carrier.pidfd,
                             .cancel = ask->cancel,
                             .timeout_ms = ask->timeout_ms,
                             .at_once = ask->at_once,
                             .pace = ask->pace,
                             .out = &w->out,
                             .err = &w->err,
                             .threads = &nobody,
                             .send = send_signal,
                             .send_self = &w->carrier,
                             .stopped_for = CAUSE_EXITED };
    const struct cgroup_usage nothing = { 0 };
    int64_t begin = world->mono_ms(world->self);

    w->parts = malloc(2 * (size_t)CAPTURE_PART);
    if (!w->parts)
        mem_end();
    listen_to(&w->out, &w->carrier.from, ask->live[0], OUTPUT_STDOUT, w->parts);
    listen_to(&w->err, &w->carrier.err, ask->live[1], OUTPUT_STDERR, w->parts + CAPTURE_PART);
    s.began_ms = begin;
    supervise(&s);
    s.ended = true;
    s.status = carrier_end(&w->carrier);
    outcome_judge(&s, &nothing, out);
    out->error = 0;
    out->duration_ms = s.over_ms - begin;
    out->out = outcome_printed(&w->out, a);
    out->err = outcome_printed(&w->err, a);
    measure(&w->carrier.used, out);
}

static enum wrap_end run(struct wrapped *w, const struct world *world, struct arena *a,
                         struct outcome *out, struct error *e)
{
    if (!prepare(w, a, e))
        return WRAP_UNAVAILABLE;
    if (w->ask->permit && !w->ask->permit(w->ask->permit_self, e))
        return WRAP_FORBIDDEN;
    if (!start(w, a, e))
        return WRAP_UNAVAILABLE;
    watch(w, world, a, out);
    return judge(w, out, a, e);
}

enum wrap_end wrap_run(const struct wrap_ask *ask, const struct world *world, struct arena *a,
                       struct outcome *out, struct error *e)
{
    struct wrapped w = { .ask = ask,
                         .input = -1,
                         .carrier = { .pidfd = -1, .to = -1, .from = -1, .err = -1 },
                         .out = { .from = -1, .live = { .to = -1 } },
                         .err = { .from = -1, .live = { .to = -1 } } };
    sigset_t before = quiet_begin();
    enum wrap_end end;

    *out = outcome_not_started(ENOENT);
    end = run(&w, world, a, out, e);
    let_go(&w);
    quiet_end(&before);
    return end;
}
