/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c: the action `execute`: a step's payload is a request, and runs in the sandbox. */
#include <inttypes.h>
#include <string.h>

#include "base/doc_make.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/changes.h"
#include "engine/exec_network.h"
#include "engine/lane.h"
#include "engine/plan.h"

void check_execute(void *self, const struct step_doc *step, struct report *r)
{
    struct request_doc *request = arena_new(r->a, struct request_doc);
    const struct running *run = self;

    if (shape_decode(&execute_shape, step->payload, r, request))
        lane_suits(run->fleet, step->payload, request, r);
}

/* ---- what came of it ---- */

/* What is not UTF-8 becomes U+FFFD, and so does NUL, which would end the text. */
static const char *readable(struct str bytes, struct arena *a)
{
    _buf_ struct buf text = { .max = 4 * LAST_BYTES };

    while (bytes.n) {
        size_t good = strnlen(bytes.s, utf8_valid(bytes));

        buf_add(&text, bytes.s, good);
        if (good < bytes.n)
            buf_adds(&text, "\xef\xbf\xbd");
        good += good < bytes.n;
        bytes = (struct str){ bytes.s + good, bytes.n - good };
    }
    return arena_text(a, buf_str(&text));
}

/* The end of what it said, from the beginning of a line where there is one. */
static const char *last_words(const struct printed *err, struct arena *a)
{
    bool whole;
    struct str end = printed_end(err, &whole);
    const char *line;

    if (end.n == 0)
        return NULL;
    line = whole ? NULL : memchr(end.s, '\n', end.n);
    if (line && line + 1 < end.s + end.n)
        end = (struct str){ line + 1, (size_t)(end.s + end.n - line - 1) };
    return readable(end, a);
}

static void add_digest(struct arena *a, struct doc *to, const char *key, const struct digest *d)
{
    char text[DIGEST_TEXT];

    digest_text(d, text);
    doc_add_text(a, to, key, str_of(arena_text(a, str_of(text))));
}

/* Nothing is kept of what nobody captured. */
static bool is_kept(const struct digest *d)
{
    static const struct digest none;

    return memcmp(d, &none, sizeof none) != 0;
}

static void add_printed(const struct exec *x, struct arena *a, struct doc *to)
{
    static const char *const names[] = { "stdout", "stderr" };
    const struct printed *printed[] = { &x->outcome.out, &x->outcome.err };

    for (size_t i = 0; i < COUNT(names); i++) {
        struct doc *stream;

        if (printed[i]->bytes == 0)
            continue;
        stream = doc_add_kind(a, to, names[i], DOC_MAP);
        doc_add_int(a, stream, "bytes", printed[i]->bytes);
        add_digest(a, stream, "digest", &printed[i]->digest);
        if (printed_cut(printed[i]))
            doc_add_bool(a, stream, "truncated", true);
        if (is_kept(&x->now.printed[i]))
            add_digest(a, stream, "evidence", &x->now.printed[i]);
    }
}

static void add_files(const char *key, const struct collected_list *list, struct arena *a,
                      struct doc *to)
{
    struct doc *files = list->n ? doc_add_kind(a, to, key, DOC_LIST) : NULL;

    for (size_t i = 0; i < list->n; i++) {
        const struct collected *c = &list->v[i];
        struct doc *file = doc_add_kind(a, files, NULL, DOC_MAP);

        doc_add_text(a, file, "path", (struct str){ arena_text(a, c->path), c->path.n });
        doc_add_text(a, file, "state", str_of(collect_state_names[c->state]));
        if (c->state != COLLECT_DONE)
            continue;
        doc_add_int(a, file, "bytes", c->bytes);
        add_digest(a, file, "digest", &c->digest);
    }
}

/* Of a step that wrote beside the disk: how many changes of each kind wait for somebody. */
static void add_changes(const struct exec *x, struct arena *a, struct doc *to)
{
    const struct changes *all = x->now.changes ? &x->now.changes->changes : NULL;
    int64_t counts[CHANGE_DELETED + 1] = { 0 };
    struct doc *changes;

    if (!all)
        return;
    for (size_t i = 0; i < all->n; i++)
        counts[all->v[i].change]++;
    changes = doc_add_kind(a, to, "changes", DOC_MAP);
    for (size_t i = 0; i < COUNT(counts); i++)
        doc_add_int(a, changes, change_names[i], counts[i]);
    if (all->cut)
        doc_add_text(a, changes, "truncated", str_of(arena_text(a, str_of(all->cut))));
}

static struct doc *outcome_doc(const struct job *job, const struct exec *x, struct arena *a)
{
    struct doc *d = doc_root(a, DOC_MAP);
    const struct outcome *o = &x->outcome;

    doc_add_text(a, d, "execution_id", str_of(arena_text(a, str_of(job->execution))));
    doc_add_int(a, d, "exit_code", o->exit_code);
    doc_add_text(a, d, "cause", str_of(cause_names[o->cause]));
    doc_add_int(a, d, "duration_ms", o->duration_ms);
    doc_add_int(a, d, "memory_peak_bytes", o->memory_peak_bytes);
    add_printed(x, a, d);
    add_files("output_files", &x->now.files, a, d);
    add_files("artifacts", &x->now.artifacts, a, d);
    add_changes(x, a, d);
    if (x->lane)
        exec_lane_held(x, a, doc_add_kind(a, d, "lane", DOC_MAP));
    return d;
}

/* Gives back how many files were kept; *missed is more by those that were not. */
static size_t count_kept(const struct collected_list *list, struct running *r, size_t *missed)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].state != COLLECT_DONE)
            continue;
        evidence_add(r->evidence, &list->v[i].digest, list->v[i].bytes);
        n++;
    }
    *missed += list->n - n;
    return n;
}

/* A short line that is all it printed: what people wanted to know. */
static const char *only_line(const struct printed *out, struct arena *a)
{
    enum { SHORT = 48 };
    struct str line = out->head;

    if (line.n && line.s[line.n - 1] == '\n')
        line.n--;
    if (line.n == 0 || line.n > SHORT || memchr(line.s, '\n', line.n))
        return NULL;
    return readable(line, a);
}

static void count_evidence(struct job *job, const struct exec *x, struct ending *out)
{
    struct running *r = job->r;
    size_t missed = 0, changes = x->now.changes ? x->now.changes->changes.n : 0;
    size_t files =
        count_kept(&x->now.files, r, &missed) + count_kept(&x->now.artifacts, r, &missed);
    const struct printed *printed[] = { &x->outcome.out, &x->outcome.err };
    _buf_ struct buf note = { .max = 1 << 10 };

    for (size_t i = 0; i < COUNT(printed); i++) {
        if (!printed[i]->head.n || !is_kept(&x->now.printed[i]))
            continue;
        evidence_add(r->evidence, &x->now.printed[i], (int64_t)printed[i]->head.n);
    }
    if (files)
        buf_addf(&note, "%zu file%s", files, files == 1 ? "" : "s");
    if (missed)
        buf_addf(&note, "%s%zu not kept", note.len ? ", " : "", missed);
    if (changes)
        buf_addf(&note, "%s%zu change%s, not on the disk", note.len ? ", " : "", changes,
                 changes == 1 ? "" : "s");
    out->note =
        note.len ? arena_text(job->kept, buf_str(&note)) : only_line(&x->outcome.out, job->kept);
}

/* ---- how it failed ---- */

/* The last line it said, where there is one. */
static struct str last_line(const char *words)
{
    struct str line = str_of(words ? words : "");

    while (line.n && (line.s[line.n - 1] == '\n' || line.s[line.n - 1] == ' '))
        line.n--;
    for (size_t i = line.n; i-- > 0;)
        if (line.s[i] == '\n')
            return (struct str){ line.s + i + 1, line.n - i - 1 };
    return line;
}

/* What it said is not all to be found in the evidence. */
static const char *kept_of(const struct printed *err, struct arena *a)
{
    if (!printed_cut(err))
        return "";
    return arena_printf(a, " (of %" PRId64 " bytes of stderr the first %zu are kept)", err->bytes,
                        err->head.n);
}

/* What it was held to may be why it failed, and it need not have said so. */
static const char *held_of(const struct exec *x, struct arena *a)
{
    const struct outcome *o = &x->outcome;
    const struct request_sandbox *s = x->request.sandbox;
    const char *told = "";

    if (o->oom_events)
        told = arena_printf(a, " (a process was killed, out of memory: memory_mb is %" PRId64 ")",
                            s->memory_mb);
    if (o->pids_hits)
        told = arena_printf(a, "%s (a process was refused: max_children is %" PRId64 ")", told,
                            s->processes->allow_fork ? s->processes->max_children : 0);
    if (o->thread_hits)
        told = arena_printf(a, "%s (a thread was refused: 512 at most)", told);
    if (o->filter_hits)
        told = arena_printf(a, "%s (a seccomp filter was refused: 100 at most)", told);
    if (o->unheld)
        told = arena_printf(
            a,
            "%s (a program was killed: its file cannot be read, or is of 32 bits, or its stack was full)",
            told);
    return told;
}

static void ran(struct job *job, const struct exec *x, struct ending *out)
{
    const struct outcome *o = &x->outcome;
    struct doc *d = outcome_doc(job, x, job->kept);
    const char *why;
    struct str last;

    if (o->cause != CAUSE_CANCELLED)
        out->ended_ms = o->ended_ms;
    count_evidence(job, x, out);
    if (exec_came_to(x) == EVENT_SUCCEEDED) {
        out->output = d;
        return;
    }
    out->last_words = last_words(&o->err, job->kept);
    if (out->last_words)
        doc_add_text(job->kept, d, "last_words", str_of(out->last_words));
    why = exec_network_why(x);
    if (why)
        doc_add_text(job->kept, d, "why", str_of(arena_text(job->kept, str_of(why))));
    out->context = d;
    last = last_line(out->last_words);
    if (o->cause == CAUSE_OOM)
        job_failed(job, out, CODE_RESOURCE_EXHAUSTED,
                   "out of memory: the limit of %" PRId64 " MB was reached",
                   x->request.sandbox->memory_mb);
    else if (o->cause == CAUSE_VIOLATION)
        job_failed(job, out, CODE_STEP_FAILED, "killed: %s", outcome_violation(o));
    else if (o->cause == CAUSE_CANCELLED)
        job_failed(job, out, CODE_EXECUTION_HALTED, "the plan had no more time for it");
    else if (o->cause == CAUSE_TIMEOUT && !exec_has_own_time(job->step->payload))
        job_failed(job, out, CODE_STEP_TIMEOUT, "the command took longer than %" PRId64 " ms",
                   x->request.sandbox->timeout_ms);
    else if (exec_shortfall(x, job->scratch))
        job_failed(job, out, CODE_STEP_FAILED, "%s", exec_shortfall(x, job->scratch));
    else
        job_failed(job, out, CODE_STEP_FAILED, "exit %d: %.*s%s%s", o->exit_code,
                   STR_ARG(last.n ? last : str_of(exit_meaning(o->exit_code, o->cause)->meaning)),
                   held_of(x, job->scratch), kept_of(&o->err, job->scratch));
}

/* Refused by a policy is the step's failure; what the machine cannot do is the plan's. */
static void did_not_run(struct job *job, int status, const struct error *e, struct ending *out)
{
    struct doc *d = doc_root(job->kept, DOC_MAP);
    enum code code = status == WRIT_UNRECORDED       ? CODE_RESOURCE_EXHAUSTED
                     : e->code == CODE_LAYER_MISSING ? CODE_LAYER_MISSING
                     : status == WRIT_NO_SANDBOX     ? CODE_UNKNOWN_ERROR
                                                     : CODE_STEP_FAILED;

    doc_add_text(job->kept, d, "code", str_of(codes[e->code].name));
    out->context = d;
    out->note = "refused";
    job_failed(job, out, code, "%s", e->msg);
}

static const struct running *outermost(const struct running *r)
{
    while (r->parent)
        r = r->parent;
    return r;
}

void job_step(const struct job *job, struct exec_step *out)
{
    struct running *r = job->r;

    *out = (struct exec_step){ .payload = job->step->payload,
                               .purpose = step_purpose(r->plan.names[job->index], r->plan.plan.id,
                                                       job->scratch),
                               .keeping = r->keeping,
                               .registries = r->registries,
                               .kept = r->kept,
                               .fleet = r->fleet,
                               .execution = outermost(r)->context.execution_id,
                               .plan = r->entries[0],
                               .before = str_of(job->before),
                               .timeout_ms = step_time(&r->plan.plan, job->step) };
}

/* ---- news of its lane ---- */

/* That it is late is no matter of plans (A04-13), and how it ended is told with the step. */
static void hear_lane(void *self, enum transcript_event event, struct str said)
{
    struct job *job = self;
    struct buf *line;

    if (event != SAID_UNAVAILABLE && event != SAID_RETRY && event != SAID_DOWNGRADE)
        return;
    line = job_tells(job, "step_lane");
    if (!line)
        return;
    json_key(line, "said");
    buf_add(line, said.s, said.n);
    job_told(job);
}

/* A wrapper's walls are not ours, and a worker's may be fewer: who follows the plan sees it. */
static void tell_held(const struct job *job, const struct exec *x)
{
    struct buf *line = x->lane ? job_tells(job, "step_held") : NULL;
    struct doc *held = doc_root(job->scratch, DOC_MAP);

    if (!line)
        return;
    exec_lane_held(x, job->scratch, held);
    for (const struct doc *d = held->first; d; d = d->next) {
        json_key(line, d->key.s);
        json_doc(line, d);
    }
    job_told(job);
}

void act_execute(struct job *job, struct ending *out)
{
    struct running *r = job->r;
    struct writ_command command = { .environment = r->ask->environment,
                                    .ledger = r->ask->ledger,
                                    .weak = r->ask->weak,
                                    .live = { -1, -1 },
                                    .cancel = job->cancel };
    struct exec_step step;
    struct exec x = {
        .command = &command, .step = &step, .world = r->world, .a = job->scratch, .store = -1
    };
    struct error e = { 0 };
    const struct problem *wrong;
    struct report report;
    const char *kind;
    bool there;
    int status;

    job_step(job, &step);
    step.listener = (struct listener){ hear_lane, job };
    status = exec_run(&x, &report, &kind, &there, &e);
    if (x.request.execution_id.n == UUID_TEXT - 1)
        memcpy(job->execution, x.request.execution_id.s, UUID_TEXT - 1);
    if (there) {
        tell_held(job, &x);
        ran(job, &x, out);
    } else if (status == WRIT_WRONG) {
        report_finish(&report);
        wrong = report_wrong(&report);
        job_failed(job, out, CODE_INVALID_PAYLOAD, "%s: %s", kind,
                   wrong ? wrong->msg : "it is wrong");
    } else {
        (void)exec_keep_refusal(&x, &e, status);
        did_not_run(job, status, &e, out);
    }
    exec_close(&x);
}
