/* SPDX-License-Identifier: Apache-2.0 */
/* trail.c: writes what steps did as manifests of their plan's execution. */
#include "engine/plan/trail.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "engine/event.h"
#include "engine/input.h"

enum { ROWS_DUE = 512, MS_DUE = 250 };

void trail_close(struct trail *t)
{
    free(t->v);
    buf_free(&t->text);
}

void trail_add(struct trail *t, const struct trail_row *row)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->v = realloc(t->v, t->room * sizeof *t->v);
        if (!t->v)
            mem_end();
    }
    if (t->n == 0)
        t->since_ms = row->started_ms + row->took_ms;
    t->v[t->n++] = *row;
}

bool trail_due(const struct trail *t, int64_t now_ms)
{
    return t->n >= ROWS_DUE || (t->n > 0 && now_ms - t->since_ms >= MS_DUE);
}

int64_t trail_left_ms(const struct trail *t, int64_t now_ms)
{
    int64_t since = now_ms - t->since_ms;

    return t->n == 0 ? INT64_MAX : since < 0 ? MS_DUE : since > MS_DUE ? 0 : MS_DUE - since;
}

static void put_ms(struct buf *to, const char *key, int64_t ms)
{
    json_key(to, key);
    if (ms >= 0)
        json_int(to, ms);
    else
        json_nil(to);
}

/* Members in the order of their names, so that the text is canonical. */
static void put_row(const struct trail *t, const struct trail_row *row, struct buf *to)
{
    const struct step_doc *step = (const struct step_doc *)t->plan->steps.v + row->index;
    bool run = row->started_ms >= 0;

    json_open(to, '{');
    json_put_text(to, "action", step->action);
    json_put_int(to, "attempt", row->attempt);
    json_put(to, "code", row->code ? codes[row->code].name : NULL);
    put_ms(to, "duration_ms", row->took_ms);
    json_put(to, "execution_id", row->execution[0] ? row->execution : NULL);
    json_put_int(to, "index", (int64_t)row->index);
    json_put(to, "message", row->message);
    json_put(to, "name", t->names[row->index]);
    if (row->failed) {
        json_put(to, "on_failure", on_failure_names[step->on_failure]);
        json_put(to, "severity", severities[row->severity].name);
    }
    put_ms(to, "started_at", row->started_ms);
    json_put(to, "state", !run ? "not_run" : row->failed ? "failed" : "completed");
    json_put_text(to, "step_id", step->id);
    json_close(to, '}');
}

bool trail_enter(struct trail *t, struct ledger *l, struct error *e)
{
    struct buf *to = &t->text;
    struct entry entry;

    if (t->n == 0)
        return true;
    to->max = ANSWER_MAX;
    buf_reset(to);
    json_open(to, '{');
    json_put_text(to, "name", t->plan->name);
    json_put_text(to, "plan_id", t->plan->id);
    json_key(to, "steps");
    json_open(to, '[');
    for (size_t i = 0; i < t->n; i++)
        put_row(t, &t->v[i], to);
    json_close(to, ']');
    json_put(to, "what", "plan_steps");
    json_close(to, '}');
    if (!body_whole(to, e))
        return false;
    entry_of(ENTRY_MANIFEST, str_of(EVENT_TENANT), t->execution, buf_str(to), l->world, &entry);
    return ledger_enter(l, &entry, 1, e);
}

void trail_forget(struct trail *t)
{
    t->n = 0;
}
