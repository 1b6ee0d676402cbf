/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c: when the tree is dead: what it wrote beside the disk, into record and evidence.
 */
#include "engine/changes.h"

#include <stdint.h>
#include <sys/stat.h>

#include "engine/exec.h"

enum { ROW_BYTES = 512, BYTES_MOST = 40 << 20 };

static struct change_set *new_set(const struct cow_layers *found, struct arena *a)
{
    struct change_set *set = arena_new(a, struct change_set);

    set->roots = arena_alloc(a, found->n * sizeof *set->roots);
    set->inodes = arena_alloc(a, found->n * sizeof *set->inodes);
    for (size_t i = 0; i < found->n; i++) {
        struct stat s;

        set->inodes[i] =
            fstat(found->v[i].disk, &s) == 0 ? arena_printf(a, "%ju", (uintmax_t)s.st_ino) : "";
        set->roots[set->root_count++] = arena_text(a, str_of(found->v[i].root));
    }
    return set;
}

/* A record is read back, and what reads it has its ceilings: what is beyond them is not listed. */
static void cut_list(struct changes *c)
{
    size_t bytes = 0;

    for (size_t i = 0; i < c->n; i++) {
        bytes += ROW_BYTES + exec_name_bytes(c->v[i].path) +
                 exec_name_bytes(c->v[i].before.target) + exec_name_bytes(c->v[i].after.target);
        if (bytes < BYTES_MOST)
            continue;
        c->n = i;
        c->cut = "there are more changes than a record lists";
    }
}

bool exec_changes(struct exec *x, struct error *e)
{
    struct cow_layers *found = &x->outcome.cow;
    _buf_ struct buf diff = { 0 };
    struct change_set *set;

    x->now.changes = NULL; /* of an attempt before */
    if (!exec_writes_beside(x))
        return true;
    set = new_set(found, x->a);
    if (!cow_read(found, x->store, x->a, &set->changes, e))
        return false;
    cut_list(&set->changes);
    for (size_t i = 0; i < set->changes.n; i++) /* names that end where C says */
        set->changes.v[i].path.s = arena_text(x->a, set->changes.v[i].path);
    changes_diff(set, x->store, x->a, &diff);
    if (diff.len && !collect_bytes(x->store, buf_str(&diff), &set->diff, e))
        return false;
    x->now.changes = set;
    return true;
}

/* Nobody is to take it for a run that wrote to the disk, nor for one that wrote nothing. */
void exec_changes_lost(struct exec *x)
{
    struct change_set *set;

    if (!exec_writes_beside(x) || x->now.changes)
        return;
    set = new_set(&x->outcome.cow, x->a);
    set->changes.cut = x->now.unkept;
    x->now.changes = set;
}

bool exec_writes_beside(const struct exec *x)
{
    return !x->peer && !(x->call && x->call->peer) &&
           x->request.sandbox->filesystem->write_mode == WRITE_COW;
}

void exec_put_changes(const struct exec *x, struct buf *to)
{
    if (x->now.changes)
        changes_put(x->now.changes, &x->reach.absent, to);
}
