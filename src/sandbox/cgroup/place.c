/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: remembers the seats of this process, so that mounts are read through once. */
#include "sandbox/cgroup_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/cgroup/file.h"

struct cgroup_place {
    pthread_mutex_t lock;
    struct cgroup_seats known; /* .count is 0 where nothing is */
    bool looked, first;        /* what cgroup_place_first() has found */
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
    p->looked = false;
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

/* Does version 2 have one of our controllers, beside version 1? */
static bool is_hybrid(void)
{
    char text[4096];
    struct str list =
        cgroup_read(AT_FDCWD, "/sys/fs/cgroup/unified/cgroup.controllers", text, sizeof text);

    return controllers_in(list, " ") != 0;
}

static bool comes_first(void)
{
    struct statfs s;

    return statfs("/sys/fs/cgroup", &s) != 0 || s.f_type == CGROUP2_SUPER_MAGIC || is_hybrid();
}

bool cgroup_place_first(struct cgroup_place *p)
{
    bool first;

    if (!p)
        return comes_first();
    (void)pthread_mutex_lock(&p->lock);
    if (!p->looked)
        p->first = comes_first();
    p->looked = true;
    first = p->first;
    (void)pthread_mutex_unlock(&p->lock);
    return first;
}
