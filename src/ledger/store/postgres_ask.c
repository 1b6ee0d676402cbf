/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_ask.c: what the rules ask of a ledger in PostgreSQL, a whole batch at a time. */
#include <endian.h>
#include <string.h>

#include "contract/codes.h"
#include "ledger/store/postgres.h"

static struct str copied(const struct pg_rows *rows, int row, int column, struct arena *a)
{
    struct str bytes = pg_bytes(rows, row, column);

    return (struct str){ arena_text(a, bytes), bytes.n };
}

/* ---- keys ---- */

static void add_text(struct sha256 *sum, struct str text)
{
    uint64_t n = htobe64(text.n);

    sha256_add(sum, &n, sizeof n);
    sha256_add(sum, text.s, text.n);
}

struct uuid store_postgres_key(struct str tenant, struct str robot, struct str subject)
{
    struct sha256 sum;
    struct digest digest;
    struct uuid key;

    sha256_begin(&sum);
    add_text(&sum, tenant);
    add_text(&sum, robot);
    sha256_add(&sum, subject.s, subject.n);
    digest = sha256_end(&sum);
    memcpy(&key, &digest, sizeof key);
    return key;
}

/* ---- events ---- */

/* The columns of SQL_LASTS and SQL_TWINS. */
enum { MARK_N, MARK_SEQ, MARK_ID, MARK_PLACE, MARK_TRAITS, MARK_SNAPSHOT, MARK_CONTENT };
enum { MARK_TENANT = MARK_CONTENT + 1, MARK_ROBOT, MARK_SUBJECT };

static struct event_mark mark_of(const struct pg_rows *rows, int row)
{
    struct event_mark mark = { .seq = pg_int(rows, row, MARK_SEQ),
                               .place = pg_int(rows, row, MARK_PLACE) };

    traits_unpack(pg_int(rows, row, MARK_TRAITS), &mark.traits);
    mark.traits.snapshot_ms = pg_int(rows, row, MARK_SNAPSHOT);
    pg_copy(rows, row, MARK_ID, &mark.id, sizeof mark.id);
    pg_copy(rows, row, MARK_CONTENT, &mark.content, sizeof mark.content);
    return mark;
}

/* A key has half a digest's bits. Should two executions ever share one, neither is taken for the
 * other. */
static bool is_of(const struct asked_event *asked, const struct pg_rows *rows, int row)
{
    return str_eq(asked->execution, pg_bytes(rows, row, MARK_SUBJECT)) &&
           str_eq(asked->tenant, pg_bytes(rows, row, MARK_TENANT)) &&
           str_eq(asked->robot, pg_bytes(rows, row, MARK_ROBOT));
}

/* What is asked about one execution. */
struct question {
    struct uuid key;
    struct asked_event *asked;
};

/* Questions in the order of their keys; those about execution g are first[g] to first[g + 1] - 1.
 */
struct questions {
    struct question *q;
    size_t *first;
    size_t executions;
};

static int by_key(const void *a, const void *b)
{
    return memcmp(&((const struct question *)a)->key, &((const struct question *)b)->key,
                  sizeof(struct uuid));
}

/* A batch tends to have several events of an execution: each is looked up once, and neighbours in
 * the index one after the other. */
static struct questions sort_questions(struct asked_event *asked, size_t n, struct arena *a)
{
    struct questions s = { .q = arena_alloc(a, n * sizeof *s.q),
                           .first = arena_alloc(a, (n + 1) * sizeof *s.first) };

    for (size_t i = 0; i < n; i++) {
        asked[i].has_twin = asked[i].has_last = false;
        s.q[i].key = store_postgres_key(asked[i].tenant, asked[i].robot, asked[i].execution);
        s.q[i].asked = &asked[i];
    }
    qsort(s.q, n, sizeof *s.q, by_key);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_key(&s.q[i - 1], &s.q[i]) != 0)
            s.first[s.executions++] = i;
    s.first[s.executions] = n;
    return s;
}

/* The last event of an execution answers a question. At the asked place it is the twin; only
 * further back can there be another. */
static bool answer_last(struct question *q, const struct pg_rows *rows, int row)
{
    struct asked_event *asked = q->asked;

    if (!is_of(asked, rows, row))
        return false;
    asked->has_last = true;
    asked->last = mark_of(rows, row);
    asked->has_twin = asked->last.place == asked->place;
    if (asked->has_twin)
        asked->twin = asked->last;
    return true;
}

static bool two_in_one(struct store *store, struct error *e)
{
    return error_set(e, CODE_IO, "%s: two executions have the same key", pg_shown(store->pg));
}

/* Whether a row answers one of n questions, numbered from 1 on, and with an event that can be. */
static bool answers(struct store *store, const struct pg_rows *rows, int row, size_t n,
                    struct error *e)
{
    struct event_mark mark = mark_of(rows, row);
    struct entry entry = { .kind = ENTRY_EVENT, .place = mark.place, .traits = mark.traits };
    int64_t number = pg_int(rows, row, MARK_N);

    if (number < 1 || (size_t)number > n)
        return error_set(e, CODE_IO, "%s: the server's answer does not belong to the question",
                         pg_shown(store->pg));
    return entry_stands(&entry) ||
           error_set(e, CODE_LEDGER_DAMAGED, "%s is damaged: entry %lld is not what was written",
                     pg_shown(store->pg), (long long)mark.seq);
}

static bool ask_lasts(struct store *store, struct questions *s, struct error *e)
{
    _buf_ struct buf keys = { .max = PG_BUFFER_MAX };
    _rows_ struct pg_rows rows = { 0 };
    struct pg_value value;

    pg_put_list(&keys, PG_UUID, s->executions);
    for (size_t g = 0; g < s->executions; g++)
        pg_put_bytes(&keys, &s->q[s->first[g]].key, sizeof(struct uuid));
    value = (struct pg_value){ PG_UUID_LIST, buf_str(&keys) };
    if (!pg_ask(store->pg, SQL_LASTS, &value, 1, &rows, e))
        return false;
    for (int row = 0; row < rows.count; row++) {
        size_t g = (size_t)pg_int(&rows, row, MARK_N) - 1;

        if (!answers(store, &rows, row, s->executions, e))
            return false;
        for (size_t i = s->first[g]; i < s->first[g + 1]; i++)
            if (!answer_last(&s->q[i], &rows, row))
                return two_in_one(store, e);
    }
    return true;
}

static bool may_have_twin(const struct asked_event *asked)
{
    return asked->has_last && asked->place < asked->last.place;
}

/* Rare, as events come in order: one more round trip, and only for those that need it. */
static bool ask_twins(struct store *store, struct questions *s, size_t n, struct error *e)
{
    _buf_ struct buf keys = { .max = PG_BUFFER_MAX }, places = { .max = PG_BUFFER_MAX };
    _rows_ struct pg_rows rows = { 0 };
    struct pg_value values[2];
    size_t open = 0;

    for (size_t i = 0; i < n; i++)
        if (may_have_twin(s->q[i].asked))
            s->q[open++] = s->q[i];
    if (open == 0)
        return true;
    pg_put_list(&keys, PG_UUID, open);
    pg_put_list(&places, PG_INT, open);
    for (size_t i = 0; i < open; i++) {
        pg_put_bytes(&keys, &s->q[i].key, sizeof(struct uuid));
        pg_put_int(&places, s->q[i].asked->place);
    }
    values[0] = (struct pg_value){ PG_UUID_LIST, buf_str(&keys) };
    values[1] = (struct pg_value){ PG_INT_LIST, buf_str(&places) };
    if (!pg_ask(store->pg, SQL_TWINS, values, COUNT(values), &rows, e))
        return false;
    for (int row = 0; row < rows.count; row++) {
        struct asked_event *asked;

        if (!answers(store, &rows, row, open, e))
            return false;
        asked = s->q[pg_int(&rows, row, MARK_N) - 1].asked;
        if (!is_of(asked, &rows, row))
            return two_in_one(store, e);
        asked->has_twin = true;
        asked->twin = mark_of(&rows, row);
    }
    return true;
}

bool store_postgres_ask_events(struct store *store, struct asked_event *asked, size_t n,
                               struct arena *a, struct error *e)
{
    struct questions s = sort_questions(asked, n, a);

    return n == 0 || (ask_lasts(store, &s, e) && ask_twins(store, &s, n, e));
}

/* ---- entries ---- */

/* The columns of SQL_ENTRIES and SQL_NEWEST_INPUT. */
enum { ASKED_SEQ, ASKED_ID, ASKED_KIND, ASKED_CREATED, ASKED_TENANT, ASKED_SUBJECT };

static void answer_entry(struct asked_entry *asked, const struct pg_rows *rows, int row,
                         struct arena *a)
{
    asked->there = true;
    asked->seq = pg_int(rows, row, ASKED_SEQ);
    pg_copy(rows, row, ASKED_ID, &asked->id, sizeof asked->id);
    asked->kind = (enum entry_kind)pg_int(rows, row, ASKED_KIND);
    asked->created_ms = pg_int(rows, row, ASKED_CREATED);
    asked->tenant = copied(rows, row, ASKED_TENANT, a);
    asked->subject = copied(rows, row, ASKED_SUBJECT, a);
}

static int by_seq(const void *a, const void *b)
{
    int64_t x = (*(struct asked_entry *const *)a)->seq, y = (*(struct asked_entry *const *)b)->seq;

    return x < y ? -1 : x > y;
}

/* Many events depend on the same few entries: each is asked for once. */
static bool ask_sorted(struct store *store, struct asked_entry **asked, size_t n,
                       struct pg_rows *rows, struct error *e)
{
    _buf_ struct buf list = { .max = PG_BUFFER_MAX };
    struct pg_value value;
    size_t different = 0;

    for (size_t i = 0; i < n; i++)
        different += i == 0 || asked[i]->seq != asked[i - 1]->seq;
    pg_put_list(&list, PG_INT, different);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || asked[i]->seq != asked[i - 1]->seq)
            pg_put_int(&list, asked[i]->seq);
    value = (struct pg_value){ PG_INT_LIST, buf_str(&list) };
    return pg_ask(store->pg, SQL_ENTRIES, &value, 1, rows, e);
}

bool store_postgres_ask_entries(struct store *store, struct asked_entry *asked, size_t n,
                                struct arena *a, struct error *e)
{
    struct asked_entry **sorted = arena_alloc(a, n * sizeof(struct asked_entry *));
    _rows_ struct pg_rows rows = { 0 };
    size_t i = 0;

    if (n == 0)
        return true;
    for (size_t k = 0; k < n; k++) {
        asked[k].there = false;
        sorted[k] = &asked[k];
    }
    qsort(sorted, n, sizeof *sorted, by_seq);
    if (!ask_sorted(store, sorted, n, &rows, e))
        return false;
    for (int row = 0; row < rows.count; row++) { /* which come by seq */
        struct asked_entry answer;

        answer_entry(&answer, &rows, row, a);
        while (i < n && sorted[i]->seq < answer.seq)
            i++;
        while (i < n && sorted[i]->seq == answer.seq)
            *sorted[i++] = answer;
    }
    return true;
}

bool store_postgres_newest_input(struct store *store, struct str tenant, struct str subject,
                                 struct asked_entry *out, struct arena *a, struct error *e)
{
    struct uuid key = store_postgres_key(tenant, str_of(""), subject);
    struct pg_value values[] = { { PG_UUID, { (const char *)key.b, sizeof key.b } },
                                 { PG_BYTES, tenant },
                                 { PG_BYTES, subject } };
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_ask(store->pg, SQL_NEWEST_INPUT, values, COUNT(values), &rows, e))
        return false;
    out->there = false;
    if (rows.count > 0)
        answer_entry(out, &rows, 0, a);
    return true;
}
