/* SPDX-License-Identifier: Apache-2.0 */
/* erase.c: the public function that takes a body out of a ledger. */
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/record.h"
#include "ledger/erasure.h"

static int done(const struct entry *entry, const struct entry *note, const char *reason,
                char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    char erased[ENTRY_ID_TEXT], id[ENTRY_ID_TEXT];

    entry_id_text(&entry->id, erased);
    entry_id_text(&note->id, id);
    json_open(&out, '{');
    json_put(&out, "erased", erased);
    json_put(&out, "ledger_id", id);
    json_put(&out, "reason", reason);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}

/* Notes stay. That of an erasure accounts for a body that is missing; others tell what became of a
 * plan, and have nothing in them but names. */
static int stays(const struct entry *note, struct arena *a, char **answer)
{
    struct erasure erasure;

    *answer = record_failure(
        CODE_VALIDATION_ERROR,
        erasure_read(note, a, &erasure)
            ? "it is the note that something was erased, without which nobody could tell"
            : "it is the note of how a plan ended: it has the ids of the plan, its run and its "
              "steps, and nothing that they read or wrote; erase the entries of that run instead");
    return WRIT_NO;
}

/* Whole ids only: what is gone is gone. */
static int erase(struct writ_ledger *w, const struct uuid *id, const char *reason, struct arena *a,
                 char **answer)
{
    struct ledger *l = &w->l;
    struct entry entry, note;
    struct error e;
    bool there;

    if (!ledger_find(l, id, a, &entry, &there, &e))
        return record_unread(&e, answer);
    if (!there || entry.erased) {
        *answer = record_failure(CODE_ENTRY_UNKNOWN,
                                 there ? "its body was erased before" : "no entry has this id");
        return WRIT_NO;
    }
    if (entry.kind == ENTRY_NOTE)
        return stays(&entry, a, answer);
    if (ledger_erase(l, &entry, str_of(reason), &note, a, &e) && ledger_commit(l, true, &e))
        return done(&entry, &note, reason, answer);
    return record_unwritten(&e, answer);
}

int writ_ledger_erase(struct writ_ledger *ledger, const char *id, const char *reason, char **answer)
{
    _arena_ struct arena a = { 0 };
    struct uuid uuid;
    struct error e;
    int status;

    if (!given(id, "id", answer) || !given(reason, "reason", answer))
        return WRIT_USAGE;
    if (!entry_id_read(str_of(id), &uuid)) {
        *answer = record_failure(CODE_ENTRY_UNKNOWN, "give the whole ledger id, led-...: what is "
                                                     "erased does not come back");
        return WRIT_USAGE;
    }
    if (!record_writable(ledger, &e)) {
        *answer = record_failure(e.code, e.msg);
        return WRIT_USAGE;
    }
    if (!ledger_begin(&ledger->l, &e))
        return record_unwritten(&e, answer);
    status = erase(ledger, &uuid, reason, &a, answer);
    if (status != WRIT_OK)
        ledger_rollback(&ledger->l);
    return status;
}
