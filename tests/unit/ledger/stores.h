/* SPDX-License-Identifier: Apache-2.0 */
/* stores.h: ledgers to test stores with, and entries that are the same for the same number. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/world.h"
#include "ledger/store.h"

/* Which store is tested, and where its ledgers are: in "{}" of the address, each has its number. */
static const struct store_kind *kind;
static char places[512], place_dir[64];
static int place_count;

static inline const char *fresh_place(struct arena *a)
{
    const char *hole = strstr(places, "{}");

    assert_non_null(hole);
    return arena_printf(a, "%.*s%d%s", (int)(hole - places), places, ++place_count, hole + 2);
}

static inline int use_directory(void **state)
{
    (void)state;
    if (places[0])
        return 0;
    (void)snprintf(place_dir, sizeof place_dir, "/tmp/writ-store-XXXXXX");
    assert_non_null(mkdtemp(place_dir));
    (void)snprintf(places, sizeof places, "%s/{}/ledger.db", place_dir);
    return 0;
}

static inline int leave_directory(void **state)
{
    struct error e;

    (void)state;
    return place_dir[0] && !fs_remove(place_dir, &e);
}

/* Without arguments: SQLite, in a directory of its own. With an address of another store, in which
 * {} stands for the number of a ledger that does not exist yet: that store. */
static inline void choose_store(int argc, char **argv)
{
    kind = argc > 1 ? &store_postgres : &store_sqlite;
    if (argc > 1)
        (void)snprintf(places, sizeof places, "%s", argv[1]);
    assert_non_null(kind);
}

/* ---- chance that can be repeated ---- */

static uint64_t lots;

static inline uint64_t lot(uint64_t below)
{
    uint64_t v = lots += 0x9e3779b97f4a7c15;

    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
    v = (v ^ v >> 27) * 0x94d049bb133111eb;
    return (v ^ v >> 31) % below;
}

/* ---- calls that have to work ---- */

#define ok(call) assert_ok((call), #call, &e, __FILE__, __LINE__)

static inline void assert_ok(bool done, const char *what, const struct error *e, const char *file,
                             int line)
{
    if (done)
        return;
    print_message("%s: %s\n", what, e->msg);
    _fail(file, line);
}

static inline struct store *open_at(const char *where, enum store_access access, struct arena *a)
{
    struct store_open how = { where, access, world_real() };
    struct store *s = NULL;
    struct error e = { 0 };

    ok(kind->open(&how, a, &s, &e));
    return s;
}

static inline int64_t size_of(struct store *s)
{
    struct error e = { 0 };
    struct tip tip;

    ok(kind->look(s, &tip, &e));
    kind->look_end(s);
    return tip.size;
}

static inline bool sum_entry(void *self, const struct entry *entry, struct error *e)
{
    (void)e;
    if (kind->sum_keys)
        kind->sum_keys(self, entry, 1);
    return true;
}

/* Walks through the entries, then checks the rest. */
static inline const char *checked(struct store *s, struct arena *a)
{
    const char *finding = NULL;
    struct error e = { 0 };
    struct tip tip;

    ok(kind->look(s, &tip, &e));
    struct index_sum sum = { .size = tip.size, .salt = "a salt" };
    struct entry_range range = { 0, tip.size + 1, .bodies = true, .walk = true };
    ok(kind->read_entries(s, &range, sum_entry, &sum, &e));
    ok(kind->check(s, &sum, a, &finding, &e));
    kind->look_end(s);
    return finding;
}

static inline void assert_sound(struct store *s)
{
    _arena_ struct arena a = { 0 };
    const char *finding = checked(s, &a);

    if (finding)
        fail_msg("%s", finding);
}

/* ---- entries ---- */

/* The n-th place that events of an execution can have. */
static inline int64_t nth_place(int64_t n)
{
    return event_place(1 + n / EVENT_STATE_COUNT, (enum event_state)(n % EVENT_STATE_COUNT));
}

static inline void fill_bytes(void *to, size_t n, uint64_t from)
{
    uint8_t *p = to;

    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)((from * 31 + i * 7) >> (i % 3));
}

static inline struct entry some_entry(int64_t seq, enum entry_kind what, struct arena *a)
{
    struct entry entry = {
        .seq = seq,
        .kind = what,
        .subject = str_of(arena_printf(a, "subject-%" PRId64, seq % 97)),
        .tenant = str_of(arena_printf(a, "tenant-%" PRId64, seq % 3)),
        .robot = { "", 0 },
        .created_ms = 1763200000000 + seq * 3,
        .recorded_ms = 1763200000001 + seq * 3,
        .body = str_of(
            arena_printf(a, "{\"n\":%" PRId64 ",\"of\":\"%0*d\"}", seq, (int)(seq * 37 % 900), 7)),
    };

    fill_bytes(entry.id.b, UUID_BYTES, (uint64_t)seq + 1);
    fill_bytes(entry.content.b, DIGEST_BYTES, (uint64_t)seq + 2);
    fill_bytes(entry.leaf.b, DIGEST_BYTES, (uint64_t)seq + 3);
    fill_bytes(entry.salt, SALT_BYTES, (uint64_t)seq + 4);
    return entry;
}

static inline struct entry some_event(int64_t seq, int64_t execution, int64_t place,
                                      struct arena *a)
{
    struct entry entry = some_entry(seq, ENTRY_EVENT, a);

    entry.subject = str_of(arena_printf(a, "execution-%" PRId64, execution / 2));
    entry.robot = str_of(execution % 2 ? "robot-a" : "robot-b");
    entry.tenant = str_of("tenant");
    entry.place = place;
    entry.traits = (struct traits){
        .coherence = (enum coherence)(seq % COHERENCE_COUNT),
        .policy = (enum policy)(seq % POLICY_COUNT),
        .dry_run = seq % 5 == 0,
        .retryable = seq % 7 == 0,
        .snapshot_ms = 1763100000000 + seq,
        .snapshot_sub = (uint32_t)(seq % 1000000),
    };
    return entry;
}

/* What stands at a seq when only seqs decide: mostly events of 50 executions, in their order. */
static inline struct entry entry_at(int64_t seq, struct arena *a)
{
    if (seq % 11 == 3)
        return some_entry(seq,
                          (enum entry_kind)(seq % ENTRY_KIND_COUNT == ENTRY_EVENT
                                                ? ENTRY_INPUT
                                                : seq % ENTRY_KIND_COUNT),
                          a);
    return some_event(seq, seq % 50, nth_place(seq / 50), a);
}

static inline bool same_traits(const struct traits *a, const struct traits *b)
{
    return a->coherence == b->coherence && a->policy == b->policy && a->dry_run == b->dry_run &&
           a->retryable == b->retryable && a->snapshot_ms == b->snapshot_ms &&
           a->snapshot_sub == b->snapshot_sub;
}

static inline void assert_text(struct str a, struct str b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.s, b.s, a.n);
}

static inline void assert_entry(const struct entry *got, const struct entry *want, bool bodies)
{
    assert_int_equal(got->seq, want->seq);
    assert_int_equal(got->kind, want->kind);
    assert_memory_equal(got->id.b, want->id.b, UUID_BYTES);
    assert_text(got->subject, want->subject);
    assert_text(got->tenant, want->tenant);
    assert_text(got->robot, want->robot);
    assert_int_equal(got->place, want->place);
    assert_true(same_traits(&got->traits, &want->traits));
    assert_int_equal(got->created_ms, want->created_ms);
    assert_int_equal(got->recorded_ms, want->recorded_ms);
    assert_memory_equal(got->content.b, want->content.b, DIGEST_BYTES);
    assert_memory_equal(got->leaf.b, want->leaf.b, DIGEST_BYTES);
    assert_int_equal(got->erased, want->erased);
    if (want->erased)
        assert_memory_equal(got->body_digest.b, want->body_digest.b, DIGEST_BYTES);
    else
        assert_memory_equal(got->salt, want->salt, SALT_BYTES);
    assert_text(got->body, bodies && !want->erased ? want->body : (struct str){ "", 0 });
}

/* The blocks that are complete with entries up to `to`, and were not with those up to `from`. */
static inline void add_blocks(struct store *s, int64_t from, int64_t to)
{
    struct error e = { 0 };

    for (int level = 0; level < 3; level++) {
        int shift = 8 * (level + 1);

        for (int64_t n = from >> shift; n < to >> shift; n++) {
            struct block block = { .level = level, .n = n };

            fill_bytes(block.root.b, DIGEST_BYTES, (uint64_t)(n * 5 + level));
            if (level == 0)
                fill_bytes(block.names.bits, NAMES_BYTES, (uint64_t)n + 9);
            ok(kind->add_blocks(s, &block, 1, &e));
        }
    }
}

/* Adds the entries from the tip on that entry_at() says; returns the new size. */
static inline int64_t append_some(struct store *s, size_t n, bool durable)
{
    _arena_ struct arena a = { 0 };
    struct entry *entries = arena_alloc(&a, n * sizeof *entries);
    struct error e = { 0 };
    struct tip tip;

    ok(kind->begin(s, &tip, &e));
    for (size_t i = 0; i < n; i++)
        entries[i] = entry_at(tip.size + (int64_t)i, &a);
    ok(kind->add_entries(s, entries, n, &e));
    add_blocks(s, tip.size, tip.size + (int64_t)n);
    ok(kind->commit(s, durable, &e));
    return tip.size + (int64_t)n;
}

/* Everything is as entry_at() says. */
static inline bool compare_entry(void *self, const struct entry *entry, struct error *e)
{
    _arena_ struct arena a = { 0 };
    int64_t *next = self;
    struct entry want = entry_at(*next, &a);

    (void)e;
    assert_entry(entry, &want, true);
    ++*next;
    return true;
}

static inline void assert_all_there(struct store *s, int64_t size)
{
    struct error e = { 0 };
    struct tip tip;
    int64_t next = 0;

    ok(kind->look(s, &tip, &e));
    assert_int_equal(tip.size, size);
    ok(kind->read_entries(s, &(struct entry_range){ .to = INT64_MAX, .bodies = true },
                          compare_entry, &next, &e));
    assert_int_equal(next, size);
    for (int64_t execution = 0; execution < 50; execution++) {
        _arena_ struct arena a = { 0 };
        struct entry first = some_event(0, execution, 0, &a);
        struct asked_event asked = { first.tenant, first.robot, first.subject, nth_place(0) };
        int64_t last = -1;

        for (int64_t seq = execution; seq < size; seq += 50)
            last = seq % 11 == 3 ? last : seq;
        ok(kind->ask_events(s, &asked, 1, &a, &e));
        assert_int_equal(asked.has_last, last >= 0);
        assert_int_equal(asked.has_twin, execution < size && execution % 11 != 3);
        if (last >= 0)
            assert_int_equal(asked.last.seq, last);
    }
    kind->look_end(s);
}
