/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c: appends to a ledger until the server is gone, and says what it was promised.
 *
 * usage: writer ADDRESS          prints 0, then the size after each commit; ends when one fails
 *        writer ADDRESS SIZE     is all of that there, and nothing half? says so, or what is wrong
 */
#include "made.h"

#include <stdlib.h>

static int wrong(const char *what, const struct error *e)
{
    (void)fprintf(stderr, "%s: %s\n", what, e->msg);
    return 1;
}

static int append(struct store *store)
{
    struct tip tip = { 0 };
    struct error e;
    size_t n = 0;

    do {
        (void)printf("%" PRId64 "\n", tip.size);
        (void)fflush(stdout);
    } while (made_append(store, n++ % 97 + 1, &tip, &e));
    return e.code == CODE_IO ? 0 : wrong("append", &e);
}

static bool compare(void *self, const struct entry *entry, struct error *e)
{
    _arena_ struct arena a = { 0 };
    int64_t *next = self;
    struct entry made = made_entry(*next, &a);

    if (!made_same(entry, &made))
        return error_set(e, CODE_IO, "entry %" PRId64 " is not what was added", *next);
    ++*next;
    return true;
}

static int verify(struct store *store, int64_t promised)
{
    _arena_ struct arena a = { 0 };
    const char *finding = NULL;
    int64_t next = 0;
    struct error e;
    struct tip tip;

    if (!store_postgres.look(store, &tip, &e) ||
        !store_postgres.check(store, NULL, &a, &finding, &e))
        return wrong("look", &e);
    if (finding || tip.size < promised) {
        (void)fprintf(stderr, "promised %" PRId64 ", there are %" PRId64 "; %s\n", promised,
                      tip.size, finding ? finding : "");
        return 1;
    }
    struct entry_range all = { .from = 0, .to = tip.size, .bodies = true };

    if (!store_postgres.read_entries(store, &all, compare, &next, &e))
        return wrong("read", &e);
    store_postgres.look_end(store);
    (void)printf("%" PRId64 "\n", tip.size);
    return next == tip.size ? 0 : 1;
}

/* Whoever waits for a server to come back sees 40 s pass at each look: the test that killed it
 * waits for us. An answer may take an hour (crash.py), which is ninety looks. */
static int64_t haste(void *self)
{
    static int64_t ms;

    (void)self;
    return ms += 40000;
}

int main(int argc, char **argv)
{
    struct world hasty = *world_real();
    struct store_open how = { argv[1], argc > 2 ? STORE_READ : STORE_APPEND, &hasty };
    _arena_ struct arena a = { 0 };
    struct store *store;
    struct error e;
    int status;

    hasty.mono_ms = haste;
    if (argc < 2 || !store_postgres.open(&how, &a, &store, &e))
        return argc < 2 ? 2 : wrong("open", &e);
    status = argc > 2 ? verify(store, strtoll(argv[2], NULL, 10)) : append(store);
    store_postgres.close(store);
    return status;
}
