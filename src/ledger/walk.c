/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c: each thread reads a chunk, works on it, waits for its turn, and reads another one. */
#include "ledger/walk.h"

#include <pthread.h>
#include <sched.h>

#include "base/elsewhere.h"

enum { WALKERS = 4 };

struct walk {
    struct ledger *l;
    const struct chunk_reader *reader;
    pthread_mutex_t store, turns;
    pthread_cond_t turn_over;

    /* of who holds the store */
    int64_t read; /* chunks */
    int64_t at;   /* the next entry */
    bool end;     /* there are no more, or they cannot be read */
    bool ok;
    struct error e;

    /* of who holds the turns */
    int64_t looked; /* at so many chunks */
    bool more;      /* are wanted */
};

/* ---- reading ---- */

static bool take_entry(void *self, const struct entry *entry, struct error *e)
{
    struct chunk *c = self;
    struct entry *copy;
    char *salted;

    (void)e;
    if (c->count == CHUNK)
        return true;
    copy = &c->entries[c->count];
    *copy = *entry;
    copy->subject.s = arena_text(&c->a, entry->subject);
    copy->tenant.s = arena_text(&c->a, entry->tenant);
    copy->robot.s = arena_text(&c->a, entry->robot);
    salted = arena_raw(&c->a, SALT_BYTES + entry->body.n);
    memcpy(salted, entry->salt, SALT_BYTES);
    if (entry->body.n)
        memcpy(salted + SALT_BYTES, entry->body.s, entry->body.n);
    copy->body.s = salted + SALT_BYTES;
    c->salted[c->count++] = (struct str){ salted, SALT_BYTES + entry->body.n };
    c->bytes += entry->body.n;
    return c->bytes < CHUNK_BYTES; /* each thread holds one chunk in memory */
}

static bool take_block(void *self, const struct block *block, struct error *e)
{
    struct chunk *c = self;

    (void)e;
    if (c->block_count < CHUNK_BLOCKS)
        c->blocks[c->block_count++] = *block;
    return true;
}

static bool fill(struct ledger *l, struct chunk *c, int64_t first, struct error *e)
{
    const struct store_kind *kind = l->keep.kind;
    int64_t end = first - first % CHUNK + CHUNK;
    struct entry_range range = { first, end, .bodies = true, .walk = true };
    struct block_range blocks = { .from = first / BLOCK, .to = end / BLOCK };

    arena_reset(&c->a);
    c->first = first;
    c->count = c->bytes = c->block_count = 0;
    return kind->read_blocks(l->keep.store, &blocks, take_block, c, e) &&
           kind->read_entries(l->keep.store, &range, take_entry, c, e);
}

/* The next chunk; false behind the last. Where reading fails, that which came before is one. */
static bool next(struct walk *w, struct chunk *c)
{
    bool some = false;

    (void)pthread_mutex_lock(&w->store);
    if (!w->end) {
        w->ok = fill(w->l, c, w->at, &w->e);
        some = c->count > 0;
        w->end = !w->ok || !some;
        w->at += (int64_t)c->count;
        c->turn = w->read;
        w->read += some;
    }
    (void)pthread_mutex_unlock(&w->store);
    return some;
}

/* ---- looking ---- */

static bool take_turn(struct walk *w, const struct chunk *c)
{
    bool more;

    (void)pthread_mutex_lock(&w->turns);
    while (w->looked != c->turn)
        (void)pthread_cond_wait(&w->turn_over, &w->turns);
    w->more = w->more && w->reader->in_order(w->reader->self, c);
    more = w->more;
    w->looked++;
    (void)pthread_cond_broadcast(&w->turn_over);
    (void)pthread_mutex_unlock(&w->turns);
    return more;
}

static void *work(void *self)
{
    _arena_ struct arena a = { 0 };
    struct chunk *c = arena_new(&a, struct chunk);
    struct walk *w = self;

    c->scratch.max = HEADER_MAX;
    while (next(w, c)) {
        w->reader->apart(w->reader->self, c);
        if (!take_turn(w, c))
            break;
    }
    buf_free(&c->scratch);
    arena_free(&c->a);
    return NULL;
}

/* As many threads as there are CPUs for us and chunks to read. */
static int helpers(const struct ledger *l)
{
    int64_t chunks = (l->tip.size + CHUNK - 1) / CHUNK;
    cpu_set_t cpus;
    int n = 1;

    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        n = CPU_COUNT(&cpus);
    n = n > WALKERS ? WALKERS : n;
    return (int)(chunks < n ? chunks : n) - 1;
}

bool ledger_walk(struct ledger *l, const struct chunk_reader *reader, struct error *e)
{
    struct walk w = { .l = l, .reader = reader, .more = true };
    pthread_t threads[WALKERS];
    int n = 0, wanted = helpers(l);

    (void)pthread_mutex_init(&w.store, NULL);
    (void)pthread_mutex_init(&w.turns, NULL);
    (void)pthread_cond_init(&w.turn_over, NULL);
    while (n < wanted && elsewhere_thread(&threads[n], work, &w) == 0)
        n++; /* with fewer it only takes longer */
    (void)work(&w);
    while (n > 0)
        (void)pthread_join(threads[--n], NULL);
    (void)pthread_cond_destroy(&w.turn_over);
    (void)pthread_mutex_destroy(&w.turns);
    (void)pthread_mutex_destroy(&w.store);
    if (!w.ok)
        *e = w.e;
    return w.ok;
}
