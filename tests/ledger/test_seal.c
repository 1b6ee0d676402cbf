/* SPDX-License-Identifier: Apache-2.0 */
/* test_seal.c: what a checkpoint promises is on the disk before the checkpoint is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/seal.h"

/* A store that notes when it waited for the disk. */
static struct watched {
    struct store_kind kind;
    const struct store_kind *real;
    const char *note; /* the checkpoint's file */
    int waited_before, waited_after;
} watched;

static bool commit(struct store *store, bool durable, struct error *e)
{
    if (durable && access(watched.note, F_OK) == 0)
        watched.waited_after++;
    else if (durable)
        watched.waited_before++;
    return watched.real->commit(store, durable, e);
}

static void watch(struct writ_ledger *ledger, const char *note)
{
    watched.real = ledger->l.keep.kind;
    watched.kind = *watched.real;
    watched.kind.commit = commit;
    watched.note = note;
    ledger->l.keep.kind = &watched.kind;
}

static void enter(struct writ_ledger *ledger)
{
    const struct writ_input input = { .name = "plan", .text = "{}", .len = 2 };
    char *answer = NULL;

    assert_int_equal(writ_ledger_input(ledger, &input, NULL, NULL, &answer), WRIT_OK);
    writ_free(answer);
}

static void the_disk_has_the_entries_before_the_checkpoint(void **state)
{
    char dir[] = "/tmp/writ-seal-XXXXXX", place[64], line[96];
    const char *const environment[] = { place, NULL };
    struct writ_ledger *ledger = NULL;
    _arena_ struct arena a = { 0 };
    char *answer = NULL, name[UUID_TEXT];
    struct error e;

    (void)state;
    assert_non_null(mkdtemp(dir));
    (void)snprintf(place, sizeof place, "WRIT_STATE=%s", dir);
    assert_int_equal(writ_ledger_open(NULL, environment, true, &ledger, &answer), WRIT_OK);
    enter(ledger);
    assert_true(ledger->l.keep.kind->ledger_name(ledger->l.keep.store, name, &e));
    watch(ledger, seal_file(ledger, "checkpoints", name, &a));
    assert_int_equal(writ_checkpoint(ledger, &answer), WRIT_OK);
    assert_true(watched.waited_before > 0);
    assert_true(watched.waited_after > 0); /* the ledger has it, too */
    writ_free(answer);
    writ_ledger_close(ledger);
    (void)snprintf(line, sizeof line, "rm -rf '%s'", dir);
    assert_int_equal(system(line), 0); /* NOLINT: a path of our own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_has_the_entries_before_the_checkpoint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
