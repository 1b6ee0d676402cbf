/* SPDX-License-Identifier: Apache-2.0 */
/* deed.c: enters in the ledger what is done with a run's changes: before, and when it is over.
 */
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/changes_run.h"
#include "engine/event.h"
#include "engine/input.h"

static struct event_head head_of(const struct cow_deed *d, const char *execution)
{
    return (struct event_head){ .execution = str_of(execution),
                                .workflow = "changes/1",
                                .target = "changes",
                                .action =
                                    arena_printf(d->a, "%s %.*s", d->verb, STR_ARG(d->run->id)),
                                .snapshot_ms = d->snapshot_ms,
                                .depends = &d->run->manifest,
                                .depend_count = 1 };
}

/* What is asked for, and as the record of what was done. */
static void put_deed(const struct cow_deed *d, const char *ended, const struct error *why,
                     struct buf *to)
{
    json_open(to, '{');
    json_put(to, "what", "changes");
    json_put(to, ended ? "verb" : "asked", ended && why ? "stopped" : d->verb);
    if (ended)
        json_put(to, "message", why ? why->msg : NULL);
    json_put(to, "by", d->execution);
    json_put_text(to, "run", d->run->id);
    json_key(to, "paths");
    buf_add(to, d->paths.s, d->paths.n);
    json_close(to, '}');
}

static bool enter_body(struct cow_deed *d, enum entry_kind kind, struct str subject,
                       const struct buf *text, struct error *e)
{
    struct entry entry;
    struct str body;

    if (!body_whole(text, e) || !body_canonical(buf_str(text), d->a, &body, e))
        return false;
    entry_of(kind, str_of(EVENT_TENANT), subject, body, d->keeping->ledger.world, &entry);
    if (!ledger_enter(&d->keeping->ledger, &entry, 1, e))
        return false;
    d->entries[d->entry_count++] = entry.id;
    d->snapshot_ms = entry.created_ms;
    return true;
}

static void put_error(struct buf *to, enum code code, const char *message)
{
    json_key(to, "error");
    json_open(to, '{');
    json_put(to, "code", codes[code].name);
    json_put(to, "message", message);
    json_put_bool(to, "retryable", true);
    json_close(to, '}');
}

/* One that was cut short has no end of its own; where it has one after all, the ledger says so and
 * nothing is added. */
static bool end_other(struct cow_deed *d, struct error *e)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };
    struct event_head head;
    struct draft draft;

    if (!d->instead)
        return true;
    head = head_of(d, d->instead);
    head.snapshot_ms = d->instead_ms;
    event_open(&head, EVENT_FAILED, d->keeping->ledger.world, &text);
    put_error(&text, CODE_COMMAND_FAILED,
              arena_printf(d->a, "it was cut short; %s goes on with it", d->execution));
    draft = event_close(&head, &text, d->keeping->ledger.world, d->a);
    return ledger_append(&d->keeping->ledger, &draft, 1, d->a, e);
}

static bool enter_start(struct cow_deed *d, struct error *e)
{
    static const enum event_state begins[] = { EVENT_PLANNED, EVENT_RUNNING };
    _buf_ struct buf asked = { .max = ANSWER_MAX };
    struct draft drafts[COUNT(begins)];
    struct event_head head;

    put_deed(d, NULL, NULL, &asked);
    if (!enter_body(d, ENTRY_INPUT, str_of(d->execution), &asked, e) || !end_other(d, e))
        return false;
    head = head_of(d, d->execution);
    for (size_t i = 0; i < COUNT(begins); i++) {
        _buf_ struct buf text = { .max = ANSWER_MAX };

        event_open(&head, begins[i], d->keeping->ledger.world, &text);
        drafts[i] = event_close(&head, &text, d->keeping->ledger.world, d->a);
    }
    if (!event_enter(&d->keeping->ledger, drafts, COUNT(begins), d->entries + d->entry_count, d->a,
                     e))
        return false;
    d->entry_count += COUNT(begins);
    return true;
}

bool cow_deed_announce(struct cow_deed *d, struct error *e)
{
    return keeping_begin(d->keeping, e) && keeping_end(d->keeping, enter_start(d, e), e);
}

static bool enter_end(struct cow_deed *d, const struct error *why, struct error *e)
{
    _buf_ struct buf done = { .max = ANSWER_MAX }, text = { .max = ANSWER_MAX };
    int64_t snapshot_ms = d->snapshot_ms;
    struct event_head head;
    struct draft draft;

    put_deed(d, "ended", why, &done);
    if (!enter_body(d, ENTRY_MANIFEST, d->run->id, &done, e))
        return false;
    d->snapshot_ms = snapshot_ms; /* as its first events say */
    head = head_of(d, d->execution);
    event_open(&head, why ? EVENT_FAILED : EVENT_SUCCEEDED, d->keeping->ledger.world, &text);
    if (why) {
        put_error(&text, (enum code)why->code, why->msg);
    } else {
        json_key(&text, "result");
        json_open(&text, '{');
        json_put(&text, "verb", d->verb);
        json_close(&text, '}');
    }
    draft = event_close(&head, &text, d->keeping->ledger.world, d->a);
    if (!event_enter(&d->keeping->ledger, &draft, 1, d->entries + d->entry_count, d->a, e))
        return false;
    d->entry_count++;
    return true;
}

bool cow_deed_conclude(struct cow_deed *d, const struct error *why, struct error *e)
{
    return keeping_begin(d->keeping, e) && keeping_end(d->keeping, enter_end(d, why, e), e);
}

bool cow_deed_reject(struct cow_deed *d, enum code code, const char *message, struct error *e)
{
    _buf_ struct buf asked = { .max = ANSWER_MAX };
    struct refusal refusal = { .code = code,
                               .message = message,
                               .tenant = str_of(EVENT_TENANT),
                               .subject = str_of(d->execution) };

    put_deed(d, NULL, NULL, &asked);
    refusal.text = buf_str(&asked);
    return keeping_begin(d->keeping, e) &&
           keeping_end(d->keeping, ledger_reject(&d->keeping->ledger, &refusal, e), e);
}
