/* SPDX-License-Identifier: Apache-2.0 */
/* case.h: a ledger of its own for every test: a schema on the server that server.py started. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ledger/postgres.h"
#include "made.h"

static const struct store_kind *const kind = &store_postgres;
static char address[4096];
static struct arena arena;
static struct fake_world world;
static struct store *store;
static struct error e;

static inline const char *here(void)
{
    return getenv("WRIT_TEST_STORE");
}

static inline struct store *open_as(enum store_access access)
{
    struct store_open how = { address, access, &world.world };
    struct store *out = NULL;

    if (!kind->open(&how, &arena, &out, &e))
        fail_msg("%s", e.msg);
    return out;
}

static inline int setup(void **state)
{
    static int schemas;

    (void)state;
    e = (struct error){ 0 };
    fake_world_init(&world, 1700000000000);
    (void)snprintf(address, sizeof address, "%s&schema=test_%d", here(), ++schemas);
    store = open_as(STORE_APPEND);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    kind->close(store);
    arena_free(&arena);
    return 0;
}

#define good(call)                 \
    do {                           \
        if (!(call))               \
            fail_msg("%s", e.msg); \
    } while (0)

/* The same, of what is read. */
#define looked(call)                         \
    do {                                     \
        struct tip seen_;                    \
                                             \
        good(kind->look(store, &seen_, &e)); \
        good(call);                          \
        kind->look_end(store);               \
    } while (0)

/* A statement of somebody who goes round the store. NULL: it was done; else what was said. */
static inline const char *by_hand(const char *sql)
{
    static const struct pg_book none = { NULL, 0 };
    static struct error said;
    const char *schema = strstr(address, "&schema=") + strlen("&schema=");
    struct postgres *pg;
    bool done;

    good(pg_open(here(), &none, &arena, &pg, &e));
    done = pg_script(pg, arena_printf(&arena, "SET search_path TO %s", schema), &said) &&
           pg_script(pg, sql, &said);
    pg_close(pg);
    return done ? NULL : said.msg;
}

static inline void append(size_t n)
{
    struct tip tip;

    good(made_append(store, n, &tip, &e));
}

struct seen {
    int64_t first, last;
    size_t n, enough;
    struct entry entry; /* the last one; texts in the arena */
};

static inline bool see(void *self, const struct entry *entry, struct error *why)
{
    struct seen *s = self;

    (void)why;
    s->first = s->n == 0 ? entry->seq : s->first;
    s->last = entry->seq;
    s->entry = *entry;
    s->entry.body = (struct str){ arena_text(&arena, entry->body), entry->body.n };
    s->entry.subject = (struct str){ arena_text(&arena, entry->subject), entry->subject.n };
    s->entry.tenant = (struct str){ arena_text(&arena, entry->tenant), entry->tenant.n };
    s->entry.robot = (struct str){ arena_text(&arena, entry->robot), entry->robot.n };
    return ++s->n != s->enough;
}

static inline struct seen read_range(struct entry_range range, size_t enough)
{
    struct seen s = { .enough = enough };

    looked(kind->read_entries(store, &range, see, &s, &e));
    return s;
}

static inline struct entry read_one(int64_t seq)
{
    struct seen s = read_range((struct entry_range){ seq, seq + 1, false, true }, 0);

    assert_int_equal(s.n, 1);
    return s.entry;
}

static inline void add_one(const struct entry *entry)
{
    struct tip tip;

    good(kind->begin(store, &tip, &e));
    good(kind->add_entries(store, entry, 1, &e));
    good(kind->commit(store, true, &e));
}

static inline int64_t size_now(void)
{
    struct tip tip;

    good(kind->look(store, &tip, &e));
    kind->look_end(store);
    return tip.size;
}

#define with_store(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Runs them, or says why not. */
#define run_with_server(tests)                            \
    (here() ? cmocka_run_group_tests((tests), NULL, NULL) \
            : (printf("1..0 # SKIP no server: WRIT_TEST_STORE is not set\n"), 0))
