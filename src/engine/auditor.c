/* SPDX-License-Identifier: Apache-2.0 */
/* auditor.c: enters the records of executors' calls in the ledger. */
#include "engine/auditor.h"

#include "base/json_write.h"
#include "engine/home.h"
#include "engine/input.h"

enum { RECORDS = 1000 }; /* in one entry */

void keeping_open(struct keeping *k, const char *ledger, const char *const *environment,
                  const struct world *world)
{
    struct store_open how = { .access = STORE_APPEND,
                              .where = home_ledger(ledger, environment, &k->a),
                              .world = world };

    (void)pthread_mutex_init(&k->lock, NULL);
    if (how.where)
        k->open = ledger_open(&how, &k->a, &k->ledger, &k->why);
    else
        (void)error_set(&k->why, CODE_IO,
                        "there is no place for the ledger; name one with WRIT_STATE");
}

void keeping_close(struct keeping *k)
{
    if (k->open)
        ledger_close(&k->ledger);
    (void)pthread_mutex_destroy(&k->lock);
    arena_free(&k->a);
}

static bool enter(struct ledger *l, struct entry *entries, size_t n, struct error *e)
{
    if (!ledger_begin(l, e))
        return false;
    if (ledger_enter(l, entries, n, e) && ledger_commit(l, true, e))
        return true;
    ledger_rollback(l);
    return false;
}

bool keeping_enter(struct keeping *k, struct entry *entries, size_t n, struct error *e)
{
    bool ok;

    if (!k->open) {
        *e = k->why;
        return false;
    }
    (void)pthread_mutex_lock(&k->lock);
    ok = enter(&k->ledger, entries, n, e);
    (void)pthread_mutex_unlock(&k->lock);
    return ok;
}

/* The rows of audit_shape are in the order of their names: what they write is canonical. */
static void put_records(const struct audit_doc *records, size_t n, struct buf *to)
{
    if (n == 1) {
        shape_json(&audit_shape, records, to);
        return;
    }
    json_open(to, '{');
    json_put(to, "event_type", "action_audit");
    json_key(to, "records");
    json_open(to, '[');
    for (size_t i = 0; i < n; i++)
        shape_json(&audit_shape, &records[i], to);
    json_close(to, ']');
    json_close(to, '}');
}

/* Some of the records as one entry; its body lives in the arena. */
static struct entry entry_of_some(const struct keeping *k, const struct audit_doc *records,
                                  size_t n, struct buf *body, struct arena *a)
{
    struct entry entry;

    buf_reset(body);
    put_records(records, n, body);
    entry_of(ENTRY_AUDIT, str_of("local"), n == 1 ? records->trace_id : records->executor_id,
             (struct str){ arena_text(a, buf_str(body)), body->len }, k->ledger.world, &entry);
    return entry;
}

bool keeping_write(void *self, const struct audit_doc *records, size_t n, struct error *e)
{
    struct keeping *k = self;
    _arena_ struct arena a = { 0 };
    _buf_ struct buf body = { .max = ANSWER_MAX };
    struct entry *entries = NULL;
    size_t count = 0, room = 0;

    if (!k->open) {
        *e = k->why;
        return false;
    }
    for (size_t i = 0; i < n; i += RECORDS) {
        entries = arena_more(&a, entries, count, &room, sizeof *entries);
        entries[count++] =
            entry_of_some(k, &records[i], n - i < RECORDS ? n - i : RECORDS, &body, &a);
    }
    return keeping_enter(k, entries, count, e);
}
