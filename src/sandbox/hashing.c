/* SPDX-License-Identifier: Apache-2.0 */
/* hashing.c: digests a program beside its run. */
#include "sandbox/hashing.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The part is written before it is read. */
struct hashing *hash_new(struct arena *a)
{
    struct hashing *h = arena_raw(a, sizeof *h);

    memset(h, 0, offsetof(struct hashing, part));
    return h;
}

bool hash_some(void *self)
{
    struct hashing *h = self;
    ssize_t n = read(h->fd, h->part, sizeof h->part);

    if (n > 0)
        sha256_add(&h->sum, h->part, (size_t)n);
    h->unread |= n < 0 && errno != EINTR;
    return n > 0 || (n < 0 && errno == EINTR);
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

void hash_end(struct hashing *h, struct kept *kept, const struct world *world, struct outcome *out)
{
    out->program_read = !h->unread;
    if (h->unread)
        return;
    if (!h->known)
        h->digest = sha256_end(&h->sum);
    if (!h->known && kept && is_unchanged(h))
        kept_learn(kept, &h->before, world->wall_ms(world->self), &h->digest);
    out->program = h->digest;
}
