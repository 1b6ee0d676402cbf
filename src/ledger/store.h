/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: what a place that keeps a ledger must do; SQLite and PostgreSQL do it.
 *
 * A store keeps and finds; it knows no rule of the contract. Between begin() and commit() nobody
 * else appends. Texts and blobs that come out live in the arena that was given to the call, or, in
 * the readers' callbacks, until the callback returns.
 */
#pragma once

#include "base/error.h"
#include "ledger/entry.h"
#include "ledger/names.h"

struct store; /* each kind has its own */

/* How far the ledger goes. */
struct tip {
    int64_t size;        /* entries there are */
    int64_t recorded_ms; /* of the last one; 0: there is none */
    bool anew;           /* by a new connection: what was known of the end before may not hold */
};

/* The tip behind the last entry. False: no entry can have this number, for its id could not. */
static inline bool tip_behind(int64_t seq, int64_t recorded_ms, struct tip *out)
{
    *out = (struct tip){ seq + (seq < INT64_MAX), recorded_ms, false };
    return entry_can_be(seq);
}

/* An event, as far as the rules need to know it. */
struct event_mark {
    int64_t seq;
    struct uuid id;
    int64_t place;
    struct traits traits;
    struct digest content;
};

/* Asks for an execution: is there an event at this place, and which event is its last? */
struct asked_event {
    struct str tenant, robot, execution;
    int64_t place;
    int64_t since;                /* it has no event before this entry; 0: nobody knows */
    bool has_twin, has_last;      /* out */
    struct event_mark twin, last; /* out: at this place; with the highest place */
};

/* Asks for the entry at a seq. */
struct asked_entry {
    int64_t seq;
    bool there; /* out, as is what follows */
    struct uuid id;
    enum entry_kind kind;
    int64_t created_ms;
    struct str tenant, subject;
};

enum { BLOCK = 256 };

/* A complete tile of the tree (C2SP tlog-tiles): its root, which is one hash of the tile above it.
 * Level 0 are the leaves 256 n to 256 n + 255. */
struct block {
    int level;
    int64_t n;
    struct digest root;
    struct names names; /* at level 0 */
};

/* What was refused, and why. */
struct reject {
    int64_t recorded_ms;
    const char *code;    /* its name */
    const char *pointer; /* the place in the event, or "" */
    const char *message;
    struct str tenant, subject; /* as far as they could be read, else "" */
    struct str event;           /* the text as it came, or its beginning */
    struct digest digest;       /* of the whole text as it came */
    int64_t bytes;              /* of the whole text */
    bool erased;                /* pointer, message and text are not kept */
};

/* A signed note about a size of the ledger. */
struct kept_checkpoint {
    int64_t size;
    int64_t made_ms;
    struct str note;
};

enum store_access { STORE_READ, STORE_APPEND };

struct store_open {
    const char *where; /* a file, or an address */
    enum store_access access;
    const struct world *world; /* for names and times the store has to make up */
    const int *cancel; /* readable when nobody wants to wait for others any more (cancel.h); as long
                          as the store is open; or NULL. Servers do not look at it. */
    bool few;          /* few entries at a time are appended: little is held in memory for them */
};

/* A reader's callback. False ends the reading; *e then says why, or has code 0: enough was seen. */
typedef bool (*entry_reader)(void *self, const struct entry *entry, struct error *e);
typedef bool (*block_reader)(void *self, const struct block *block, struct error *e);
typedef bool (*reject_reader)(void *self, const struct reject *reject, struct error *e);
typedef bool (*checkpoint_reader)(void *self, const struct kept_checkpoint *c, struct error *e);

/* Which entries: seq from..to-1, upwards or, backwards, from to-1 down to from. Without bodies,
 * entries come with body empty; body_digest is there only for erased ones (as kept). */
struct entry_range {
    int64_t from, to;
    bool backwards;
    bool bodies;
    bool walk; /* the next to - from entries of a walk from the first to the last: check() knows
                  then that there are no others, and that each is found by its seq as well */
};

/* Blocks of a level: n from..to-1. */
struct block_range {
    int level;
    int64_t from, to;
};

/* The keys that the indexes of a store have for some entries, added up: the order does not matter,
 * and a key too many or too few shows. What is added is hashed behind a salt that is drawn for each
 * sum: without it, other keys of the same sum could be computed beforehand. */
struct key_sum {
    uint64_t low, high;
    int64_t keys;
};

enum { SUM_SALT = 16 };

struct index_sum {
    int64_t size; /* of the ledger */
    uint8_t salt[SUM_SALT];
    struct key_sum events, inputs;
};

struct store_kind {
    const char *name;   /* "sqlite" */
    const char *scheme; /* "postgres://", or NULL: a file */

    /* Makes what is missing when it may append. A message names the file or address (never its
     * password). CODE_LEDGER_MISSING: there is none; CODE_LEDGER_DAMAGED: what is there is no
     * ledger that can be read; CODE_IO: it cannot be had. */
    bool (*open)(const struct store_open *how, struct arena *a, struct store **out,
                 struct error *e);
    void (*close)(struct store *store);

    /* The ledger's own UUID as text, made with it; names its checkpoints. */
    bool (*ledger_name)(struct store *store, char out[UUID_TEXT], struct error *e);

    /* Appending. commit() returns when it is durable, unless that is not asked for: then the next
     * durable one makes it so. After a false from anything between them, rollback() leaves the
     * store as begin() found it. */
    bool (*begin)(struct store *store, struct tip *tip, struct error *e);
    bool (*commit)(struct store *store, bool durable, struct error *e);
    void (*rollback)(struct store *store);
    bool (*ask_events)(struct store *store, struct asked_event *asked, size_t n, struct arena *a,
                       struct error *e);
    bool (*ask_entries)(struct store *store, struct asked_entry *asked, size_t n, struct arena *a,
                        struct error *e);
    bool (*add_entries)(struct store *store, const struct entry *entries, size_t n,
                        struct error *e);
    bool (*add_blocks)(struct store *store, const struct block *blocks, size_t n, struct error *e);
    bool (*add_checkpoint)(struct store *store, const struct kept_checkpoint *c, struct error *e);

    /* Takes body and salt away for good and keeps the digest. Between begin() and commit(). */
    bool (*erase)(struct store *store, int64_t seq, const struct digest *body_digest,
                  struct error *e);

    /* A ledger of version 1 has its refusals in a table of their own, which is in no tree. After
     * begin(): is it one? Then all of them are read, oldest first, and renew() makes it one of this
     * version, without that table. */
    bool (*is_former)(const struct store *store);
    bool (*read_former_rejects)(struct store *store, reject_reader reader, void *self,
                                struct error *e);
    bool (*renew)(struct store *store, struct error *e);

    /* Takes what was erased from where a copy may be left: the log, old versions of a row. commit()
     * does so where something was erased; this is for one that was stopped in between. Not between
     * begin() and commit(). */
    bool (*sweep)(struct store *store, struct error *e);

    /* Reading. Between look() and look_end() everything is read as of one moment; what is asked
     * above may be asked there, too. What follows is read there, or between begin() and commit().
     */
    bool (*look)(struct store *store, struct tip *tip, struct error *e);
    void (*look_end)(struct store *store);
    bool (*read_entries)(struct store *store, const struct entry_range *range, entry_reader reader,
                         void *self, struct error *e);
    bool (*read_blocks)(struct store *store, const struct block_range *range, block_reader reader,
                        void *self, struct error *e); /* upwards */
    bool (*read_checkpoints)(struct store *store, checkpoint_reader reader, void *self,
                             struct error *e); /* by size */
    /* The note of the last of them; empty: there is none. */
    bool (*last_checkpoint)(struct store *store, struct arena *a, struct str *note,
                            struct error *e);

    /* The newest input (highest createdAt, then seq) about a subject of a tenant; there: out. */
    bool (*newest_input)(struct store *store, struct str tenant, struct str subject,
                         struct asked_entry *out, struct arena *a, struct error *e);

    /* Adds the keys of entries. Asks no store: different threads may do it at once. NULL: check()
     * does not want it. */
    void (*sum_keys)(struct index_sum *sum, const struct entry *entries, size_t n);

    /* Does what the store keeps besides entries, blocks and checkpoints (its indexes) agree with
     * them, and is there nothing else? CODE_IO for a ledger of a former version. The sum is of all
     * entries, which were walked through. *finding: what does not agree, or NULL. Between look()
     * and look_end(). */
    bool (*check)(struct store *store, const struct index_sum *sum, struct arena *a,
                  const char **finding, struct error *e);
};

extern const struct store_kind store_sqlite;

/* In the program `writ-postgres` only: a launch must not pay for libpq. */
extern const struct store_kind store_postgres __attribute__((weak, visibility("hidden")));
