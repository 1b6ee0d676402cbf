/* SPDX-License-Identifier: Apache-2.0 */
/* hashing.c: digests a program beside its run. */
#include "sandbox/hashing.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 10 }; /* of the slowest clocks that there are */

/* The part is written before it is read. */
struct hashing *hash_new(struct arena *a)
{
    struct hashing *h = arena_raw(a, sizeof *h);

    memset(h, 0, offsetof(struct hashing, part));
    return h;
}

void hash_begin(struct hashing *h, const struct program *program, struct kept *kept)
{
    sha256_begin(&h->sum);
    h->unread = fstat(h->fd, &h->before) != 0 || h->before.st_dev != program->dev ||
                h->before.st_ino != program->ino;
    h->known = kept && !h->unread && kept_digest(kept, &h->before, &h->digest);
}

static bool is_unchanged(const struct hashing *h)
{
    struct stat now;

    return fstat(h->fd, &now) == 0 && now.st_size == h->before.st_size &&
           memcmp(&now.st_ctim, &h->before.st_ctim, sizeof now.st_ctim) == 0;
}

void hash_settle(const struct hashing *h, const struct world *world)
{
    const struct timespec *at = &h->before.st_ctim;
    int64_t age = world->wall_ms(world->self) - (at->tv_sec * 1000LL + at->tv_nsec / 1000000);

    if (!h->unread && !h->known && age >= 0 && age <= TICK_MS)
        (void)poll(NULL, 0, (int)(TICK_MS + 1 - age));
}

/* No more is taken than there was: what is longer by now has changed. */
bool hash_some(void *self)
{
    struct hashing *h = self;
    ssize_t n = read(h->fd, h->part, sizeof h->part);

    if (n < 0 && errno == EINTR)
        return true;
    h->unread |= n < 0;
    if (n > 0) {
        sha256_add(&h->sum, h->part, (size_t)n);
        h->taken += n;
    }
    if (n > 0 && h->taken <= h->before.st_size)
        return true;
    h->changed = !is_unchanged(h);
    return false;
}

void hash_end(struct hashing *h, struct kept *kept, const struct world *world, struct outcome *out)
{
    out->program_read = !h->unread && !h->changed;
    out->program_changed = h->changed;
    if (!out->program_read)
        return;
    if (!h->known) {
        h->digest = sha256_end(&h->sum);
        if (kept)
            kept_learn(kept, &h->before, world->wall_ms(world->self), &h->digest);
    }
    out->program = h->digest;
}
