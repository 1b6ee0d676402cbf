/* SPDX-License-Identifier: Apache-2.0 */
/* test_pipeline.c: what is recorded when, and what happens when it cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "executor/executor.h"
#include "executor/shelf.h"

/* A ledger that fails at its n-th write. */
struct book {
    int writes, fails_at;
    enum action_status status[64];
    size_t n;
    struct buf last; /* the last record as text */
};

static bool book_write(void *self, const struct audit_doc *records, size_t n, struct error *e)
{
    struct book *b = self;

    if (++b->writes == b->fails_at)
        return error_set(e, CODE_IO, "the disk is full");
    for (size_t i = 0; i < n; i++) {
        assert_true(b->n < 64);
        b->status[b->n++] = (enum action_status)records[i].status;
        b->last.len = 0;
        shape_json(&audit_shape, &records[i], &b->last);
    }
    return true;
}

struct bench {
    struct arena a;
    struct fake_world world;
    struct book book;
    struct auditor auditor;
    struct pipeline p;
};

static void begin(struct bench *b, const char *id)
{
    const struct executor *x;
    struct error e;

    *b = (struct bench){ .book.last.max = 1 << 16 };
    fake_world_init(&b->world, 1768212000000);
    b->auditor = (struct auditor){ book_write, &b->book };
    assert_true(shelf_find(NULL, str_of(id), (struct str){ 0 }, &b->a, &x, &e));
    assert_non_null(x);
    b->p = (struct pipeline){ .executor = x, .auditor = &b->auditor, .world = &b->world.world };
    assert_true(pipeline_open(&b->p, &e));
}

static void end(struct bench *b)
{
    pipeline_close(&b->p);
    buf_free(&b->book.last);
    arena_free(&b->a);
}

static const char *reason(const struct action *action)
{
    const struct str *codes_said = action->result.reason_codes.v;

    return action->result.reason_codes.n ? codes_said[0].s : "";
}

static void R_003_057_A03_12_without_the_first_record_nothing_runs(void **state)
{
    struct action action = { .payload = str_of("{\"target\":1,\"patch\":2}") };
    struct bench b;
    struct error e;

    (void)state;
    begin(&b, "json_merge");
    b.p.deliver = true;
    b.book.fails_at = 1;
    assert_false(pipeline_apply(&b.p, &action, 1, &b.a, &e));
    assert_string_equal(e.msg, "the disk is full");
    assert_int_equal(action.result.status, ACTION_BLOCKED);
    assert_string_equal(reason(&action), "AUDIT_LOG_FAILED");
    assert_null(b.p.running); /* it was not even started */
    assert_int_equal(b.book.writes, 1);
    assert_null(action.output.s);
    end(&b);
}

static void R_003_057_without_the_last_record_nothing_is_told(void **state)
{
    struct action action = { .payload = str_of("{\"target\":1,\"patch\":2}") };
    struct bench b;
    struct error e;

    (void)state;
    begin(&b, "json_merge");
    b.p.deliver = true;
    b.book.fails_at = 2;
    assert_false(pipeline_apply(&b.p, &action, 1, &b.a, &e));
    assert_int_equal(action.result.status, ACTION_BLOCKED);
    assert_string_equal(reason(&action), "AUDIT_LOG_FAILED");
    assert_null(action.output.s);
    assert_null(action.result.output_digest.s);
    end(&b);
}

static void A03_12_the_attempt_is_recorded_before_the_call_and_its_end_after_it(void **state)
{
    struct action action = { .payload = str_of("null") };
    struct bench b;
    struct error e;

    (void)state;
    begin(&b, "noop");
    assert_true(pipeline_apply(&b.p, &action, 1, &b.a, &e));
    assert_int_equal(b.book.writes, 2);
    assert_int_equal(b.book.status[0], ACTION_PENDING);
    assert_int_equal(b.book.status[1], ACTION_SUCCESS);
    end(&b);
}

static void what_is_blocked_before_it_runs_has_one_record(void **state)
{
    struct action actions[3] = { { .payload = str_of("?") },
                                 { .payload = str_of("1") },
                                 { .payload = str_of("[") } };
    struct bench b;
    struct error e;

    (void)state;
    begin(&b, "noop");
    assert_true(pipeline_apply(&b.p, actions, 3, &b.a, &e));
    assert_int_equal(b.book.n, 4);
    assert_int_equal(b.book.status[0], ACTION_PENDING);
    assert_int_equal(b.book.status[1], ACTION_BLOCKED);
    assert_int_equal(b.book.status[2], ACTION_SUCCESS);
    assert_int_equal(b.book.status[3], ACTION_BLOCKED);
    end(&b);
}

static void a_record_is_canonical_as_it_is_written(void **state)
{
    struct action action = { .payload = str_of("{\"target\":{},\"patch\":{}}") };
    struct ceilings max = ceilings_default();
    _buf_ struct buf canon = { .max = 1 << 16 };
    const struct document *document;
    struct bench b;
    struct error e;

    (void)state;
    begin(&b, "json_merge");
    assert_true(pipeline_apply(&b.p, &action, 1, &b.a, &e));
    assert_true(json_read("record", buf_str(&b.book.last), &max, &b.a, &document, &e));
    json_canon(&document->root, &b.a, &canon);
    assert_string_equal(canon.s, b.book.last.s);
    end(&b);
}

static void R_003_022_the_same_world_gives_the_same_bytes(void **state)
{
    _buf_ struct buf first = { .max = 1 << 16 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct action action = { .payload = str_of("{\"target\":{\"a\":1},\"patch\":{\"b\":2}}") };
        struct bench b;
        struct error e;

        begin(&b, "json_merge");
        assert_true(pipeline_apply(&b.p, &action, 1, &b.a, &e));
        if (i == 0)
            buf_add(&first, b.book.last.s, b.book.last.len);
        else
            assert_string_equal(first.s, b.book.last.s);
        end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_057_A03_12_without_the_first_record_nothing_runs),
        cmocka_unit_test(R_003_057_without_the_last_record_nothing_is_told),
        cmocka_unit_test(A03_12_the_attempt_is_recorded_before_the_call_and_its_end_after_it),
        cmocka_unit_test(what_is_blocked_before_it_runs_has_one_record),
        cmocka_unit_test(a_record_is_canonical_as_it_is_written),
        cmocka_unit_test(R_003_022_the_same_world_gives_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
