/* SPDX-License-Identifier: Apache-2.0 */
/* ledger.c: enters one run in the ledger: before it starts, and when it is over. */
#include <inttypes.h>
#include <pthread.h>

#include "base/elsewhere.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/event.h"
#include "engine/exec.h"
#include "engine/home.h"
#include "engine/input.h"
#include "ledger/append.h"

enum { LINE_MOST = 65000 }; /* bytes of a command line in an event */

static const char tenant[] = EVENT_TENANT;

/* ---- the events ---- */

/* The command line as one text, for people. Of a longer one the beginning: all of its words are in
 * the request that it depends on. */
static const char *line_of(const struct exec *x)
{
    _buf_ struct buf line = { .max = ANSWER_MAX };
    size_t end = LINE_MOST;

    for (char **arg = x->argv; *arg; arg++) {
        buf_adds(&line, arg == x->argv ? "" : " ");
        buf_adds(&line, *arg);
    }
    if (line.len <= LINE_MOST)
        return arena_text(x->a, buf_str(&line));
    while (((unsigned char)line.s[end] & 0xC0) == 0x80) /* inside of a character */
        end--;
    return arena_printf(x->a, "%.*s…", (int)end, line.s);
}

/* It depends on its request, and as a step on its plan. */
static struct event_head head_of(struct exec *x)
{
    struct uuid *depends = arena_alloc(x->a, 2 * sizeof *depends);
    struct event_head head = { .execution = x->request.execution_id,
                               .workflow = "exec/1",
                               .target = "exec",
                               .action = line_of(x),
                               .attempt = x->attempt,
                               .snapshot_ms = x->snapshot_ms,
                               .since = x->since,
                               .depends = depends,
                               .caller = &x->caller };

    if (x->request.metadata)
        head.claimed = x->request.metadata->requested_by;
    if (x->entry_count)
        depends[head.depend_count++] = x->entries[0];
    if (x->step) {
        depends[head.depend_count++] = x->step->plan;
        head.rerun_of = x->step->before;
    }
    return head;
}

/* ---- before ---- */

/* Room for so many more entries. */
static struct uuid *more_entries(struct exec *x, size_t n)
{
    while (x->entry_room < x->entry_count + n)
        x->entries =
            arena_more(x->a, x->entries, x->entry_room, &x->entry_room, sizeof *x->entries);
    return x->entries + x->entry_count;
}

/* Another attempt has the same request. */
static bool enter_request(struct exec *x, struct error *e)
{
    struct entry input;

    if (x->entry_count)
        return true;
    if (x->named)
        x->since = x->keeping->ledger.tip.size;
    entry_of(ENTRY_INPUT, str_of(tenant), x->request.execution_id, x->request_text, x->world,
             &input);
    if (!ledger_enter(&x->keeping->ledger, &input, 1, e))
        return false;
    *more_entries(x, 1) = input.id;
    x->entry_count++;
    x->snapshot_ms = input.created_ms;
    return true;
}

/* An id is used once (contract 001): whatever the ledger says but "appended", nothing runs. */
static bool enter_events(struct exec *x, struct draft *drafts, size_t n, struct error *e)
{
    if (!event_enter(&x->keeping->ledger, drafts, n, more_entries(x, n), x->a, e)) {
        x->unrecorded = x->unrecorded && e->code != CODE_EXECUTION_USED;
        return false;
    }
    x->entry_count += n;
    return true;
}

static bool enter_start(struct exec *x, struct error *e)
{
    static const enum event_state states[] = { EVENT_PLANNED, EVENT_RUNNING };
    struct draft drafts[COUNT(states)];
    struct event_head head;

    if (!enter_request(x, e))
        return false;
    head = head_of(x);
    for (size_t i = 0; i < COUNT(states); i++) {
        _buf_ struct buf text = { .max = ANSWER_MAX };

        event_open(&head, states[i], x->world, &text);
        drafts[i] = event_close(&head, &text, x->world, x->a);
    }
    return enter_events(x, drafts, COUNT(states), e);
}

static void *open_ledger(void *exec)
{
    struct exec *x = exec;

    keeping_open(&x->opening.keeping, x->command->ledger, x->command->environment, x->world,
                 x->lane ? x->cancel : x->command->cancel);
    return NULL;
}

void exec_open_ledger(struct exec *x)
{
    struct opening *o = &x->opening;

    if (x->keeping)
        return;
    x->keeping = x->step ? x->step->keeping : &o->keeping;
    if (x->step)
        return;
    o->begun = true;
    o->beside = elsewhere_thread(&o->thread, open_ledger, x) == 0;
    if (!o->beside)
        (void)open_ledger(x);
}

static void await_ledger(struct opening *o)
{
    if (o->beside)
        (void)pthread_join(o->thread, NULL);
    o->beside = false;
}

void exec_close_ledger(struct exec *x)
{
    await_ledger(&x->opening);
    if (!x->opening.begun)
        return;
    if (x->opening.owes)
        alive_leave(&x->opening.alive);
    else
        alive_end(&x->opening.alive);
    keeping_close(&x->opening.keeping);
}

bool exec_announce(void *exec, struct error *e)
{
    struct exec *x = exec;

    x->unrecorded = true;
    if (x->opening.begun && !x->opening.alive.path)
        x->opening.alive =
            alive_begin(home_state(x->command->environment, x->a), x->request.execution_id, x->a);
    await_ledger(&x->opening);
    if (!keeping_begin(x->keeping, e) || !keeping_end(x->keeping, enter_start(x, e), e))
        return false;
    x->unrecorded = false;
    x->recording = true;
    x->opening.owes = true;
    return true;
}

/* What did not run is no execution: there is no event of it (DESIGN 3). */
bool exec_reject(struct exec *x, const struct error *why, struct error *e)
{
    struct refusal refusal = { .code = (enum code)why->code,
                               .message = why->msg,
                               .tenant = str_of(tenant),
                               .subject = x->request.execution_id,
                               .text = x->request_text };

    exec_open_ledger(x);
    await_ledger(&x->opening);
    return keeping_begin(x->keeping, e) &&
           keeping_end(x->keeping, ledger_reject(&x->keeping->ledger, &refusal, e), e);
}

/* ---- afterwards ---- */

/* What one file takes of an event or a record, without its name; and the most that all take. An
 * event has 16 MiB (draft.c). */
enum { FILE_BYTES = 160, FILES_BYTES = 12 << 20 };

/* A command chooses how many files it leaves and how long their names are: that must not keep its
 * end out of the ledger. */
static void cut_files(struct exec *x)
{
    struct collected_list *const lists[] = { &x->now.files, &x->now.artifacts };
    size_t bytes = 0;

    for (size_t i = 0; i < COUNT(lists); i++) {
        for (size_t k = 0; k < lists[i]->n; k++) {
            bytes += FILE_BYTES + exec_name_bytes(lists[i]->v[k].path);
            if (bytes <= FILES_BYTES)
                continue;
            lists[i]->n = k;
            x->now.files_cut = true;
        }
    }
}

static struct failing why_failed(const struct exec *x)
{
    const struct outcome *o = &x->outcome;
    struct failing f = { .code = o->cause == CAUSE_TIMEOUT ? CODE_COMMAND_TIMEOUT
                                                           : CODE_COMMAND_FAILED };

    if (x->lane)
        return exec_lane_failing(x);
    if (x->now.failing)
        return *x->now.failing;
    if (o->cause == CAUSE_CANCELLED)
        return (struct failing){ CODE_EXECUTION_HALTED, false, "its plan had no more time for it" };
    f.retryable = codes[f.code].retryable;
    if (o->cause == CAUSE_TIMEOUT)
        f.message =
            arena_printf(x->a, "it ran longer than %" PRId64 " ms", x->request.sandbox->timeout_ms);
    else if (exec_shortfall(x, x->a))
        f.message = exec_shortfall(x, x->a);
    else
        f.message = arena_printf(x->a, "exit %d: %s", o->exit_code,
                                 exit_meaning(o->exit_code, o->cause)->meaning);
    return f;
}

static const char *cancel_reason(const struct exec *x)
{
    const char *said = x->lane ? exec_lane_reason(x) : NULL;

    return said ? said : "the caller asked it to stop";
}

static void put_error(const struct failing *f, struct buf *to)
{
    json_key(to, "error");
    json_open(to, '{');
    json_put(to, "code", codes[f->code].name);
    json_put(to, "message", f->message);
    json_put_bool(to, "retryable", f->retryable);
    json_close(to, '}');
}

static void put_files(const char *key, const struct collected_list *list, struct buf *to)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        char digest[DIGEST_TEXT];

        if (list->v[i].state != COLLECT_DONE)
            continue;
        digest_text(&list->v[i].digest, digest);
        json_open(to, '{');
        json_put_outside(to, "path", list->v[i].path);
        json_put(to, "digest", digest);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_result(const struct exec *x, struct buf *to)
{
    json_key(to, "result");
    json_open(to, '{');
    json_put_int(to, "exit_code", x->outcome.exit_code);
    json_put_int(to, "memory_peak_bytes", x->outcome.memory_peak_bytes);
    if (x->now.files.n)
        put_files("output_files", &x->now.files, to);
    if (x->now.artifacts.n)
        put_files("artifacts", &x->now.artifacts, to);
    json_close(to, '}');
}

/* What a run was held to and did, without what it printed: that has its digests. */
static bool enter_manifest(struct exec *x, struct error *e)
{
    _buf_ struct buf record = { .max = ANSWER_MAX };
    struct entry manifest;
    struct str body;

    exec_record(x, false, &record);
    if (!body_whole(&record, e) || !body_canonical(buf_str(&record), x->a, &body, e))
        return false;
    entry_of(ENTRY_MANIFEST, str_of(tenant), x->request.execution_id, body, x->world, &manifest);
    if (!ledger_enter(&x->keeping->ledger, &manifest, 1, e))
        return false;
    *more_entries(x, 1) = manifest.id;
    x->entry_count++;
    return true;
}

static void put_manifest(const struct exec *x, struct buf *to)
{
    char id[ENTRY_ID_TEXT];

    entry_id_text(&x->entries[x->entry_count - 1], id);
    json_key(to, "externalRefs");
    json_open(to, '{');
    json_put(to, "manifest", id);
    json_close(to, '}');
}

static struct failing why_unbuilt(const struct error *e)
{
    enum code code = e->code == CODE_PATH_CHANGED ? CODE_PATH_CHANGED : CODE_LAYER_MISSING;

    return (struct failing){ code, codes[code].retryable, e->msg };
}

static bool enter_end(struct exec *x, const struct error *unbuilt, struct error *e)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };
    bool told = !unbuilt || x->lane; /* a lane has a manifest, whatever came of it */
    enum event_state state = told ? exec_came_to(x) : EVENT_FAILED;
    struct event_head head = head_of(x);
    struct failing failing;
    struct draft draft;

    cut_files(x);
    if (told && !enter_manifest(x, e))
        return false;
    event_open(&head, state, x->world, &text);
    if (unbuilt)
        failing = why_unbuilt(unbuilt);
    else if (state == EVENT_FAILED)
        failing = why_failed(x);
    if (state == EVENT_FAILED)
        put_error(&failing, &text);
    if (state == EVENT_CANCELLED)
        json_put(&text, "cancelReason", cancel_reason(x));
    if (state == EVENT_SUCCEEDED)
        put_result(x, &text);
    if (told) {
        put_manifest(x, &text);
        json_put_int(&text, "durationMs", x->outcome.duration_ms);
    }
    draft = event_close(&head, &text, x->world, x->a);
    return enter_events(x, &draft, 1, e);
}

bool exec_conclude(struct exec *x, const struct error *unbuilt, struct error *e)
{
    if (!keeping_begin(x->keeping, e) || !keeping_end(x->keeping, enter_end(x, unbuilt, e), e))
        return false;
    x->opening.owes = false;
    return true;
}
