/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: the record of one run, as JSON. */
#include "engine/exec.h"

#include <string.h>

#include "base/doc_make.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "contract/classes.h"
#include "contract/layers.h"
#include "contract/limits.h"
#include "engine/exec_network.h"
#include "engine/exec_secrets.h"
#include "engine/input.h"
#include "engine/record.h"
#include "sandbox/process.h"

static void put_printed(struct buf *to, const char *key, const struct printed *p, bool texts)
{
    json_key(to, key);
    json_open(to, '{');
    exec_put_printed(to, p, texts);
    json_close(to, '}');
}

/* For whom we serve: what was printed went before, and the end of what was cut goes with it. */
static void put_served(struct buf *to, const char *key, const struct printed *p)
{
    json_key(to, key);
    json_open(to, '{');
    exec_put_printed(to, p, false);
    exec_put_tail(to, p);
    json_close(to, '}');
}

/* Only of a run that had a descriptor 3. */
static void put_result(struct buf *to, const struct outcome *o, bool texts)
{
    if (o->result.head.s)
        put_printed(to, "result", &o->result, texts);
}

static void put_command(const struct exec *x, struct buf *to)
{
    json_key(to, "command");
    json_open(to, '[');
    for (char **arg = x->argv; *arg; arg++)
        json_outside(to, str_of(*arg));
    json_close(to, ']');
}

static void put_executable(const struct exec *x, struct buf *to)
{
    json_key(to, "executable");
    if (x->program.missing || x->peer) {
        json_nil(to);
        return;
    }
    json_open(to, '{');
    json_put(to, "path", x->program.real);
    json_put_digest(to, "digest", x->outcome.program_read ? &x->outcome.program : NULL);
    if (x->outcome.program_changed)
        json_put_bool(to, "changed", true);
    json_close(to, '}');
}

static void put_end(const struct outcome *o, struct buf *to)
{
    const struct exit_row *row = exit_meaning(o->exit_code, o->cause);

    json_put_int(to, "exit_code", o->exit_code);
    json_key(to, "signal");
    if (o->signal)
        json_int(to, o->signal);
    else
        json_nil(to);
    json_put(to, "cause", cause_names[o->cause]);
    json_put(to, "meaning", row->meaning);
    json_put(to, "action", row->action);
    if (o->cause == CAUSE_EXEC_FAILED)
        json_put(to, "reason", error_words(o->error));
    if (o->excess)
        json_put(to, "reason", o->excess);
}

static void put_usage(const struct outcome *o, struct buf *to)
{
    json_put_int(to, "duration_ms", o->duration_ms);
    json_key(to, "usage");
    json_open(to, '{');
    json_key(to, "cpu_ms");
    if (o->cpu_ms >= 0)
        json_int(to, o->cpu_ms);
    else
        json_nil(to);
    json_put_int(to, "memory_peak_bytes", o->memory_peak_bytes);
    json_put_int(to, "oom_events", o->oom_events);
    json_put_int(to, "pids_hits", o->pids_hits);
    json_put_int(to, "thread_hits", o->thread_hits);
    json_put_int(to, "filter_hits", o->filter_hits);
    json_close(to, '}');
}

static void put_texts(struct buf *to, const char *key, const struct items *texts)
{
    const struct str *each = texts->v;

    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < texts->n; i++)
        json_text(to, each[i]);
    json_close(to, ']');
}

static void put_limits(const struct exec *x, struct buf *to)
{
    const struct request_sandbox *s = x->request.sandbox;

    json_key(to, "limits");
    json_open(to, '{');
    json_put_int(to, limits[LIMIT_TIMEOUT_MS].name, s->timeout_ms);
    if (exec_wrapped(x)) { /* only its time is held by us */
        json_close(to, '}');
        return;
    }
    if (x->peer) { /* no command ran: nothing else was there to be bounded */
        json_put(to, "network", net_level_names[request_net_level(s->network)]);
        json_close(to, '}');
        return;
    }
    json_put_int(to, limits[LIMIT_MEMORY_MB].name, s->memory_mb);
    json_put_int(to, limits[LIMIT_CPU_CORES].name, s->cpu_cores);
    json_put_int(to, limits[LIMIT_MAX_CHILDREN].name, s->processes->max_children);
    json_put_bool(to, "allow_fork", s->processes->allow_fork);
    json_put(to, "filesystem", fs_level_names[s->filesystem->level]);
    json_put(to, "network", net_level_names[request_net_level(s->network)]);
    if (s->filesystem->allow_protected.n)
        put_texts(to, "allow_protected", &s->filesystem->allow_protected);
    json_close(to, '}');
}

static void put_layers(struct buf *to, const char *key, unsigned set)
{
    json_key(to, key);
    json_open(to, '[');
    for (enum layer i = 0; i < LAYER_COUNT; i++)
        if (set & (1U << i))
            json_text(to, str_of(layers[i].name));
    json_close(to, ']');
}

static void put_approval(const struct exec *x, struct buf *to)
{
    json_key(to, "approval");
    if (x->request.approval)
        json_outside(to, x->request.approval->reason);
    else
        json_nil(to);
}

/* Held by namespaces or by lists alone; then, which parts of the usual are not held. */
static void put_isolation(const struct outcome *o, struct buf *to)
{
    json_put(to, "isolation", !o->layers ? NULL : o->hosted ? "process" : "namespaces");
    if (!o->hosted)
        return;
    json_key(to, "not_held");
    json_open(to, '[');
    for (size_t i = 0; i < PROCESS_GAPS; i++)
        if (!process_gaps[i].by_group || (o->missing & (1U << LAYER_CGROUP)))
            json_text(to, str_of(process_gaps[i].name));
    json_close(to, ']');
}

static void put_walls(const struct exec *x, struct buf *to)
{
    const struct outcome *o = &x->outcome;

    put_layers(to, "layers", o->layers);
    json_put(to, "assurance",
             !o->layers                       ? "none" /* nothing was built */
             : o->missing && !exec_wrapped(x) ? "weak"
                                              : "full");
    put_layers(to, "missing", o->missing);
    put_isolation(o, to);
    json_put(to, "left", o->left);
    json_put(to, "cgroup", o->cgroup);
    json_put_int(to, "landlock_abi", o->landlock);
    exec_put_held(x, to);
}

/* A wrapper is granted nothing: it has what its caller has. */
static void put_paths(const struct exec *x, struct buf *to)
{
    json_key(to, "paths");
    json_open(to, '[');
    for (size_t i = 0; i < x->reach.grants.n && !exec_wrapped(x); i++) {
        const struct grant *g = &x->reach.grants.v[i];

        json_open(to, '{');
        json_put(to, "path", g->path);
        json_put(to, "access", access_names[g->access]);
        json_put(to, "why", grant_reasons[g->why]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_checks(const struct exec *x, struct buf *to)
{
    json_key(to, "checks");
    json_open(to, '{');
    for (enum check i = 0; i < CHECK_COUNT; i++)
        json_put(to, checks[i].id, x->admission.checks[i]);
    json_close(to, '}');
    if (!x->admission.not_given_count)
        return;
    json_key(to, "not_given");
    json_open(to, '[');
    for (size_t i = 0; i < x->admission.not_given_count; i++)
        json_text(to, x->admission.not_given[i]);
    json_close(to, ']');
}

static void put_denials(const struct exec *x, struct buf *to)
{
    json_key(to, "denials");
    json_open(to, '[');
    for (size_t i = 0; i < x->now.violation_count; i++) {
        json_open(to, '{');
        json_put(to, "path", x->now.violations[i].path);
        json_put(to, "act", x->now.violations[i].act);
        json_put(to, "rule", x->now.violations[i].rule);
        json_put_bool(to, "undone", x->now.violations[i].undone);
        if (x->now.violations[i].moved_to)
            json_put(to, "moved_to", x->now.violations[i].moved_to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_path(struct buf *to, struct str path)
{
    json_put_outside(to, "path", path);
    if (utf8_valid(path) != path.n) { /* two names may look the same then */
        json_key(to, "path_base64");
        json_base64(to, path);
    }
}

size_t exec_name_bytes(struct str name)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };

    put_path(&text, name);
    return text.len;
}

static void put_files(struct buf *to, const char *key, const struct collected_list *list)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        const struct collected *c = &list->v[i];

        json_open(to, '{');
        put_path(to, c->path);
        json_put_int(to, "bytes", c->bytes);
        if (c->state == COLLECT_DONE)
            json_put_digest(to, "digest", &c->digest);
        json_put(to, "state", collect_state_names[c->state]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_kept(const struct exec *x, struct buf *to)
{
    put_files(to, "output_files", &x->now.files);
    put_files(to, "artifacts", &x->now.artifacts);
    json_put_bool(to, "files_truncated", x->now.files_cut);
}

static void put_unkept(const struct exec *x, struct buf *to)
{
    if (x->now.unkept)
        json_put(to, "unkept", x->now.unkept);
}

static void put_inputs(const struct exec *x, struct buf *to)
{
    json_key(to, "input_files");
    json_open(to, '[');
    for (size_t i = 0; i < x->input_count; i++) {
        json_open(to, '{');
        json_put(to, "path", x->inputs[i].path);
        json_put_int(to, "bytes", x->inputs[i].bytes);
        json_put_digest(to, "digest", &x->inputs[i].digest);
        if (x->inputs[i].bytes < x->inputs[i].whole)
            json_put_int(to, "whole_bytes", x->inputs[i].whole);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_stdin(const struct exec *x, struct buf *to)
{
    struct digest d;

    if (x->input.n == 0)
        return;
    d = digest_of(x->input.s, x->input.n);
    json_key(to, "stdin");
    json_open(to, '{');
    json_put_int(to, "bytes", (int64_t)x->input.n);
    json_put_digest(to, "digest", &d);
    json_close(to, '}');
}

static void put_request(const struct exec *x, struct buf *to)
{
    const struct request_metadata *m = x->request.metadata;
    const char *registry = x->admission.tool && x->registry ? x->registry->file : NULL;
    const struct {
        const char *key;
        struct str text;
    } rows[] = {
        { "tool_id", x->request.tool_id },
        { "registry", { registry, registry ? strlen(registry) : 0 } },
        { "adapter_id", x->request.adapter_id },
        { "requested_at", m->requested_at },
        { "purpose", m->purpose },
        { "evidence_ref", m->evidence_ref },
    };

    json_key(to, "request");
    json_open(to, '{');
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].text.s)
            json_put_outside(to, rows[i].key, rows[i].text);
    }
    caller_put(&x->caller, "requested_by", m->requested_by, to);
    json_put_digest(to, "digest", &x->request_digest);
    json_put_digest(to, "inputs_digest", &x->inputs_digest);
    json_close(to, '}');
}

enum event_state exec_came_to(const struct exec *x)
{
    const struct outcome *o = &x->outcome;

    if (x->lane && exec_lane_came_to(x) != EVENT_SUCCEEDED)
        return exec_lane_came_to(x);
    if (o->cause == CAUSE_CANCELLED) /* nobody cancels a step: its time was up (A04-13) */
        return x->step ? EVENT_FAILED : EVENT_CANCELLED;
    return o->cause == CAUSE_EXITED &&
                   (o->exit_code == 0 || o->exit_code == x->request.outputs->exit_code)
               ? EVENT_SUCCEEDED
               : EVENT_FAILED;
}

/* The words of contract 000 for how a command ended. */
static void put_state(const struct exec *x, struct buf *to)
{
    enum event_state state = exec_came_to(x);

    if (x->lane) {
        exec_lane_record(x, to);
        return;
    }
    json_put(to, "route", route_names[ROUTE_LOCAL_DIRECT]);
    json_put(to, "state", event_state_names[state]);
    json_put(to, "outcome_class",
             state == EVENT_SUCCEEDED            ? outcome_class_names[OUTCOME_SUCCESS]
             : x->outcome.cause == CAUSE_TIMEOUT ? "timeout" /* of what is no lane alone */
             : state == EVENT_CANCELLED          ? outcome_class_names[OUTCOME_CANCELLED]
                                                 : outcome_class_names[OUTCOME_FAILED]);
}

/* What the worker says that ran it, but for what we know ourselves: of each half only what that
 * half is about, whatever else stands in it. */
static void put_far(const struct doc *half, const char *const *members, struct buf *to)
{
    for (; *members; members++) {
        const struct doc *member = doc_get(half, *members);

        if (!member)
            continue;
        json_key(to, *members);
        json_doc(to, member);
    }
}

static const char *const far_command[] = { "executable", NULL };
static const char *const far_admitted[] = { "paths", "checks", "not_given", "input_files", NULL };
static const char *const far_walls[] = {
    "layers", "assurance",    "missing", "isolation",     "not_held", "left",
    "cgroup", "landlock_abi", "network", "deterministic", "denials",  NULL,
};

/* What it used, what it was given to read, its limits and the approval are ours to tell, and so are
 * files, which are here. */
static void put_far_rest(const struct exec *x, struct buf *to)
{
    put_usage(&x->outcome, to);
    put_limits(x, to);
    put_far(x->now.far[1], far_walls, to);
    put_far(x->now.far[0], far_admitted, to);
    exec_put_secrets(x, to);
    put_stdin(x, to);
    put_approval(x, to);
    put_kept(x, to);
}

static void put_rest(const struct exec *x, struct buf *to)
{
    put_usage(&x->outcome, to);
    put_limits(x, to);
    if (!exec_wrapped(x)) /* a wrapper reaches what its caller reaches */
        exec_put_network(x, to);
    put_walls(x, to);
    put_paths(x, to);
    put_approval(x, to);
    put_checks(x, to);
    put_denials(x, to);
    exec_put_hint(x, to);
    exec_put_secrets(x, to);
    put_inputs(x, to);
    put_stdin(x, to);
    put_kept(x, to);
    exec_put_changes(x, to);
}

void exec_add_missing(const struct exec *x, struct arena *a, struct doc *to)
{
    const struct doc *far = x->now.far[1] ? doc_get(x->now.far[1], "missing") : NULL;
    struct doc *list = doc_add_kind(a, to, "missing", DOC_LIST);

    for (const struct doc *d = doc_first(far, DOC_LIST); d; d = d->next)
        if (d->kind == DOC_TEXT)
            doc_add_text(a, list, NULL, (struct str){ arena_text(a, d->text), d->text.n });
    for (enum layer i = 0; !x->now.far[1] && i < LAYER_COUNT; i++)
        if (x->outcome.missing & (1U << i))
            doc_add_text(a, list, NULL, str_of(layers[i].name));
}

void exec_put_admitted(const struct exec *x, struct buf *to)
{
    json_open(to, '{');
    put_command(x, to);
    put_paths(x, to);
    put_checks(x, to);
    put_inputs(x, to);
    put_stdin(x, to);
    json_close(to, '}');
}

void exec_put_ended(const struct exec *x, struct buf *to)
{
    const struct outcome *o = &x->outcome;

    json_open(to, '{');
    json_put_text(to, "execution_id", x->request.execution_id);
    put_executable(x, to);
    put_end(o, to);
    put_served(to, "stdout", &o->out);
    put_served(to, "stderr", &o->err);
    put_usage(o, to);
    put_walls(x, to);
    exec_put_network(x, to);
    put_denials(x, to);
    put_kept(x, to);
    put_unkept(x, to);
    json_close(to, '}');
}

void exec_record(const struct exec *x, bool texts, struct buf *to)
{
    const struct outcome *o = &x->outcome;

    json_open(to, '{');
    json_put_text(to, "execution_id", x->request.execution_id);
    put_command(x, to);
    if (x->now.far[1])
        put_far(x->now.far[1], far_command, to);
    else
        put_executable(x, to);
    put_end(o, to);
    if (x->now.lost)
        json_put(to, "reason", x->now.lost);
    put_printed(to, "stdout", &o->out, texts);
    put_printed(to, "stderr", &o->err, texts);
    put_result(to, o, texts);
    if (x->now.far[0])
        put_far_rest(x, to);
    else
        put_rest(x, to);
    put_unkept(x, to);
    if (x->peer) {
        json_key(to, "peer");
        json_doc(to, x->peer);
    }
    exec_put_expected(x, to);
    put_state(x, to);
    put_request(x, to);
    record_ids(x->entries, x->entry_count, to);
    json_close(to, '}');
}
