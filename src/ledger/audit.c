/* SPDX-License-Identifier: Apache-2.0 */
/* audit.c: each entry against its leaf, each block against its root, each size against what was
 * promised about it. */
#include "ledger/audit.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/erasure.h"
#include "ledger/tree.h"

bool audit_found(struct audit *t, int64_t seq, const struct uuid *id, const char *why)
{
    t->v->why = why;
    t->v->seq = seq;
    t->v->id = id ? *id : (struct uuid){ { 0 } };
    return false;
}

/* ---- the tree, as it grows ---- */

/* A block is complete; n blocks came before it. */
static void grow(struct audit *t, const struct digest *root, int64_t n)
{
    struct digest top = *root;

    for (; n & 1; n >>= 1) {
        t->peak_count--;
        top = tree_node(&t->peaks[t->peak_count], &top);
    }
    t->peaks[t->peak_count++] = top;
}

struct digest audit_root(const struct audit *t)
{
    size_t rest = (size_t)(t->v->entries % BLOCK), peaks = t->peak_count;
    struct digest root;

    if (rest || peaks == 0)
        root = tree_root(t->leaves, rest);
    else
        root = t->peaks[--peaks];
    while (peaks > 0)
        root = tree_node(&t->peaks[--peaks], &root);
    return root;
}

/* They are sorted by size. */
void audit_promises(struct audit *t)
{
    for (; t->next < t->v->promise_count; t->next++) {
        struct promise *p = &t->v->promises[t->next];
        struct digest root;

        if (!p->why && p->c.size > t->v->entries)
            return;
        if (p->why)
            continue;
        root = audit_root(t);
        p->holds = memcmp(&root, &p->c.root, sizeof root) == 0;
        if (!p->holds)
            p->why = "the entries are not those it was made for";
    }
}

/* ---- what a chunk says by itself ---- */

/* Bodies first, then headers: most of an audit is hashing. */
static void hash_all(struct chunk *c)
{
    digest_many(c->salted, c->leaves, c->count);
    for (size_t i = 0; i < c->count; i++)
        if (!c->entries[i].erased)
            c->entries[i].body_digest = c->leaves[i];
    c->hashed = entry_leaves(c->entries, c->count, &c->scratch, c->leaves);
}

/* Which of the chunk's blocks its entry i is in. */
static size_t block_at(const struct chunk *c, size_t i)
{
    return ((size_t)(c->first % BLOCK) + i) / BLOCK;
}

/* Of entries of one block. */
static void add_names(struct chunk *c, size_t block, size_t first, size_t end)
{
    struct linked both[2] = { 0 };

    memset(&c->names[block], 0, sizeof c->names[block]);
    for (size_t i = first; i < end && entry_stands(&c->entries[i]); i++) {
        struct linked *of = &both[i % 2], *before = &both[1 - i % 2];

        *of = (struct linked){ &c->entries[i], links_like(&c->entries[i], &before->links, &c->a) };
        tail_names(&c->names[block], of, i > first ? before : NULL);
    }
}

void audit_apart(void *audit, struct chunk *c)
{
    const struct audit *t = audit;

    c->sum = (struct index_sum){ .size = t->sum.size };
    memcpy(c->sum.salt, t->sum.salt, sizeof c->sum.salt);
    if (t->sum_keys)
        t->sum_keys(&c->sum, c->entries, c->count);
    hash_all(c);
    for (size_t i = 0, end; i < c->count; i = end) {
        size_t block = block_at(c, i);

        for (end = i + 1; end < c->count && block_at(c, end) == block; end++)
            ;
        add_names(c, block, i, end);
        if (end - i == BLOCK)
            c->roots[block] = tree_root(&c->leaves[i], BLOCK);
    }
}

/* ---- entries ---- */

static void add_gap(struct audit *t, int64_t seq, const struct digest *digest, bool note)
{
    t->gaps = arena_more(t->a, t->gaps, t->gap_count, &t->gap_room, sizeof *t->gaps);
    t->gaps[t->gap_count++] = (struct gap){ seq, *digest, note };
}

static void note_gaps(struct audit *t, const struct entry *entry)
{
    _arena_ struct arena a = { 0 };
    struct erasure note;

    if (entry->erased) {
        t->v->erased++;
        t->erased++;
        add_gap(t, entry->seq, &entry->body_digest, false);
    } else if (entry->kind == ENTRY_NOTE && erasure_read(entry, &a, &note)) {
        add_gap(t, note.seq, &note.body_digest, true);
    }
}

/* What has a header for which there was no room has no leaf: NULL. */
static bool check_entry(struct audit *t, const struct entry *entry, int64_t seq,
                        const struct digest *leaf)
{
    if (entry->seq != seq)
        return audit_found(t, seq, NULL, "the entry is missing");
    if (entry_id_seq(&entry->id) != seq)
        return audit_found(t, seq, &entry->id, "its id belongs to another place in the ledger");
    if (!entry_stands(entry))
        return audit_found(t, seq, &entry->id,
                           "it has a kind, a state or traits that writ does not give");
    if (entry->recorded_ms < t->recorded_ms)
        return audit_found(t, seq, &entry->id, "it was recorded before the entry before it");
    if (!leaf)
        return audit_found(t, seq, &entry->id,
                           "its names have more than 32 MiB as JSON, which writ does not enter");
    if (memcmp(leaf, &entry->leaf, sizeof *leaf) != 0)
        return audit_found(t, seq, &entry->id, "it is not what was appended: its hash differs");
    t->recorded_ms = entry->recorded_ms;
    note_gaps(t, entry);
    return true;
}

/* ---- blocks ---- */

/* An erased body has lost its links: the kept filter may then have more names, never fewer. */
static bool names_fit(const struct names *names, const struct names *kept, bool erased)
{
    if (!erased)
        return memcmp(names, kept, sizeof *kept) == 0;
    for (size_t i = 0; i < NAMES_BYTES; i++)
        if (names->bits[i] & ~kept->bits[i])
            return false;
    return true;
}

/* A filter that is filled part by part is the same as one filled at once. */
static void begin_part(struct audit *t, const struct chunk *c, size_t i)
{
    const struct names *more = &c->names[block_at(c, i)];

    if ((c->first + (int64_t)i) % BLOCK == 0)
        memset(&t->names, 0, sizeof t->names);
    for (size_t k = 0; k < NAMES_BYTES; k++)
        t->names.bits[k] |= more->bits[k];
}

/* The block is complete whose last entry is i. */
static bool check_block(struct audit *t, const struct chunk *c, size_t i)
{
    size_t at = block_at(c, i);
    int64_t n = c->first / BLOCK + (int64_t)at, seq = n * BLOCK;
    const struct block *block = at < c->block_count ? &c->blocks[at] : NULL;
    struct digest root = i + 1 >= BLOCK ? c->roots[at] : tree_root(t->leaves, BLOCK);

    if (!block || block->n != n)
        return audit_found(t, seq, NULL, "the block that begins with it is missing");
    if (memcmp(&root, &block->root, sizeof root) != 0)
        return audit_found(t, seq, NULL, "the hash of the block that begins with it differs");
    if (!names_fit(&t->names, &block->names, t->erased > 0))
        return audit_found(t, seq, NULL, "the names of the block that begins with it differ");
    t->roots = arena_more(t->a, t->roots, t->root_count, &t->root_room, sizeof *t->roots);
    t->roots[t->root_count++] = root;
    grow(t, &root, n);
    t->erased = 0;
    return true;
}

static void add_sum(struct key_sum *to, const struct key_sum *more)
{
    to->low += more->low;
    to->high += more->high + (to->low < more->low);
    to->keys += more->keys;
}

bool audit_chunk(void *audit, const struct chunk *chunk)
{
    struct audit *t = audit;

    for (size_t i = 0; i < chunk->count; i++) {
        const struct entry *entry = &chunk->entries[i];
        int64_t seq = chunk->first + (int64_t)i;

        audit_promises(t);
        if (i == 0 || seq % BLOCK == 0)
            begin_part(t, chunk, i);
        if (!check_entry(t, entry, seq, i < chunk->hashed ? &chunk->leaves[i] : NULL))
            return false;
        t->leaves[seq % BLOCK] = entry->leaf;
        t->v->entries++;
        if ((seq + 1) % BLOCK == 0 && !check_block(t, chunk, i))
            return false;
    }
    add_sum(&t->sum.events, &chunk->sum.events);
    add_sum(&t->sum.inputs, &chunk->sum.inputs);
    return true;
}

/* ---- what was erased ---- */

static int by_seq(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (int)x->note - (int)y->note;
}

bool audit_gaps(struct audit *t)
{
    const struct gap *g = t->gaps;

    if (t->gap_count)
        qsort(t->gaps, t->gap_count, sizeof *t->gaps, by_seq);
    for (size_t i = 0; i < t->gap_count; i += 2) {
        bool paired = i + 1 < t->gap_count && g[i].seq == g[i + 1].seq && !g[i].note &&
                      g[i + 1].note &&
                      memcmp(&g[i].digest, &g[i + 1].digest, sizeof g[i].digest) == 0;

        if (!paired)
            return audit_found(t, g[i].seq, NULL,
                               g[i].note ? "a note says that its body was erased, and it was not"
                                         : "its body is gone, and no note says that it was erased");
    }
    return true;
}
