/* SPDX-License-Identifier: Apache-2.0 */
/* tail.c: gathers 256 entries into a block: their root in the tree, and the names they hold. */
#include "ledger/tail.h"

#include <string.h>

#include "ledger/tree.h"

static void add_subject(struct names *names, struct str subject)
{
    names_add(names, NAME_SUBJECT, subject);
    if (subject.n > NAME_START)
        names_add(names, NAME_SUBJECT_START, (struct str){ subject.s, NAME_START });
}

static void add_links(struct names *names, const struct links *links)
{
    char text[UUID_TEXT];

    for (size_t i = 0; i < links->count; i++) {
        uuid_text(&links->depends[i], text);
        names_add(names, NAME_DEPENDS, (struct str){ text, UUID_TEXT - 1 });
    }
    if (links->rerun_of.n)
        names_add(names, NAME_RERUN, links->rerun_of);
}

/* Read from one text. */
static bool same_links(const struct links *a, const struct links *b)
{
    return a->lineage.n && a->lineage.s == b->lineage.s;
}

void tail_names(struct names *names, const struct linked *of, const struct linked *before)
{
    const struct entry *entry = of->entry, *other = before ? before->entry : NULL;
    bool event = entry->kind == ENTRY_EVENT, events = event && other && other->kind == entry->kind;
    char id[UUID_TEXT];

    uuid_text(&entry->id, id);
    names_add(names, NAME_ID, (struct str){ id, NAME_START });
    if (!other || other->kind != entry->kind)
        names_add(names, NAME_KIND, str_of(entry_kind_names[entry->kind]));
    if (!other || !str_eq(other->subject, entry->subject))
        add_subject(names, entry->subject);
    if (!other || !str_eq(other->tenant, entry->tenant))
        names_add(names, NAME_TENANT, entry->tenant);
    if (!event)
        return;
    names_add(names, NAME_STATE, str_of(event_state_names[place_state(entry->place)]));
    if (!events || !str_eq(other->robot, entry->robot))
        names_add(names, NAME_ROBOT, entry->robot);
    if (!events || !same_links(&before->links, &of->links))
        add_links(names, &of->links);
}

static void put(struct tail *t, const struct entry *entry, const struct links *links)
{
    if (t->size % BLOCK == 0)
        memset(&t->names, 0, sizeof t->names);
    t->leaves[t->size % BLOCK] = entry->leaf;
    tail_names(&t->names, &(struct linked){ entry, *links }, NULL);
    t->size++;
}

static bool put_read(void *self, const struct entry *entry, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct links links = links_of(entry, &a);

    (void)e;
    put(self, entry, &links);
    return true;
}

bool tail_ready(struct tail *t, int64_t size, size_t count, const struct keep *keep,
                struct error *e)
{
    int64_t begin = size - size % BLOCK;
    struct entry_range range = { .from = begin, .to = size, .bodies = true };

    if (t->size == size)
        return true;
    if (size % BLOCK + (int64_t)count < BLOCK) {
        t->size = -1; /* unknown, and not needed now */
        return true;
    }
    t->size = begin;
    return range.from == range.to || keep->kind->read_entries(keep->store, &range, put_read, t, e);
}

/* ---- complete blocks ---- */

struct roots {
    size_t n;
    struct digest root[BLOCK];
};

static bool take_root(void *self, const struct block *block, struct error *e)
{
    struct roots *roots = self;

    (void)e;
    if (roots->n < BLOCK)
        roots->root[roots->n++] = block->root;
    return true;
}

/* A block that completes 256 of its level makes one of the level above. */
static bool complete_above(const struct block *below, const struct keep *keep, struct error *e)
{
    struct block block = { .level = below->level, .n = below->n };

    while ((block.n + 1) % BLOCK == 0) {
        struct roots roots = { 0 };
        struct block_range range = { block.level, block.n + 1 - BLOCK, block.n + 1 };

        if (!keep->kind->read_blocks(keep->store, &range, take_root, &roots, e))
            return false;
        if (roots.n != BLOCK)
            return error_set(e, ERROR_IO, "the ledger lacks blocks of level %d", block.level);
        block = (struct block){ .level = block.level + 1,
                                .n = block.n / BLOCK,
                                .root = tree_root(roots.root, BLOCK) };
        if (!keep->kind->add_blocks(keep->store, &block, 1, e))
            return false;
    }
    return true;
}

bool tail_take(struct tail *t, const struct entry *entry, const struct links *links,
               const struct keep *keep, struct error *e)
{
    struct block block = { .level = 0, .n = entry->seq / BLOCK };

    if (t->size < 0)
        return true;
    put(t, entry, links);
    if (t->size % BLOCK != 0)
        return true;
    block.root = tree_root(t->leaves, BLOCK);
    block.names = t->names;
    return keep->kind->add_blocks(keep->store, &block, 1, e) && complete_above(&block, keep, e);
}
