/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_check.c: does what PostgreSQL keeps beside the entries agree with them? */
#include <inttypes.h>

#include "contract/codes.h"
#include "ledger/store/postgres.h"

static bool ask(struct store *store, enum sql statement, struct pg_rows *rows, struct error *e)
{
    return pg_ask(store->pg, statement, NULL, 0, rows, e);
}

/* What is not as writ makes it changes what is entered, or hides what is there. Triggers of writ's
 * own may be missing: what they keep from happening is found. */
static bool check_tables(struct store *store, struct arena *a, const char **finding,
                         struct error *e)
{
    uint8_t room[8];
    struct pg_value schema = pg_number(store->schema, room);
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_ask(store->pg, SQL_CHECK_TABLES, &schema, 1, &rows, e))
        return false;
    if (rows.count > 0)
        *finding = arena_printf(a, "the tables are not those that writ makes: %.*s",
                                STR_ARG(pg_bytes(&rows, 0, 0)));
    return true;
}

/* From 0 on, without a gap, and each either whole or erased. */
static bool check_entries(struct store *store, struct arena *a, int64_t *size, const char **finding,
                          struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };
    int64_t count, first;

    if (!ask(store, SQL_CHECK_ENTRIES, &rows, e))
        return false;
    count = pg_int(&rows, 0, 0);
    first = pg_int(&rows, 0, 1);
    *size = pg_int(&rows, 0, 2);
    if (first != 0 || count != *size)
        *finding =
            arena_printf(a, "there are %" PRId64 " entries, numbered %" PRId64 " to %" PRId64,
                         count, first, *size - 1);
    else if (!pg_null(&rows, 0, 3))
        *finding = arena_printf(a, "entry %" PRId64 " is erased in part", pg_int(&rows, 0, 3));
    return true;
}

/* Exactly those that the size demands: every complete tile of every level. */
static bool check_blocks(struct store *store, struct arena *a, int64_t size, const char **finding,
                         struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };
    int64_t due = size / BLOCK, level = 0;

    if (!ask(store, SQL_CHECK_BLOCKS, &rows, e))
        return false;
    for (int row = 0; due > 0 || row < rows.count; row++, level++, due /= BLOCK) {
        bool there = row < rows.count && pg_int(&rows, row, 0) == level;
        int64_t count = there ? pg_int(&rows, row, 1) : 0;

        if (there && due > 0 && count == due && pg_int(&rows, row, 2) == 0 &&
            pg_int(&rows, row, 3) == due)
            continue;
        *finding = arena_printf(a,
                                "there are %" PRId64 " blocks of level %" PRId64 ", and %" PRId64
                                " entries make %" PRId64,
                                count, level, size, due);
        return true;
    }
    return true;
}

static bool check_keys(struct store *store, struct arena *a, const char **finding, struct error *e)
{
    _rows_ struct pg_rows rows = { 0 };

    if (!ask(store, SQL_CHECK_KEYS, &rows, e))
        return false;
    if (!pg_null(&rows, 0, 0))
        *finding = arena_printf(a, "entry %" PRId64 " has the key of another", pg_int(&rows, 0, 0));
    return true;
}

/* Events as the table has them, and as their index does. Each question is planned in its own way,
 * which the settings force. */
static bool check_index(struct store *store, struct arena *a, const char **finding, struct error *e)
{
    static const char by_table[] =
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off;"
        "SET LOCAL enable_indexonlyscan = off";
    static const char by_index[] =
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on;"
        "SET LOCAL enable_indexonlyscan = on; SET LOCAL enable_sort = off";
    static const char as_before[] = "SET LOCAL enable_sort = on";
    _rows_ struct pg_rows plain = { 0 }, indexed = { 0 };

    if (!pg_script(store->pg, by_table, e) || !ask(store, SQL_CHECK_PLAIN, &plain, e) ||
        !pg_script(store->pg, by_index, e) || !ask(store, SQL_CHECK_INDEXED, &indexed, e) ||
        !pg_script(store->pg, as_before, e))
        return false;
    if (pg_int(&plain, 0, 0) != pg_int(&indexed, 0, 0) ||
        !str_eq(pg_bytes(&plain, 0, 1), pg_bytes(&indexed, 0, 1)))
        *finding = arena_printf(a, "there are %" PRId64 " events, and their index has %" PRId64,
                                pg_int(&plain, 0, 0), pg_int(&indexed, 0, 0));
    return true;
}

/* The indexes are compared where they are: the sum has nothing in it. */
bool store_postgres_check(struct store *store, const struct index_sum *sum, struct arena *a,
                          const char **finding, struct error *e)
{
    int64_t size = 0;
    bool checked;

    (void)sum;
    *finding = NULL;
    if (store->version == 1)
        return error_set(e, CODE_IO,
                         "%s was made by an earlier writ, which kept refusals outside of the tree; "
                         "append to it once, which enters them, then verify it",
                         pg_shown(store->pg));
    pg_unbound(store->pg);
    checked = check_tables(store, a, finding, e) &&
              (*finding || check_entries(store, a, &size, finding, e)) &&
              (*finding || check_blocks(store, a, size, finding, e)) &&
              (*finding || check_keys(store, a, finding, e)) &&
              (*finding || check_index(store, a, finding, e));
    pg_bound(store->pg, store->world, store->answer_ms);
    return checked;
}
