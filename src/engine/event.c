/* SPDX-License-Identifier: Apache-2.0 */
/* event.c: writes writ's own events and appends them. */
#include "engine/event.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "engine/input.h"

static void put_lineage(const struct event_head *head, struct buf *to)
{
    json_key(to, "lineage");
    json_open(to, '{');
    json_key(to, "dependsOnLedgerIds");
    json_open(to, '[');
    for (size_t i = 0; i < head->depend_count; i++) {
        char id[ENTRY_ID_TEXT];

        entry_id_text(&head->depends[i], id);
        json_text(to, str_of(id));
    }
    json_close(to, ']');
    if (head->rerun_of.n)
        json_put_text(to, "rerunOfExecutionId", head->rerun_of);
    json_close(to, '}');
}

void event_open(const struct event_head *head, enum event_state state, const struct world *world,
                struct buf *to)
{
    char snapshot[STAMP_TEXT], now[STAMP_TEXT];
    struct caller caller = head->caller ? *head->caller : caller_now();

    stamp_text(head->snapshot_ms, snapshot);
    stamp_text(world->wall_ms(world->self), now);
    json_open(to, '{');
    json_put(to, "tenantId", EVENT_TENANT);
    json_put(to, "robotId", EVENT_ROBOT);
    json_put(to, "module", "agent-builder");
    json_put(to, "source", "agent-builder");
    json_put(to, "type", "execution_event");
    json_put(to, "state", event_state_names[state]);
    json_put(to, "createdAt", strcmp(now, snapshot) < 0 ? snapshot : now);
    put_lineage(head, to);
    json_key(to, "payload");
    json_open(to, '{');
    json_put_text(to, "executionId", head->execution);
    json_put(to, "workflowVersion", head->workflow);
    json_put(to, "agentVersion", "writ/" WRIT_VERSION);
    json_put(to, "executionContractVersion", "v1");
    json_put_int(to, "attempt", head->attempt ? head->attempt : 1);
    json_put(to, "target", head->target);
    json_put(to, "action", head->action);
    json_put(to, "snapshotAt", snapshot);
    json_put_bool(to, "dryRun", true);
    caller_put(&caller, "requestedBy", head->claimed, to);
}

struct draft event_close(const struct event_head *head, struct buf *text, const struct world *world,
                         struct arena *a)
{
    struct draft d = { .policy = head->policy, .since = head->since };

    json_close(text, '}');
    json_close(text, '}');
    d.text = (struct str){ arena_text(a, buf_str(text)), text->len };
    drafts_read(&d, 1, world, a);
    return d;
}

bool body_whole(const struct buf *body, struct error *e)
{
    return buf_ok(body) ||
           error_set(e, CODE_CEILING, "what is to be recorded has more than %zu bytes", body->max);
}

/* What is entered is canonical or is not entered: nobody could prove it otherwise. What we wrote
 * ourselves is not refused for its size. */
bool body_canonical(struct str text, struct arena *a, struct str *out, struct error *e)
{
    _arena_ struct arena scratch = { 0 };
    _buf_ struct buf canon = { .max = ANSWER_MAX };
    struct ceilings max = ceilings_none();
    const struct document *document;

    if (!json_read("record", text, &max, &scratch, &document, e))
        return error_wrap(e, "what is to be recorded cannot be read again");
    json_canon(&document->root, &scratch, &canon);
    if (!body_whole(&canon, e))
        return false;
    *out = (struct str){ arena_text(a, buf_str(&canon)), canon.len };
    return true;
}

bool event_enter(struct ledger *l, struct draft *drafts, size_t n, struct uuid *ids,
                 struct arena *a, struct error *e)
{
    if (!ledger_append(l, drafts, n, a, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct draft *d = &drafts[i];

        if (d->report.errors)
            return error_set(e, CODE_UNKNOWN_ERROR, "the ledger does not take an event of ours: %s",
                             d->message ? d->message : "it is wrong");
        if (d->verdict == VERDICT_REFUSED &&
            (d->code == CODE_CEILING || d->code == CODE_COHERENCE_BLOCKED))
            return error_set(e, d->code, "the ledger does not take an event of ours: %s",
                             d->message);
        if (d->verdict != VERDICT_APPENDED)
            return error_set(e, CODE_EXECUTION_USED, "the execution id %.*s was used before%s%s",
                             STR_ARG(d->entry.subject), d->message ? ": " : "",
                             d->message ? d->message : "");
        ids[i] = d->id;
    }
    return true;
}
