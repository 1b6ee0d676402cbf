/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: puts names into their table. */
#include "base/jsonschema/names.h"

enum { ROOM_FIRST = 8 };

static struct name *slot(struct names *t, struct str key, uint64_t hash, struct work *w)
{
    size_t i = hash & (t->room - 1);

    for (size_t past = 1; t->v[i].key.s; i = (i + 1) & (t->room - 1), past++) {
        if (t->v[i].hash == hash && str_eq(t->v[i].key, key))
            break;
        if (past % 8 == 0 && !work_do(w, 8))
            break; /* whoever is out of work reads no result */
    }
    return &t->v[i];
}

static void grow(struct names *t, struct arena *a, struct work *w)
{
    struct names old = *t;

    t->room = old.room ? 2 * old.room : ROOM_FIRST;
    t->v = arena_alloc(a, t->room * sizeof *t->v);
    for (size_t i = 0; i < old.room; i++)
        if (old.v[i].key.s)
            *slot(t, old.v[i].key, old.v[i].hash, w) = old.v[i];
}

struct name *schema_name_add(struct names *t, struct str key, struct arena *a, struct work *w)
{
    uint64_t hash = hash_text(key);
    struct name *name;

    if (2 * (t->count + 1) > t->room)
        grow(t, a, w);
    name = slot(t, key, hash, w);
    if (!name->key.s) {
        *name = (struct name){ .key = { key.s ? key.s : "", key.n }, .hash = hash };
        t->count++;
    }
    return name;
}
