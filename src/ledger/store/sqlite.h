/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.h: what the files of the SQLite store share. Nobody else includes it. */
#pragma once

#include "ledger/sqlite.h"
#include "ledger/store.h"

/* The statements; their texts are in store/sqlite_make.c. */
enum statement {
    Q_BEGIN,
    Q_LOOK,
    Q_COMMIT,
    Q_LEDGER,
    Q_TABLES,
    Q_TIP,
    Q_ENTRY_ADD,
    Q_ENTRIES_ADD,
    Q_ENTRY_ERASE,
    Q_ENTRY_ASK,
    Q_ENTRY_MARK,
    Q_ENTRY_KEYS,
    Q_ENTRIES_WALK,
    Q_ENTRY_FIND,
    Q_ENTRIES_UP,
    Q_ENTRIES_DOWN,
    Q_LIGHT_UP,
    Q_LIGHT_DOWN,
    Q_INPUT_NEWEST,
    Q_INPUTS,
    Q_BLOCK_ADD,
    Q_BLOCKS,
    Q_BLOCK_COUNTS,
    Q_FORMER_REJECTS,
    Q_CHECKPOINT_ADD,
    Q_CHECKPOINTS,
    Q_CHECKPOINT_LAST,
    Q_RUN_ADD,
    Q_RUN_DROP,
    Q_RUN_FIND,
    Q_RUN_NEXT,
    Q_RUNS,
    Q_SCHEMA,
    Q_INTEGRITY,
    Q_COUNT,
};

_Static_assert((int)Q_COUNT <= (int)SQLITE_TEXTS, "room for every statement");

extern const char *const store_sqlite_texts[Q_COUNT];
extern const char store_sqlite_touch[]; /* writes a page as it was */

/* What SQLite keeps of the statements that made tables and indexes. */
enum { SCHEMA_ROWS = 6 };

extern const char *const store_sqlite_schema[SCHEMA_ROWS];
extern const char store_sqlite_triggers[];

/* Takes from a ledger of version 1 what this version does not have; its row is then missing. */
extern const char store_sqlite_renew[];

enum { SCHEMA_VERSION = 2, FORMER_VERSION = 1, ADD_ROWS = 8, ENTRY_COLUMNS = 16 };

/* The key of an event in the runs: ordered by the execution's hash, then place, then seq. */
struct run_key {
    uint64_t hash, place, seq;
};

/* The events since the last complete block: they are in no run yet. */
struct recent {
    bool loaded;
    int64_t size; /* the ledger's, when it was loaded */
    size_t n;
    struct run_key keys[BLOCK];
};

/* What this handle knows of a run: how often it was searched, and a filter once that pays. */
struct run_filter {
    int64_t run; /* its number + 1; 0: nothing is known here */
    int64_t searched;
    uint64_t *words;
    size_t n;
};

enum {
    RUN_LEVEL = 48, /* a run's number is level << RUN_LEVEL | index */
    RUN_LEVELS = 15,
    RUN_FAN_BITS = 3,
    RUN_FAN = 1 << RUN_FAN_BITS,
    KEY_BYTES = 24,
    PART_KEYS = 338, /* they fit a page of 8192 bytes together with what else is in the row */
    PART_BYTES = PART_KEYS * KEY_BYTES,
};

struct store {
    struct sqlite db;
    struct store_open how;
    char name[UUID_TEXT];
    int64_t version; /* of the tables */
    struct tip tip;  /* of this transaction, with what it has added */
    bool still;      /* opened as a file that nobody writes to */
    bool alone;      /* cannot be locked, and all that it has is in the one file */
    bool erases;     /* this transaction does */
    struct {
        struct query *q;
        int64_t rows;
        int64_t lost; /* the first that is not found by its seq, or -1 */
    } walk;           /* of this look */
    struct recent recent;
    struct run_filter filters[RUN_LEVELS * RUN_FAN];
    size_t filter_bytes;
};

/* Makes a new, empty ledger: whole, or not at all. True as well when another process was faster. */
bool store_sqlite_make(const struct store_open *how, struct error *e) NODISCARD;

/* Makes the names of new files beside this path last. */
void store_sqlite_sync_directory(const char *path);

/* Reads the keys of the events among the entries from one up to another, BLOCK of them at most. */
bool recent_read(struct store *s, int64_t from, int64_t to, struct recent *out,
                 struct error *e) NODISCARD;

/* Reads the recent keys of a ledger of this size, unless they are known. */
bool recent_load(struct store *s, int64_t size, struct error *e) NODISCARD;

/* After entries were added behind `size` others: keeps the recent keys, and writes the runs that
 * complete blocks ask for. */
bool runs_add(struct store *s, int64_t size, const struct entry *entries, size_t n,
              struct error *e) NODISCARD;

/* A run's keys as they are read, one part after the other. */
struct run_part {
    size_t n;
    struct run_key keys[PART_KEYS];
};

/* The part whose first key is the least above `after` (NULL: the first part); n is 0 behind the
 * last. Its keys are in order, and above `after`. */
bool run_next(struct store *s, int64_t run, const struct run_key *after, struct run_part *part,
              struct error *e) NODISCARD;

/* Could the run have a key of this hash? `more` searches of this run are still to come: when they
 * are many, a filter is made first. */
bool filter_may_have(struct store *s, int64_t run, uint64_t hash, int64_t more, bool *may,
                     struct error *e) NODISCARD;
void filters_forget(struct store *s);

/* A run of level l holds the keys of 8^l blocks. */
static inline int64_t run_number(int level, int64_t index)
{
    return (int64_t)level << RUN_LEVEL | index;
}

/* The runs of a level there are: from first to end - 1. */
static inline int64_t run_end(int level, int64_t blocks)
{
    return blocks >> RUN_FAN_BITS * level;
}

static inline int64_t run_first(int level, int64_t blocks)
{
    return run_end(level + 1, blocks) << RUN_FAN_BITS;
}

struct run_key run_key_of(struct str tenant, struct str robot, struct str execution, int64_t place,
                          int64_t seq);
struct run_key run_key_read(const uint8_t bytes[KEY_BYTES]);
void run_key_write(const struct run_key *key, uint8_t out[KEY_BYTES]);
int run_key_cmp(const struct run_key *a, const struct run_key *b);

/* The members of struct store_kind that are not in store/sqlite.c. */
bool sqlite_ask_events(struct store *s, struct asked_event *asked, size_t n, struct arena *a,
                       struct error *e);
bool sqlite_ask_entries(struct store *s, struct asked_entry *asked, size_t n, struct arena *a,
                        struct error *e);
bool sqlite_newest_input(struct store *s, struct str tenant, struct str subject,
                         struct asked_entry *out, struct arena *a, struct error *e);
bool sqlite_read_entries(struct store *s, const struct entry_range *range, entry_reader reader,
                         void *self, struct error *e);
bool sqlite_read_blocks(struct store *s, const struct block_range *range, block_reader reader,
                        void *self, struct error *e);
bool sqlite_read_former_rejects(struct store *s, reject_reader reader, void *self,
                                struct error *e) NODISCARD;
bool sqlite_read_checkpoints(struct store *s, checkpoint_reader reader, void *self,
                             struct error *e);
bool sqlite_last_checkpoint(struct store *s, struct arena *a, struct str *note, struct error *e);
void sqlite_sum_keys(struct index_sum *sum, const struct entry *entries, size_t n);
bool sqlite_check(struct store *s, const struct index_sum *sum, struct arena *a,
                  const char **finding, struct error *e);

/* Ends the walk. */
void sqlite_walk_end(struct store *s);

/* A row that cannot be: somebody else wrote it. */
bool store_damaged(struct store *s, const char *what, int64_t n, struct error *e);
