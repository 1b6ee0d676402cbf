/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c: a table of digests, which are as good as chance for where to look. */
#include "engine/plan/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ROOM_FIRST = 64 };

void evidence_open(struct evidence *e)
{
    *e = (struct evidence){ 0 };
    (void)pthread_mutex_init(&e->lock, NULL);
}

void evidence_close(struct evidence *e)
{
    (void)pthread_mutex_destroy(&e->lock);
    free(e->v);
}

/* Where it is, or would be: one place at least is free. */
static struct digest *place_of(const struct evidence *e, const struct digest *digest)
{
    static const struct digest none;
    size_t at;

    memcpy(&at, digest, sizeof at);
    for (;; at++) {
        struct digest *d = &e->v[at & (e->room - 1)];

        if (memcmp(d, &none, sizeof none) == 0 || memcmp(d, digest, sizeof none) == 0)
            return d;
    }
}

/* At most half of the places are taken. */
static void make_room(struct evidence *e)
{
    static const struct digest none;
    struct evidence more = { .room = e->room ? 2 * e->room : ROOM_FIRST };

    if (2 * (e->files + 1) <= e->room)
        return;
    more.v = calloc(more.room, sizeof *more.v);
    if (!more.v)
        mem_end();
    for (size_t i = 0; i < e->room; i++)
        if (memcmp(&e->v[i], &none, sizeof none) != 0)
            *place_of(&more, &e->v[i]) = e->v[i];
    free(e->v);
    e->v = more.v;
    e->room = more.room;
}

void evidence_add(struct evidence *e, const struct digest *digest, int64_t bytes)
{
    struct digest *place;

    (void)pthread_mutex_lock(&e->lock);
    make_room(e);
    place = place_of(e, digest);
    if (memcmp(place, digest, sizeof *place) != 0) {
        *place = *digest;
        e->files++;
        e->bytes += bytes;
    }
    (void)pthread_mutex_unlock(&e->lock);
}
