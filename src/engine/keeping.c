/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.c: opens the caller's ledger, and enters in it what its threads have to say. */
#include "engine/keeping.h"

#include "base/json_write.h"
#include "engine/event.h"
#include "engine/home.h"
#include "engine/input.h"

void keeping_open(struct keeping *k, const char *ledger, const char *const *environment,
                  const struct world *world, int cancel)
{
    struct store_open how = { .access = STORE_APPEND,
                              .where = home_ledger(ledger, environment, &k->a),
                              .world = world,
                              .cancel = &k->cancel,
                              .few = true };

    k->cancel = cancel;
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

bool keeping_begin(struct keeping *k, struct error *e)
{
    if (!k->open) {
        *e = k->why;
        return false;
    }
    (void)pthread_mutex_lock(&k->lock);
    if (ledger_begin(&k->ledger, e))
        return true;
    (void)pthread_mutex_unlock(&k->lock);
    return false;
}

bool keeping_end(struct keeping *k, bool ok, struct error *e)
{
    ok = ok && ledger_commit(&k->ledger, !k->swift, e);
    if (ok)
        k->cancel = -1;
    else
        ledger_rollback(&k->ledger);
    (void)pthread_mutex_unlock(&k->lock);
    return ok;
}

bool keeping_enter(struct keeping *k, struct entry *entry, struct error *e)
{
    return keeping_begin(k, e) && keeping_end(k, ledger_enter(&k->ledger, entry, 1, e), e);
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

bool keeping_write(void *self, const struct audit_doc *records, size_t n, struct error *e)
{
    struct keeping *k = self;
    _buf_ struct buf body = { .max = ANSWER_MAX };
    struct entry entry;

    if (!k->open) {
        *e = k->why;
        return false;
    }
    put_records(records, n, &body);
    if (!body_whole(&body, e))
        return false;
    entry_of(ENTRY_AUDIT, str_of("local"), n == 1 ? records->trace_id : records->executor_id,
             buf_str(&body), k->ledger.world, &entry);
    return keeping_enter(k, &entry, e);
}
