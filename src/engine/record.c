/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: opens a ledger for a caller, and writes its entries as JSON. */
#include "engine/record.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/home.h"
#include "engine/input.h"
#include "ledger/proof.h"

char *record_failure(int code, const char *message)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    char *answer;

    json_open(&out, '{');
    json_put(&out, "code", codes[code].name);
    json_put(&out, "message", message);
    json_close(&out, '}');
    (void)!take_answer(&out, WRIT_OK, &answer);
    return answer;
}

int record_unread(const struct error *e, char **answer)
{
    *answer = record_failure(e->code, e->msg);
    return WRIT_UNAVAILABLE;
}

int record_unwritten(const struct error *e, char **answer)
{
    *answer = record_failure(e->code, e->msg);
    return WRIT_UNRECORDED;
}

bool record_writable(const struct writ_ledger *w, struct error *e)
{
    return w->append ||
           error_set(e, CODE_USAGE, "this ledger was opened to read; open it to append");
}

int record_fail(const struct error *e, int status, writ_line line, void *self)
{
    char *text = record_failure(e->code, e->msg);

    (void)line(self, text, strlen(text));
    free(text);
    return status;
}

/* ---- opening ---- */

const char *record_place(const char *where, struct arena *a)
{
    const char *host = strstr(where, "://"), *at, *colon;
    size_t n = strcspn(where, "?");

    if (!host || strncmp(where, "postgres", 8) != 0)
        return where;
    host += 3;
    at = memrchr(host, '@', (size_t)(where + n - host));
    colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
    if (!colon)
        return arena_text(a, (struct str){ where, n });
    return arena_printf(a, "%.*s%.*s", (int)(colon - where), where, (int)(where + n - at), at);
}

int writ_ledger_open(const char *where, const char *const *environment, bool append,
                     struct writ_ledger **out, char **answer)
{
    struct arena a = { 0 };
    struct writ_ledger *w = arena_new(&a, struct writ_ledger);
    struct store_open how = { .access = append ? STORE_APPEND : STORE_READ, .world = world_real() };
    struct error e;
    bool ok;

    w->a = a; /* it lives in its own arena */
    how.where = home_ledger(where, environment, &w->a);
    w->where = how.where ? record_place(how.where, &w->a) : NULL;
    w->address = how.where ? arena_text(&w->a, str_of(how.where)) : NULL;
    w->state = home_state(environment, &w->a);
    w->append = append;
    ok = how.where ? ledger_open(&how, &w->a, &w->l, &e)
                   : error_set(&e, CODE_IO,
                               "there is no place for a ledger: set WRIT_STATE, "
                               "XDG_STATE_HOME or HOME, or give --ledger");
    if (!ok) {
        int status = append && (!how.where || ledger_can_open(how.where))
                         ? record_unwritten(&e, answer)
                         : record_unread(&e, answer);

        if (e.code == CODE_USAGE)
            status = WRIT_USAGE;
        writ_ledger_close(w);
        return status;
    }
    *out = w;
    return WRIT_OK;
}

void writ_ledger_close(struct writ_ledger *ledger)
{
    struct arena a;

    if (!ledger)
        return;
    ledger_close(&ledger->l);
    a = ledger->a;
    arena_free(&a);
}

/* ---- entries ---- */

static void put_stamp(struct buf *to, const char *key, int64_t ms)
{
    char text[STAMP_TEXT];

    stamp_text(ms, text);
    json_put(to, key, text);
}

/* null where it is no event. */
static void put_event(const struct entry *entry, struct buf *to)
{
    if (entry->kind != ENTRY_EVENT) {
        json_put(to, "robot", NULL);
        json_put(to, "attempt", NULL);
        json_put(to, "state", NULL);
        json_put(to, "policy", NULL);
        return;
    }
    json_put_outside(to, "robot", entry->robot);
    json_put_int(to, "attempt", place_attempt(entry->place));
    json_put(to, "state", event_state_names[place_state(entry->place)]);
    json_put(to, "policy", policy_names[entry->traits.policy]);
}

static bool is_json(struct str body)
{
    _arena_ struct arena a = { 0 };
    struct ceilings any = ceilings_none();
    const struct document *document;
    struct error e;

    return json_read("body", body, &any, &a, &document, &e);
}

/* It was JSON when it was recorded. One that is not any more is told apart, and nothing is lost:
 * whoever reads the line can still read it. */
static void put_body(const struct entry *entry, struct buf *to)
{
    if (entry->erased) {
        json_nil(to);
    } else if (is_json(entry->body)) {
        buf_add(to, entry->body.s, entry->body.n);
    } else {
        json_nil(to);
        json_key(to, "damaged_body");
        json_base64(to, entry->body);
    }
}

/* All but the brace that ends it. */
static void begin_entry(const struct entry *entry, bool body, struct buf *to)
{
    struct digest digest = entry->body_digest;
    char id[ENTRY_ID_TEXT];

    entry_id_text(&entry->id, id);
    if (!entry->erased && entry->body.n)
        digest = entry_body_digest(entry->salt, entry->body);
    json_open(to, '{');
    json_put_int(to, "seq", entry->seq);
    json_put(to, "ledger_id", id);
    json_put(to, "kind", entry_kind_names[entry->kind]);
    json_put_outside(to, "subject", entry->subject);
    json_put_outside(to, "tenant", entry->tenant);
    put_event(entry, to);
    put_stamp(to, "createdAt", entry->created_ms);
    put_stamp(to, "recordedAt", entry->recorded_ms);
    json_put_digest(to, "content_digest", &entry->content);
    json_put_digest(to, "body_digest", &digest);
    json_put_digest(to, "leaf", &entry->leaf);
    json_put_bool(to, "erased", entry->erased);
    if (body) {
        json_key(to, "body");
        put_body(entry, to);
    }
}

void record_entry(const struct entry *entry, bool body, struct buf *to)
{
    begin_entry(entry, body, to);
    json_close(to, '}');
}

void record_provable(const struct entry *entry, struct buf *to)
{
    begin_entry(entry, true, to);
    proof_put_header(entry, to);
    proof_put_salt(entry, to);
    json_close(to, '}');
}

void record_ids(const struct uuid *ids, size_t n, struct buf *to)
{
    json_key(to, "ledger");
    json_open(to, '[');
    for (size_t i = 0; i < n; i++) {
        char id[ENTRY_ID_TEXT];

        entry_id_text(&ids[i], id);
        json_text(to, str_of(id));
    }
    json_close(to, ']');
}

void record_list(const char *key, const struct entry *entries, size_t n, bool body, struct buf *to)
{
    json_key(to, key);
    json_open(to, '[');
    for (size_t i = 0; i < n; i++)
        record_entry(&entries[i], body, to);
    json_close(to, ']');
}
