/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place.c: remembers the seats of this process, so that mounts are read through once. */
#include "sandbox/cgroup_place.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

struct cgroup_place {
    pthread_mutex_t lock;
    struct cgroup_seats known; /* .count is 0 where nothing is */
};

struct cgroup_place *cgroup_place_new(void)
{
    struct cgroup_place *p = mem_zeroed(sizeof *p);

    (void)pthread_mutex_init(&p->lock, NULL);
    return p;
}

static void drop(struct cgroup_seats *s)
{
    cgroup_seats_free(s);
    s->count = 0;
}

void cgroup_place_forget(struct cgroup_place *p)
{
    (void)pthread_mutex_lock(&p->lock);
    drop(&p->known);
    (void)pthread_mutex_unlock(&p->lock);
}

void cgroup_place_free(struct cgroup_place *p)
{
    if (!p)
        return;
    drop(&p->known);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

/* What is handed out is a copy: whoever makes a group takes descriptors out of it. */
static bool find(struct cgroup_place *p, struct cgroup_seats *out, struct error *e)
{
    if (p->known.count > 0 && cgroup_seats_again(&p->known, out))
        return true;
    drop(out);
    drop(&p->known);
    if (!cgroup_seats_find(&p->known, e)) {
        drop(&p->known);
        return false;
    }
    if (cgroup_seats_again(&p->known, out))
        return true;
    drop(out); /* one of them cannot be seen, which making the group will tell */
    return cgroup_seats_find(out, e);
}

bool cgroup_place_find(struct cgroup_place *p, struct cgroup_seats *out, struct error *e)
{
    bool ok;

    if (!p)
        return cgroup_seats_find(out, e);
    (void)pthread_mutex_lock(&p->lock);
    ok = find(p, out, e);
    (void)pthread_mutex_unlock(&p->lock);
    return ok;
}
