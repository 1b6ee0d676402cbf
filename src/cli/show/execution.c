/* SPDX-License-Identifier: Apache-2.0 */
/* execution.c: an execution from plan to end, as `writ show` tells it. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "cli/change_lines.h"
#include "cli/entry_line.h"
#include "cli/pretty.h"
#include "cli/print.h"
#include "cli/reached.h"
#include "cli/show.h"
#include "cli/show/timeline.h"
#include "cli/units.h"

enum { NAME_MOST = 24 };

static const struct doc *payload_of(const struct doc *event)
{
    return event ? line_member(doc_get(event, "body"), "payload") : NULL;
}

/* The event that tells what became of it: the last whose body is still there. */
static const struct doc *telling_event(const struct doc *events)
{
    const struct doc *found = NULL;

    for (const struct doc *e = doc_first(events, DOC_LIST); e; e = e->next)
        if (payload_of(e))
            found = e;
    return found;
}

/* A column of names, as wide as its widest but for those that would fill the screen. */
static size_t wider(size_t width, struct str name)
{
    size_t n = print_columns(name);

    if (n > NAME_MOST)
        n = NAME_MOST;
    return n > width ? n : width;
}

/* ---- the headline: what became of what, when, how long, how much ---- */

/* A plan that came half the way is a failed execution, and for whoever ran it a partial one. */
static bool is_partial(const struct doc *event)
{
    const struct doc *error =
        event ? line_member(line_member(doc_get(event, "body"), "payload"), "error") : NULL;

    return error && error->kind == DOC_MAP && str_is(doc_text(error, "code"), "PLAN_PARTIAL");
}

/* It is running in the ledger, and who ran it is known not to live. */
static bool was_killed(const struct doc *answer)
{
    const struct doc *alive = doc_get(answer, "alive");

    return alive && alive->kind == DOC_BOOL && !alive->truth;
}

/* The record of the run, when there is one. */
static const struct doc *manifest_of(const struct doc *answer)
{
    const struct doc *m = doc_first(doc_get(answer, "manifests"), DOC_LIST);

    while (m && !str_is(doc_text(m, "kind"), "manifest"))
        m = m->next;
    return m;
}

/* The record of a call says of which operation it is; an event has the command line alone. */
static void show_head(const struct doc *answer, const struct doc *event)
{
    _buf_ struct buf work = { .max = SHOW_MAX }, call = { .max = SHOW_MAX };
    const struct doc *manifest = manifest_of(answer);
    struct str state = is_partial(event)    ? str_of("partial")
                       : was_killed(answer) ? str_of("killed")
                                            : doc_text(answer, "state");

    if (manifest)
        (void)line_call(doc_get(manifest, "body"), &call);
    if (event)
        line_work(event, buf_str(&call), &work);
    else
        buf_adds(&work, "its bodies were erased");
    out(line_colour(state), "%.*s", STR_ARG(state));
    out(PLAIN, "  ");
    out_cut(BOLD, buf_str(&work), print_room(state.n + 2));
    out(PLAIN, "\n");
}

static void show_figures(const struct doc *answer, const struct doc *event)
{
    const struct doc *events = doc_get(answer, "events"), *first = doc_first(events, DOC_LIST);
    int64_t took = event ? line_took(event) : -1, memory = event ? line_memory(event) : -1;
    int64_t attempt = doc_whole(answer, "attempt");
    struct str at = first ? doc_text(first, "createdAt") : str_of("");
    _buf_ struct buf line = { .max = SHOW_MAX };
    char text[UNITS_TEXT];

    if (memory < 0 && manifest_of(answer))
        memory = line_memory(manifest_of(answer));

    buf_addf(&line, "%.*s %.*s UTC", STR_ARG(line_day(at)), STR_ARG(line_clock(at)));
    if (took < 0)
        took = timeline_span(events);
    if (took >= 0 && line_is_end(doc_text(answer, "state"))) {
        units_time(took, text);
        buf_addf(&line, ", took %s", text);
    }
    if (memory >= 0) {
        units_bytes(memory, text);
        buf_addf(&line, ", at most %s", text);
    }
    if (attempt > 1)
        buf_addf(&line, ", %" PRId64 " attempts", attempt);
    out_folded(DIM, buf_str(&line), 0);
}

/* ---- how it ended, in words ---- */

static bool is_true(const struct doc *d)
{
    return d && d->kind == DOC_BOOL && d->truth;
}

static void show_error(const struct doc *payload, const struct doc *answer)
{
    const struct doc *error = line_member(payload, "error");
    _buf_ struct buf text = { .max = SHOW_MAX };

    if (!error || error->kind != DOC_MAP)
        return;
    buf_addf(&text, "%.*s: ", STR_ARG(doc_text(error, "code")));
    show_named(answer, doc_text(error, "message"), &text);
    buf_addf(&text, " (%s)",
             is_true(doc_get(error, "retryable")) ? "may be tried again" : "not to be tried again");
    show_folded("error", buf_str(&text));
}

/* A member a line. */
static void show_result(const struct doc *payload)
{
    const struct doc *first = doc_first(line_member(payload, "result"), DOC_MAP);
    size_t width = 0;

    for (const struct doc *d = first; d; d = d->next)
        width = wider(width, d->key);
    for (const struct doc *d = first; d; d = d->next) {
        _buf_ struct buf text = { .max = SHOW_MAX };

        pretty_words(d, &text);
        if (d->kind == DOC_LIST && !d->first)
            buf_adds(&text, "none");
        show_pair(d == first ? "result" : "", d->key, width, buf_str(&text));
    }
}

/* How it stood with its inputs, which decides what it may come to. What the contract calls a dry
 * run is one that publishes nothing, however much it did. */
static void show_gate(const struct doc *payload, const struct doc *event)
{
    _buf_ struct buf text = { .max = SHOW_MAX };
    struct str coherence = doc_text(payload, "coherenceStatus"), policy = doc_text(event, "policy");

    buf_addf(&text, "%.*s, %s", STR_ARG(coherence),
             is_true(doc_get(payload, "dryRun")) ? "nothing is published outside"
                                                 : "to be published outside");
    if (policy.n && !str_is(coherence, "coherent"))
        buf_addf(&text, ", policy %.*s", STR_ARG(policy));
    show_folded("inputs", buf_str(&text));
    show_text("as of", doc_text(payload, "snapshotAt"));
}

/* Who asked, as the kernel has it, and as they said. */
static void show_caller(const struct doc *payload)
{
    const struct doc *by = doc_get(payload, "requestedBy"), *login;
    _buf_ struct buf text = { .max = SHOW_MAX };
    struct str name, claimed;

    if (!by || by->kind != DOC_MAP)
        return;
    name = doc_text(by, "name");
    claimed = doc_text(by, "claimed");
    login = doc_get(by, "login_uid");
    if (name.n)
        buf_addf(&text, "%.*s ", STR_ARG(name));
    buf_addf(&text, "(uid %" PRId64, doc_whole(by, "uid"));
    if (login && login->kind == DOC_INT)
        buf_addf(&text, ", login uid %" PRId64, login->whole);
    buf_addc(&text, ')');
    if (claimed.n && !str_eq(claimed, name))
        buf_addf(&text, "; '%.*s' was claimed", STR_ARG(claimed));
    show_folded("asked by", buf_str(&text));
}

/* Why somebody wanted it ended, whether it ended in time or had to be killed. */
static void show_reason(const struct doc *payload, const struct doc *answer)
{
    const struct doc *manifest = manifest_of(answer);
    const struct doc *record = manifest ? doc_get(manifest, "body") : NULL;
    struct str reason = doc_text(payload, "cancelReason");

    if (!reason.n && record && record->kind == DOC_MAP)
        reason = doc_text(record, "cancel_reason");
    if (reason.n)
        show_folded("reason", reason);
}

static void show_ending(const struct doc *event, const struct doc *answer)
{
    const struct doc *payload = payload_of(event);

    if (!payload || payload->kind != DOC_MAP)
        return;
    show_error(payload, answer);
    show_reason(payload, answer);
    show_result(payload);
    show_gate(payload, event);
    show_caller(payload);
}

/* ---- evidence: what is kept by its digest, and the digests of what is not ---- */

/* What a digest is of: the path beside it, else the member it stands in. */
static struct str evidence_name(const struct doc *digest)
{
    const struct doc *up = digest->up;
    struct str path = up && up->kind == DOC_MAP ? doc_text(up, "path") : str_of("");

    if (path.n)
        return path;
    if (!str_is(digest->key, "digest"))
        return digest->key;
    while (up && !up->key.s)
        up = up->up;
    return up ? up->key : digest->key;
}

/* Every digest below a value: measured, then those are shown that are kept, then the others. */
struct evidence {
    struct str directory;
    const char *label;
    size_t width;
    bool show, kept, any;
};

/* The bytes lie in the directory, as writ-ledger(7) says. */
static bool is_kept(struct str directory, struct str text)
{
    struct digest digest;
    struct str digits;
    char path[PATH_MAX];

    if (!directory.n || !digest_parse(text, &digest))
        return false;
    digits = str_from(text, strlen("sha256:"));
    return snprintf(path, sizeof path, "%.*s/sha256/%.2s/%.*s", STR_ARG(directory), digits.s,
                    STR_ARG(str_from(digits, 2))) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

static bool is_change_list(const struct doc *d)
{
    return d->kind == DOC_LIST && str_is(d->key, "list") && str_is(d->up->key, "changes");
}

static void each_digest(const struct doc *d, struct evidence *e)
{
    if (d->kind == DOC_LIST || d->kind == DOC_MAP)
        for (const struct doc *c = d->first; c; c = c->next)
            if (!is_change_list(c)) /* `writ diff` shows it */
                each_digest(c, e);
    if (d->kind != DOC_TEXT || !str_begins(d->text, "sha256:"))
        return;
    if (!e->show) {
        e->width = wider(e->width, evidence_name(d));
        return;
    }
    if (is_kept(e->directory, d->text) != e->kept)
        return;
    show_pair(e->any ? "" : e->label, evidence_name(d), e->width, d->text);
    e->any = true;
}

static void show_evidence(const struct doc *from, struct str directory)
{
    struct evidence e = { .directory = directory };

    each_digest(from, &e);
    e = (struct evidence){ directory, "evidence", e.width, .show = true, .kept = true };
    each_digest(from, &e);
    if (e.any)
        show_text("kept in", directory);
    e = (struct evidence){ directory, "digests", e.width, .show = true };
    each_digest(from, &e);
}

/* "generic on box, route remote_ssh", or why it went without its worker. */
static void show_lane(const struct doc *record)
{
    const struct doc *transcript = doc_get(record, "transcript");
    struct str class = doc_text(record, "class"), worker = doc_text(record, "worker");
    struct str from = doc_text(record, "downgraded_from"), why = doc_text(record, "unavailable");
    _buf_ struct buf text = { .max = SHOW_MAX };

    if (!class.n)
        return;
    buf_addf(&text, "%.*s", STR_ARG(class));
    if (worker.n)
        buf_addf(&text, " on %.*s", STR_ARG(worker));
    buf_addf(&text, ", route %.*s", STR_ARG(doc_text(record, "route")));
    if (from.n)
        buf_addf(&text, " (downgraded from %.*s: %.*s)", STR_ARG(from), STR_ARG(why));
    show_folded("lane", buf_str(&text));
    if (transcript && transcript->kind == DOC_MAP)
        show_folded("transcript", doc_text(transcript, "path"));
}

/* What it was held to. */
static void show_walls(const struct doc *record)
{
    static const char *const members[] = { "limits", "layers", "missing" };

    for (size_t i = 0; i < COUNT(members); i++) {
        _buf_ struct buf text = { .max = SHOW_MAX };

        if (!doc_get(record, members[i]))
            continue;
        pretty_words(doc_get(record, members[i]), &text);
        show_folded(members[i], buf_str(&text));
    }
    reached_show(record);
}

/* What was the same as in any other run of the request, and what may not have been. */
static void show_held(const struct doc *record)
{
    const struct doc *held = doc_get(record, "deterministic");
    _buf_ struct buf text = { .max = SHOW_MAX }, open = { .max = SHOW_MAX };

    if (!held || held->kind != DOC_MAP)
        return;
    buf_addf(&text, "the clock, from %.*s on, and chance, by its seed%s",
             STR_ARG(doc_text(held, "clock")),
             is_true(doc_get(held, "killed"))
                 ? "; a program that cannot be held was killed at its start"
                 : "");
    show_folded("fixed", buf_str(&text));
    for (const struct doc *d = doc_first(doc_get(held, "open"), DOC_LIST); d; d = d->next)
        if (d->kind == DOC_TEXT)
            buf_addf(&open, "%s%.*s", open.len ? ", " : "", STR_ARG(d->text));
    show_folded("not fixed", buf_str(&open));
}

/* What it wrote beside the disk, and what became of that. */
static void show_changes(const struct doc *answer, const struct doc *record)
{
    const struct doc *changes = doc_get(record, "changes");
    _buf_ struct buf text = { .max = SHOW_MAX };
    char words[CHANGE_WORDS];

    if (!changes || changes->kind != DOC_MAP)
        return;
    change_words(doc_get(changes, "list"), words);
    buf_adds(&text, words);
    for (const struct doc *m = doc_first(doc_get(answer, "manifests"), DOC_LIST); m; m = m->next) {
        const struct doc *body = doc_get(m, "body");

        if (body && body->kind == DOC_MAP && str_is(doc_text(body, "what"), "changes"))
            buf_addf(&text, "; then %.*s", STR_ARG(doc_text(body, "verb")));
    }
    show_folded("changes", buf_str(&text));
}

/* Files that were asked for and are not kept. */
static void show_missed(const struct doc *record)
{
    static const char *const lists[] = { "output_files", "artifacts" };
    _buf_ struct buf text = { .max = SHOW_MAX };

    for (size_t i = 0; i < COUNT(lists); i++)
        for (const struct doc *f = doc_first(doc_get(record, lists[i]), DOC_LIST); f; f = f->next)
            if (f->kind == DOC_MAP && !str_is(doc_text(f, "state"), "collected"))
                buf_addf(&text, "%s%.*s (%.*s)", text.len ? ", " : "", STR_ARG(doc_text(f, "path")),
                         STR_ARG(doc_text(f, "state")));
    if (text.len)
        show_folded("not kept", buf_str(&text));
}

/* The manifest has all evidence; without one there is what the result tells. */
static void show_record(const struct doc *answer, const struct doc *event)
{
    const struct doc *manifest = manifest_of(answer);
    const struct doc *record = manifest ? doc_get(manifest, "body") : NULL;
    const struct doc *result = line_member(payload_of(event), "result");

    if (record && record->kind == DOC_MAP) {
        show_lane(record);
        show_walls(record);
        show_held(record);
        show_changes(answer, record);
        show_missed(record);
    }
    if (record || result)
        show_evidence(record ? record : result, doc_text(doc_get(answer, "evidence"), "directory"));
    if (manifest)
        show_text("manifest", doc_text(manifest, "ledger_id"));
}

/* ---- all of it ---- */

static void show_reruns(const struct doc *answer)
{
    const char *label = "run again";

    show_text("rerun of", line_short(doc_text(answer, "rerun_of")));
    for (const struct doc *r = doc_first(doc_get(answer, "reruns"), DOC_LIST); r; r = r->next) {
        if (r->kind == DOC_TEXT)
            show_text(label, line_short(r->text));
        label = "";
    }
}

/* Whether it still runs is known where it was begun, on this machine. */
static void show_no_end(const struct doc *answer)
{
    const struct doc *alive = doc_get(answer, "alive");

    if (alive && alive->kind == DOC_BOOL && alive->truth)
        show_text("end", str_of("none yet: it runs"));
    else if (was_killed(answer) && manifest_of(answer))
        show_folded("end", str_of("it does not run any more: who ran it was killed or could "
                                  "not record it"));
    else if (was_killed(answer))
        show_folded("end", str_of("it does not run any more: who ran it was killed or could "
                                  "not record it, and left no manifest of it"));
    else
        show_folded("end",
                    str_of("none is recorded: it still runs, or who ran it was killed or could "
                           "not record it"));
}

static void show_transcript(const struct doc *answer)
{
    const struct doc *transcript = doc_get(answer, "transcript");
    struct str state = transcript ? doc_text(transcript, "state") : str_of("");

    if (str_is(state, "changed"))
        show_text("transcript", str_of("was changed since it was recorded"));
    else if (str_is(state, "missing"))
        show_text("transcript", str_of("is not there any more"));
}

void show_execution(const struct doc *answer)
{
    const struct doc *events = doc_get(answer, "events"), *event = telling_event(events);

    show_head(answer, event);
    show_figures(answer, event);
    out(PLAIN, "\n");
    if (!show_plan(answer))
        timeline_show(events);
    out(PLAIN, "\n");
    show_text("execution", doc_text(answer, "execution"));
    show_text("tenant", doc_text(answer, "tenant"));
    show_text("robot", doc_text(answer, "robot"));
    show_ending(event, answer);
    if (str_is(doc_text(answer, "state"), "running"))
        show_no_end(answer);
    show_erasures(answer);
    show_reruns(answer);
    show_lineage(answer);
    show_record(answer, event);
    show_transcript(answer);
    show_next("writ prove", doc_text(answer, "execution"), "a proof that it is recorded");
}
