/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: names by their hashes, each with the number that the next of them may have. */
#include "adapter/import/names.h"

#include <stdint.h>

enum { ROOM_FIRST = 64 };

struct name {
    const char *text; /* NULL: the slot is free */
    uint64_t hash;
    unsigned next; /* what the next of this name is tried with */
};

static uint64_t hash_of(const char *text)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);

    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    return h;
}

/* Where the name is, or belongs. */
static struct name *slot_of(const struct names *n, const char *text, uint64_t hash)
{
    size_t i = hash & (n->room - 1);

    while (n->slots[i].text && (n->slots[i].hash != hash || strcmp(n->slots[i].text, text) != 0))
        i = (i + 1) & (n->room - 1);
    return &n->slots[i];
}

static void make_room(struct names *n, struct arena *a)
{
    struct names more = { .count = n->count, .room = n->room ? 2 * n->room : ROOM_FIRST };

    if (2 * (n->count + 1) <= n->room)
        return;
    more.slots = arena_alloc(a, more.room * sizeof *more.slots);
    for (size_t i = 0; i < n->room; i++)
        if (n->slots[i].text)
            *slot_of(&more, n->slots[i].text, n->slots[i].hash) = n->slots[i];
    *n = more;
}

/* False: it was given before. */
static bool give(struct names *n, const char *text, struct arena *a)
{
    uint64_t hash = hash_of(text);
    struct name *slot;

    make_room(n, a);
    slot = slot_of(n, text, hash);
    if (slot->text)
        return false;
    *slot = (struct name){ text, hash, 2 };
    n->count++;
    return true;
}

const char *names_give(struct names *n, const char *name, struct arena *a)
{
    const char *given = name;
    unsigned number;

    if (give(n, name, a))
        return name;
    number = slot_of(n, name, hash_of(name))->next;
    do
        given = arena_printf(a, "%s_%u", name, number++);
    while (!give(n, given, a));
    slot_of(n, name, hash_of(name))->next = number; /* it may have moved */
    return given;
}
