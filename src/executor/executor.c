/* SPDX-License-Identifier: Apache-2.0 */
/* executor.c: the pipeline: bound, digest, record, run, digest, record. */
#include "executor/executor.h"

#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "executor/bounds.h"

static const struct kind *const kinds[] = {
    [EXECUTOR_BUILTIN] = &builtin_kind,
    [EXECUTOR_WASM] = &wasm_kind,
    [EXECUTOR_JQ] = &jq_kind,
};

bool pipeline_open(struct pipeline *p, struct error *e)
{
    const struct executor *x = p->executor;

    p->kind = kinds[x->kind];
    if (x->kind == EXECUTOR_BUILTIN || p->worker)
        return true;
    return error_set(e, CODE_IO, "writ-pure, which runs %s programs, is not where writ is",
                     executor_kind_names[x->kind]);
}

/* Nothing of an executor is touched before its first attempt is recorded. */
static bool start(struct pipeline *p, struct error *e)
{
    const struct executor *x = p->executor;
    struct call_program program = {
        .id = arena_text(&p->held, x->id),
        .file = x->program,
        .worker = p->worker,
        .world = p->world,
        .cancel = p->cancel,
        .bounds = { x->limits.timeout_ms, OUTPUT_BYTES, WORKER_BYTES },
    };

    return p->running || p->kind->start(&program, &p->held, &p->running, e);
}

void pipeline_close(struct pipeline *p)
{
    if (p->running)
        p->kind->stop(p->running);
    p->running = NULL;
    arena_wipe(&p->values);
    arena_free(&p->values);
    arena_free(&p->held);
}

/* ---- results ---- */

static struct str text_of(const struct digest *d, struct arena *a)
{
    char *text = arena_alloc(a, DIGEST_TEXT);

    digest_text(d, text);
    return (struct str){ text, DIGEST_TEXT - 1 };
}

static struct str now_text(const struct pipeline *p, struct arena *a)
{
    char *text = arena_alloc(a, STAMP_TEXT);

    stamp_text(p->world->wall_ms(p->world->self), text);
    return (struct str){ text, STAMP_TEXT - 1 };
}

/* New names for all calls that have none: chance is asked once. */
static void name_calls(const struct pipeline *p, struct action *actions, size_t n, struct arena *a)
{
    struct uuid *ids = arena_alloc(a, n * sizeof *ids);
    char(*texts)[UUID_TEXT] = arena_alloc(a, n * sizeof *texts);

    p->world->chance(p->world->self, ids, n * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        ids[i] = uuid_of(ids[i]);
        uuid_text(&ids[i], texts[i]);
        actions[i].result.trace_id =
            actions[i].trace_id.s ? actions[i].trace_id : (struct str){ texts[i], UUID_TEXT - 1 };
    }
}

/* A code, and where there is one a nearer one. */
static struct items reasons(enum code code, enum code nearer, struct arena *a)
{
    struct str *names = arena_alloc(a, 2 * sizeof *names);
    size_t n = 0;

    if (code)
        names[n++] = str_of(codes[code].name);
    if (nearer)
        names[n++] = str_of(codes[nearer].name);
    return (struct items){ names, n };
}

static void decide(struct action *action, enum action_status status, enum code code,
                   enum code nearer, struct arena *a)
{
    action->result.status = (int)status;
    action->result.reason_codes = reasons(code, nearer, a);
}

/* ---- before ---- */

/* Why no reader takes it. The reader's own words may quote the payload, which is nobody's here. */
static const char *unread(const struct error *e)
{
    switch (e->code) {
    case ERROR_CEILING: return "the payload is larger or deeper than any reader takes";
    case ERROR_NUMBER:
        return "the payload has a number that cannot be held exactly; give it as text";
    case ERROR_DUPLICATE: return "the payload gives a key twice in one map";
    case ERROR_ENCODING: return "the payload has what is not UTF-8, or half of a surrogate pair";
    case ERROR_SUBSET: return "the payload has a key with the character NUL";
    default: return "the payload is not JSON";
    }
}

/* A payload that is no JSON is known by its raw bytes (A03-7). */
static void block_raw(struct action *action, const struct error *e, struct arena *a)
{
    struct digest raw = digest_of(action->payload.s, action->payload.n);
    bool large = e->code == ERROR_CEILING;

    action->alg = DIGEST_RAW;
    action->result.input_digest = text_of(&raw, a);
    action->detail = unread(e);
    if (e->at.line)
        action->detail = arena_printf(a, "%s, at %d:%d", action->detail, e->at.line, e->at.col);
    decide(action, ACTION_BLOCKED, large ? CODE_LIMIT_EXCEEDED : CODE_NON_JSON_PAYLOAD, CODE_NONE,
           a);
}

/* Reads, digests and bounds one payload. True: it may run. */
static bool admit(struct pipeline *p, struct action *action, struct call *call, struct arena *a)
{
    _buf_ struct buf canon = { .max = ceiling_rows[CEILING_BYTES].value * (size_t)2 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct digest digest;
    struct error e;
    struct bound broken;

    if (!json_read("payload", action->payload, &max, &p->values, &document, &e)) {
        block_raw(action, &e, a);
        return false;
    }
    json_canon(&document->root, &p->values, &canon);
    digest = digest_of(canon.s, canon.len);
    action->result.input_digest = text_of(&digest, a);
    broken = bounds_broken(&document->root, canon.len, &p->executor->limits);
    if (broken.limit) {
        action->detail = arena_printf(
            a, "the payload is above the executor's %s: %" PRId64 ", allowed are %" PRId64,
            broken.limit, broken.found, broken.allowed);
        decide(action, ACTION_BLOCKED, CODE_LIMIT_EXCEEDED, CODE_NONE, a);
    } else {
        call->value = &document->root;
        call->payload = (struct str){ arena_text(&p->values, buf_str(&canon)), canon.len };
    }
    explicit_bzero(canon.s, canon.cap);
    return !broken.limit;
}

/* ---- afterwards ---- */

struct ending {
    enum action_status status;
    enum code code;
};

static const struct ending endings[] = {
    [CALL_OUTPUT] = { ACTION_SUCCESS, CODE_NONE },
    [CALL_NO_OUTPUT] = { ACTION_SUCCESS, CODE_NONE },
    [CALL_EXCEPTION] = { ACTION_FAILED, CODE_EXECUTOR_EXCEPTION },
    [CALL_TIMEOUT] = { ACTION_BLOCKED, CODE_EXECUTOR_TIMEOUT },
    [CALL_LIMIT] = { ACTION_BLOCKED, CODE_LIMIT_EXCEEDED },
};

static void too_large(struct action *action, struct arena *a)
{
    action->detail = "the output is larger or deeper than a call may return";
    decide(action, ACTION_BLOCKED, CODE_LIMIT_EXCEEDED, CODE_NONE, a);
}

/* What a kind returned as text has to be JSON (A03-9). NULL: it was not, and that is decided. */
static const struct doc *read_output(struct pipeline *p, struct action *action,
                                     const struct call *call, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (call->output)
        return call->output;
    if (json_read("output", call->text, &max, &p->values, &document, &e))
        return &document->root;
    if (e.code == ERROR_CEILING) {
        too_large(action, a);
        return NULL;
    }
    action->detail = "it returned what is not JSON";
    decide(action, ACTION_FAILED, CODE_EXECUTOR_EXCEPTION, CODE_OUTPUT_NOT_JSON, a);
    return NULL;
}

/* Digests the output, and hands it on only where that was asked for. */
static void take_output(struct pipeline *p, struct action *action, const struct call *call,
                        struct arena *a)
{
    _buf_ struct buf canon = { .max = OUTPUT_BYTES };
    const struct doc *output = read_output(p, action, call, a);
    struct digest digest;

    if (!output)
        return;
    json_canon(output, &p->values, &canon);
    if (buf_ok(&canon)) {
        digest = digest_of(canon.s, canon.len);
        action->result.output_digest = text_of(&digest, a);
        decide(action, ACTION_SUCCESS, CODE_NONE, CODE_NONE, a);
        if (p->deliver)
            action->output = (struct str){ arena_text(a, buf_str(&canon)), canon.len };
    } else {
        too_large(action, a);
    }
    if (canon.s)
        explicit_bzero(canon.s, canon.cap);
}

static void conclude(struct pipeline *p, struct action *action, const struct call *call,
                     struct arena *a)
{
    const struct ending *ending = &endings[call->end];

    action->result.duration_ms = call->took_ms;
    if (call->end == CALL_OUTPUT) {
        take_output(p, action, call, a);
        return;
    }
    action->detail = call->detail ? arena_text(a, str_of(call->detail)) : NULL;
    decide(action, ending->status, ending->code, CODE_NONE, a);
    if (p->deliver && call->words.n)
        action->words = (struct str){ arena_text(a, call->words), call->words.n };
}

/* ---- records ---- */

static struct audit_doc audit_of(const struct action *action)
{
    const struct action_result_doc *r = &action->result;

    return (struct audit_doc){
        .executor_id = r->executor_id,
        .executor_version = r->executor_version,
        .trace_id = r->trace_id,
        .input_digest = r->input_digest,
        .output_digest = r->output_digest,
        .status = r->status,
        .digest_alg = (int)action->alg,
        .reason_codes = r->reason_codes,
        .duration_ms = r->duration_ms,
        .delivered = action->output.s || action->words.s,
        .ts_utc = r->ts_utc,
    };
}

/* That a call is about to be made (A03-12). */
static struct audit_doc attempt_of(const struct action *action, struct arena *a)
{
    struct audit_doc record = audit_of(action);

    record.status = ACTION_PENDING;
    record.reason_codes = reasons(CODE_EXECUTION_ATTEMPT, CODE_NONE, a);
    return record;
}

static bool unrecorded(struct action *actions, size_t n, struct arena *a)
{
    for (size_t i = 0; i < n; i++) {
        actions[i].output = actions[i].words = actions[i].result.output_digest = (struct str){ 0 };
        actions[i].detail = "the ledger could not be written";
        decide(&actions[i], ACTION_BLOCKED, CODE_AUDIT_LOG_FAILED, CODE_NONE, a);
    }
    return false;
}

/* ---- the whole ---- */

/* What is done with a batch, and in which order. */
struct batch {
    struct pipeline *p;
    struct action *actions;
    size_t n;
    struct call *calls; /* of those that may run, in order */
    size_t *ran;        /* the action of each call */
    size_t call_count;
    struct audit_doc *records;
    struct arena *a;
};

static void begin(struct batch *b)
{
    struct str now = now_text(b->p, b->a);

    name_calls(b->p, b->actions, b->n, b->a);
    for (size_t i = 0; i < b->n; i++) {
        struct action *action = &b->actions[i];

        action->result.executor_id = b->p->executor->id;
        action->result.executor_version = b->p->executor->version;
        action->result.ts_utc = now;
        if (!admit(b->p, action, &b->calls[b->call_count], b->a))
            continue;
        b->records[b->call_count] = attempt_of(action, b->a);
        b->ran[b->call_count++] = i;
    }
}

static void call_all(struct batch *b)
{
    struct error e;

    if (b->call_count == 0)
        return;
    if (start(b->p, &e)) {
        b->p->kind->calls(b->p->running, b->calls, b->call_count, &b->p->values);
        return;
    }
    for (size_t i = 0; i < b->call_count; i++) {
        b->calls[i].end = CALL_EXCEPTION;
        b->calls[i].detail = arena_text(b->a, str_of(e.msg));
    }
}

static bool finish(struct batch *b, struct error *e)
{
    struct str now;

    for (size_t i = 0; i < b->call_count; i++)
        conclude(b->p, &b->actions[b->ran[i]], &b->calls[i], b->a);
    now = now_text(b->p, b->a);
    for (size_t i = 0; i < b->n; i++) {
        b->actions[i].result.ts_utc = now;
        b->records[i] = audit_of(&b->actions[i]);
    }
    return b->p->auditor->write(b->p->auditor->self, b->records, b->n, e) ||
           unrecorded(b->actions, b->n, b->a);
}

bool pipeline_apply(struct pipeline *p, struct action *actions, size_t n, struct arena *a,
                    struct error *e)
{
    struct batch b = {
        .p = p,
        .actions = actions,
        .n = n,
        .calls = arena_alloc(&p->values, n * sizeof *b.calls),
        .ran = arena_alloc(&p->values, n * sizeof *b.ran),
        .records = arena_alloc(&p->values, n * sizeof *b.records),
        .a = a,
    };
    bool ok = true;

    begin(&b);
    if (b.call_count > 0)
        ok = p->auditor->write(p->auditor->self, b.records, b.call_count, e);
    if (ok) {
        call_all(&b);
        ok = finish(&b, e);
    } else {
        (void)unrecorded(actions, n, a);
    }
    arena_wipe(&p->values);
    return ok;
}
