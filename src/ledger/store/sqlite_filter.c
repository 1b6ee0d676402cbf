/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_filter.c: tells in memory that a run has nothing of an execution.
 *
 * Most executions that are asked for are new: no run has them, and each run would have to be
 * searched to learn that. A short process searches a few times and is gone; who asks so often that
 * the run could have been read whole by then, reads it whole and keeps 16 bits a key.
 */
#include <stdlib.h>

#include "ledger/store/sqlite.h"

enum { KEYS_A_WORD = 4, FILTER_BYTES_MOST = 64 << 20 };

/* Four of the word's 64 bits. The upper half of the hash chooses the word. */
static uint64_t mask_of(uint64_t hash)
{
    return 1ull << (hash & 63) | 1ull << (hash >> 6 & 63) | 1ull << (hash >> 12 & 63) |
           1ull << (hash >> 18 & 63);
}

static uint64_t *word_of(const struct run_filter *f, uint64_t hash)
{
    return &f->words[(hash >> 32) * f->n >> 32];
}

static void forget(struct store *s, struct run_filter *f)
{
    s->filter_bytes -= f->n * sizeof *f->words;
    free(f->words);
    *f = (struct run_filter){ 0 };
}

void filters_forget(struct store *s)
{
    for (size_t i = 0; i < COUNT(s->filters); i++)
        forget(s, &s->filters[i]);
}

static bool make(struct store *s, struct run_filter *f, size_t n, struct error *e)
{
    struct run_part part;
    const struct run_key *after = NULL;

    f->words = calloc(n, sizeof *f->words);
    if (!f->words)
        mem_end();
    f->n = n;
    s->filter_bytes += n * sizeof *f->words;
    for (;;) {
        if (!run_next(s, f->run - 1, after, &part, e)) {
            forget(s, f);
            return false;
        }
        if (part.n == 0)
            return true;
        for (size_t i = 0; i < part.n; i++)
            *word_of(f, part.keys[i].hash) |= mask_of(part.keys[i].hash);
        after = &part.keys[part.n - 1];
    }
}

bool filter_may_have(struct store *s, int64_t run, uint64_t hash, int64_t more, bool *may,
                     struct error *e)
{
    int level = (int)(run >> RUN_LEVEL);
    struct run_filter *f = &s->filters[level * RUN_FAN + run % RUN_FAN];
    int64_t keys = (int64_t)BLOCK << RUN_FAN_BITS * level;
    size_t words = (size_t)keys / KEYS_A_WORD;

    if (f->run != run + 1) {
        forget(s, f);
        f->run = run + 1;
    }
    if (!f->words && ++f->searched + more > keys / PART_KEYS + 2 &&
        words * sizeof *f->words <= FILTER_BYTES_MOST - s->filter_bytes && !make(s, f, words, e))
        return false;
    *may = !f->words || (*word_of(f, hash) & mask_of(hash)) == mask_of(hash);
    return true;
}
