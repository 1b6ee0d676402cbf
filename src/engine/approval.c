/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c: writes the entry of an accepted review, and holds an executor against it. */
#include "engine/approval.h"

#include <string.h>

#include "base/json_pick.h"
#include "base/json_write.h"

static const char contract[] = "003-executor";

static void put_tried(const struct review *r, struct buf *to)
{
    json_key(to, "fixtures");
    json_open(to, '[');
    for (size_t i = 0; i < r->fixture_count; i++) {
        const struct tried *t = &r->tried[i];

        json_open(to, '{');
        json_put_text(to, "input_digest", t->input_digest);
        json_key(to, "output_digest");
        if (t->output_digest.s)
            json_text(to, t->output_digest);
        else
            json_nil(to);
        json_put(to, "status", action_status_names[t->status]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* Members in the order of their names: canonical as it is. */
void approval_write(const struct review *r, const struct digest *manifest, struct buf *to)
{
    const struct executor *x = r->candidate;
    char digest[DIGEST_TEXT];

    digest_text(manifest, digest);
    json_open(to, '{');
    json_put(to, "approves", "executor");
    json_put(to, "contract", contract);
    json_put_text(to, "executor_id", x->id);
    put_tried(r, to);
    json_put(to, "manifest_digest", digest);
    json_put_text(to, "version", x->version);
    json_close(to, '}');
}

static bool find(struct ledger *l, const struct executor *x, struct arena *a, struct entry *entry,
                 bool *there, struct error *e)
{
    struct uuid id;
    bool ok;

    *there = false;
    if (!entry_id_read(x->approval, &id))
        return true;
    if (!ledger_look(l, e))
        return false;
    ok = ledger_find(l, &id, a, entry, there, e);
    ledger_look_end(l);
    return ok;
}

bool approval_holds(struct ledger *l, const struct executor *x, struct arena *a, struct error *e)
{
    char manifest[DIGEST_TEXT];
    struct entry entry;
    bool there;

    if (!find(l, x, a, &entry, &there, e))
        return false;
    digest_text(&x->manifest, manifest);
    if (there && entry.kind == ENTRY_APPROVAL &&
        str_is(json_pick_plain(json_pick(entry.body, "manifest_digest")), manifest))
        return true;
    return error_set(e, CODE_EXECUTOR_CHANGED,
                     "%.*s %.*s: this ledger has no approval for what is registered; add it with "
                     "writ executors add",
                     STR_ARG(x->id), STR_ARG(x->version));
}
