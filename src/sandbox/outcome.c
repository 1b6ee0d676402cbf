/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c: turns what was seen of a run into how it ended. */
#include "sandbox/outcome.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "contract/codes.h"

static void read_status(int status, struct outcome *out)
{
    out->cause = WIFSIGNALED(status) ? CAUSE_SIGNALED : CAUSE_EXITED;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out->core = WIFSIGNALED(status) && WCOREDUMP(status);
    out->exit_code = out->signal ? 128 + out->signal : WEXITSTATUS(status);
}

static int exit_code_of(int why)
{
    return why == ENOENT || why == ENOTDIR ? 127 : 126;
}

/* A01-1: memory and time only with the evidence for it. */
void outcome_judge(const struct supervision *s, const struct cgroup_usage *usage,
                   struct outcome *out)
{
    read_status(s->ended ? s->status : SIGKILL, out);
    out->forced = s->forced;
    out->unheld = s->unheld;
    out->page_open = s->page_open;
    if (s->failed) {
        out->cause = CAUSE_EXEC_FAILED;
        out->error = s->failure.sys;
        out->exit_code = exit_code_of(s->failure.sys);
        out->signal = 0;
    } else if (s->made) {
        out->cause = CAUSE_VIOLATION;
        out->exit_code = EXIT_VIOLATION;
        out->excess = "a denied name came into being: `denials` has it";
    } else if (s->breached) {
        out->cause = CAUSE_VIOLATION;
        out->exit_code = EXIT_VIOLATION;
        out->layers &= ~(1U << LAYER_MOUNT);
        out->missing |= 1U << LAYER_MOUNT;
    } else if (s->stopped_for == CAUSE_VIOLATION) {
        out->cause = CAUSE_VIOLATION;
        out->exit_code = EXIT_VIOLATION;
        out->excess = s->excess;
    } else if (s->stopped_for == CAUSE_TIMEOUT) {
        out->cause = CAUSE_TIMEOUT;
        out->exit_code = EXIT_TIMEOUT;
    } else if (s->stopped_for == CAUSE_CANCELLED) {
        out->cause = CAUSE_CANCELLED;
        if (out->exit_code == 0)
            out->exit_code = EXIT_CANCELLED; /* it ended well, and did not do its work */
    } else if (out->exit_code == EXIT_OOM && usage->oom_kills > 0) { /* it, or what it waited for */
        out->cause = CAUSE_OOM;
    }
}

#define UNENDED \
    "the kernel has not ended its processes in %d s; see `ps -eo pid,stat,wchan,args` for those in state D"

bool outcome_unseen(const struct supervision *s, struct outcome *out, struct error *e)
{
    if (!s->ready)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:pid: the sandbox was not built in time, and " UNENDED,
                         END_MS / 1000);
    out->unseen = true;
    return error_set(e, CODE_IO, "the end of the command was not seen: " UNENDED, END_MS / 1000);
}

const char *outcome_violation(const struct outcome *o)
{
    return o->excess ? o->excess
                     : "somebody outside replaced what it was kept from, and it was not any more";
}

struct printed outcome_printed(struct capture *c, struct arena *a)
{
    struct printed p = { .bytes = c->total, .digest = sha256_end(&c->sum), .lost = c->live.lost };

    p.head = (struct str){ arena_text(a, buf_str(&c->head)), c->head.len };
    p.tail = last_text(p.head, &c->tail, a);
    return p;
}

static struct outcome outcome_of_nothing(void)
{
    struct printed nothing = { .head = { "", 0 }, .digest = digest_of("", 0) };

    return (struct outcome){ .out = nothing, .err = nothing, .cgroup = "none" };
}

struct outcome outcome_unrun(enum cause cause, int exit_code)
{
    struct outcome o = outcome_of_nothing();

    o.cause = cause;
    o.exit_code = exit_code;
    return o;
}

struct outcome outcome_waited(enum cause cause, int64_t ms)
{
    struct outcome o = outcome_of_nothing();

    o.cause = cause;
    o.exit_code = cause == CAUSE_TIMEOUT ? EXIT_TIMEOUT : EXIT_CANCELLED;
    o.duration_ms = ms;
    return o;
}

struct outcome outcome_not_started(int why)
{
    struct outcome o = outcome_of_nothing();

    o.cause = CAUSE_EXEC_FAILED;
    o.exit_code = exit_code_of(why);
    o.error = why;
    return o;
}

bool printed_cut(const struct printed *p)
{
    return p->redacted ? p->cut : p->bytes > (int64_t)p->head.n;
}

struct str printed_end(const struct printed *p, bool *whole)
{
    struct str end = printed_cut(p) ? p->tail : p->head;

    *whole = !printed_cut(p) && end.n <= LAST_BYTES;
    if (end.n > LAST_BYTES)
        end = (struct str){ end.s + end.n - LAST_BYTES, LAST_BYTES };
    for (int i = 0; !*whole && i < 3 && end.n && ((unsigned char)*end.s & 0xc0) == 0x80; i++)
        end = (struct str){ end.s + 1, end.n - 1 };
    return end.s ? end : str_of("");
}
