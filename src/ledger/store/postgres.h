/* SPDX-License-Identifier: Apache-2.0 */
/* postgres.h: what the files of the PostgreSQL store share. */
#pragma once

#include "base/buf.h"
#include "ledger/postgres.h"
#include "ledger/store.h"

/* The statements; their texts are in store/postgres_sql.c. */
enum sql {
    SQL_SETTINGS,
    SQL_FIND,
    SQL_LEDGER,
    SQL_NAME,
    SQL_BEGIN,
    SQL_LOCK,
    SQL_TIP,
    SQL_COMMIT,
    SQL_FLUSH,
    SQL_ROLLBACK,
    SQL_CLOCK,
    SQL_SWEPT,
    SQL_LOOK,
    SQL_LASTS,
    SQL_TWINS,
    SQL_ENTRIES,
    SQL_NEWEST_INPUT,
    SQL_ADD_BLOCKS,
    SQL_ADD_CHECKPOINT,
    SQL_ERASE,
    SQL_READ_UP,
    SQL_READ_DOWN,
    SQL_READ_BODY,
    SQL_READ_BLOCKS,
    SQL_READ_FORMER_REJECTS,
    SQL_READ_CHECKPOINTS,
    SQL_LAST_CHECKPOINT,
    SQL_CHECK_TABLES,
    SQL_CHECK_ENTRIES,
    SQL_CHECK_BLOCKS,
    SQL_CHECK_KEYS,
    SQL_CHECK_PLAIN,
    SQL_CHECK_INDEXED,
    SQL_COUNT,
};

extern const struct pg_book store_postgres_book;
extern const char store_postgres_schema[]; /* all that a ledger has, in the search path */
extern const char store_postgres_renew[];  /* makes a ledger of version 1 one of version 2 */
extern const char store_postgres_copy[];   /* how entries are streamed in: so many columns */
enum { COPY_COLUMNS = 17 };

/* An entry that this store has written, and the size of the ledger up to it; 0: none. */
struct written {
    int64_t size;
    struct uuid id;
};

struct store {
    struct postgres *pg;
    const char *place; /* the schema's name */
    bool reads;        /* opened to read */
    const struct world *world;
    int64_t answer_ms;    /* how long the server may take to answer, but for a check and a vacuum */
    int64_t schema;       /* its number, which makes the lock's */
    int64_t tables;       /* of a ledger's, how many are there */
    struct uuid name;     /* the ledger's */
    int64_t version;      /* of its tables */
    struct buf copy;      /* what is on its way */
    bool erased;          /* in this transaction */
    struct written added; /* the last one of this transaction */
    struct written swift; /* the last one that is committed and was not waited for */
};

/* What an entry is found by, in place of texts that may be too long for an index. robot: "", but
 * for an event's. */
struct uuid store_postgres_key(struct str tenant, struct str robot, struct str subject);

/* The members of struct store_kind. */
bool store_postgres_ask_events(struct store *store, struct asked_event *asked, size_t n,
                               struct arena *a, struct error *e);
bool store_postgres_ask_entries(struct store *store, struct asked_entry *asked, size_t n,
                                struct arena *a, struct error *e);
bool store_postgres_newest_input(struct store *store, struct str tenant, struct str subject,
                                 struct asked_entry *out, struct arena *a, struct error *e);

bool store_postgres_add_entries(struct store *store, const struct entry *entries, size_t n,
                                struct error *e);
bool store_postgres_add_blocks(struct store *store, const struct block *blocks, size_t n,
                               struct error *e);
bool store_postgres_add_checkpoint(struct store *store, const struct kept_checkpoint *c,
                                   struct error *e);
bool store_postgres_erase(struct store *store, int64_t seq, const struct digest *body_digest,
                          struct error *e);

bool store_postgres_read_entries(struct store *store, const struct entry_range *range,
                                 entry_reader reader, void *self, struct error *e);
bool store_postgres_read_blocks(struct store *store, const struct block_range *range,
                                block_reader reader, void *self, struct error *e);
bool store_postgres_read_former_rejects(struct store *store, reject_reader reader, void *self,
                                        struct error *e);
bool store_postgres_read_checkpoints(struct store *store, checkpoint_reader reader, void *self,
                                     struct error *e);
bool store_postgres_last_checkpoint(struct store *store, struct arena *a, struct str *note,
                                    struct error *e);
bool store_postgres_check(struct store *store, const struct index_sum *sum, struct arena *a,
                          const char **finding, struct error *e);
