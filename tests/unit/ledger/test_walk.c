/* SPDX-License-Identifier: Apache-2.0 */
/* test_walk.c: a walk comes by every entry in order, and holds few bytes of them at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "ledger/walk.h"

/* ---- a ledger whose bodies are all the same ---- */

static int64_t entries_there;
static struct str body;

static bool read_entries(struct store *s, const struct entry_range *range, entry_reader reader,
                         void *self, struct error *e)
{
    bool more = true;

    (void)s;
    for (int64_t seq = range->from; more && seq < range->to && seq < entries_there; seq++) {
        struct entry entry = {
            .seq = seq, .subject = { "", 0 }, .tenant = { "", 0 }, .robot = { "", 0 }, .body = body
        };

        e->code = 0;
        more = reader(self, &entry, e);
    }
    return more || e->code == 0;
}

static bool read_blocks(struct store *s, const struct block_range *range, block_reader reader,
                        void *self, struct error *e)
{
    (void)s, (void)range, (void)reader, (void)self, (void)e;
    return true;
}

static const struct store_kind uniform = { .name = "uniform",
                                           .read_entries = read_entries,
                                           .read_blocks = read_blocks };

/* ---- who walks ---- */

struct seen {
    int64_t entries, chunks;
    size_t bytes, count; /* of the largest chunk */
    bool ordered;
};

static void apart(void *self, struct chunk *c)
{
    (void)self, (void)c;
}

static bool in_order(void *self, const struct chunk *c)
{
    struct seen *seen = self;
    size_t bytes = 0;

    for (size_t i = 0; i < c->count; i++) {
        seen->ordered &= c->entries[i].seq == seen->entries++;
        bytes += c->entries[i].body.n;
    }
    seen->chunks++;
    seen->bytes = bytes > seen->bytes ? bytes : seen->bytes;
    seen->count = c->count > seen->count ? c->count : seen->count;
    return true;
}

static struct seen walk(int64_t entries, size_t each)
{
    struct ledger l = { .keep = { .kind = &uniform }, .tip = { .size = entries } };
    struct seen seen = { .ordered = true };
    struct chunk_reader reader = { apart, in_order, &seen };
    char *bytes = calloc(each, 1);
    struct error e = { 0 };

    assert_non_null(bytes);
    entries_there = entries;
    body = (struct str){ bytes, each };
    assert_true(ledger_walk(&l, &reader, &e));
    free(bytes);
    assert_true(seen.ordered);
    assert_int_equal(seen.entries, entries);
    return seen;
}

static void small_entries_come_a_thousand_at_a_time(void **state)
{
    struct seen seen = walk(3 * CHUNK + 5, 100);

    (void)state;
    assert_int_equal(seen.chunks, 4);
    assert_int_equal(seen.count, CHUNK);
}

static void large_entries_come_a_few_at_a_time(void **state)
{
    enum { EACH = 3 << 20 };
    struct seen seen = walk(50, EACH);

    (void)state;
    assert_in_range(seen.bytes, 1, CHUNK_BYTES + EACH);
    assert_in_range(seen.count, 1, CHUNK_BYTES / EACH + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_entries_come_a_thousand_at_a_time),
        cmocka_unit_test(large_entries_come_a_few_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
