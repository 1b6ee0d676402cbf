/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_put.c: values as PostgreSQL sends and takes them: a length, then big-endian bytes. */
#include <endian.h>
#include <string.h>

#include "ledger/postgres.h"

static void put32(struct buf *to, uint32_t v)
{
    uint32_t big = htobe32(v);

    buf_add(to, &big, sizeof big);
}

static void put16(struct buf *to, uint16_t v)
{
    uint16_t big = htobe16(v);

    buf_add(to, &big, sizeof big);
}

void pg_put_list(struct buf *to, enum pg_type of, size_t n)
{
    put32(to, 1); /* dimension */
    put32(to, 0); /* no NULLs */
    put32(to, of);
    put32(to, (uint32_t)n);
    put32(to, 1); /* the first one's number */
}

void pg_put_row(struct buf *to, int fields)
{
    put16(to, (uint16_t)fields);
}

void pg_put_int(struct buf *to, int64_t v)
{
    uint64_t big = htobe64((uint64_t)v);

    pg_put_bytes(to, &big, sizeof big);
}

void pg_put_small(struct buf *to, int16_t v)
{
    uint16_t big = htobe16((uint16_t)v);

    pg_put_bytes(to, &big, sizeof big);
}

void pg_put_bytes(struct buf *to, const void *bytes, size_t n)
{
    put32(to, (uint32_t)n);
    buf_add(to, bytes, n);
}

void pg_put_null(struct buf *to)
{
    put32(to, UINT32_MAX);
}

enum pg_type pg_list_of(enum pg_type item)
{
    static const enum pg_type lists[][2] = { { PG_BYTES, PG_BYTES_LIST },
                                             { PG_INT, PG_INT_LIST },
                                             { PG_TEXT, PG_TEXT_LIST },
                                             { PG_UUID, PG_UUID_LIST } };

    for (size_t i = 0; i < COUNT(lists); i++)
        if (lists[i][0] == item)
            return lists[i][1];
    return item;
}

struct pg_value pg_number(int64_t v, uint8_t room[8])
{
    uint64_t big = htobe64((uint64_t)v);

    memcpy(room, &big, sizeof big);
    return (struct pg_value){ PG_INT, { (const char *)room, sizeof big } };
}
