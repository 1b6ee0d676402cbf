/* SPDX-License-Identifier: Apache-2.0 */
/* idle.c: a few groups without anybody in them. */
#include "sandbox/cgroup_idle.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/own.h"

enum { GROUPS = 8, SEATS_MOST = 4096, LOOK_MS = 10 };

struct cgroup_idle {
    pthread_mutex_t lock;
    int seats; /* /proc/self/cgroup */
    char text[SEATS_MOST];
    ssize_t text_len; /* 0: nothing was read yet */
    unsigned age;     /* counts how often that was another text */
    int64_t looked;   /* when that was read; 0: never */
    struct cgroup groups[GROUPS];
    size_t count;
};

struct cgroup_idle *cgroup_idle_new(void)
{
    struct cgroup_idle *idle = mem_zeroed(sizeof *idle);

    (void)pthread_mutex_init(&idle->lock, NULL);
    idle->seats = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    return idle;
}

/* What cannot be removed now is swept once this process is gone. */
static void drop(struct cgroup_idle *idle)
{
    struct error unused;

    while (idle->count > 0)
        (void)!cgroup_remove(&idle->groups[--idle->count], &unused);
}

void cgroup_idle_abandon(struct cgroup_idle *idle)
{
    while (idle->count > 0)
        cgroup_close(&idle->groups[--idle->count]);
}

void cgroup_idle_free(struct cgroup_idle *idle)
{
    if (!idle)
        return;
    drop(idle);
    own_close(&idle->seats);
    (void)pthread_mutex_destroy(&idle->lock);
    free(idle);
}

/* Is this process in the groups that it was in before? */
static void look_at_seats(struct cgroup_idle *idle, int64_t now_ms)
{
    char now[SEATS_MOST];
    ssize_t n;

    if (idle->looked && now_ms >= idle->looked && now_ms - idle->looked < LOOK_MS)
        return;
    idle->looked = now_ms;
    n = idle->seats < 0 ? -1 : pread(idle->seats, now, sizeof now, 0);

    if (n > 0 && n == idle->text_len && memcmp(now, idle->text, (size_t)n) == 0)
        return;
    drop(idle);
    idle->age++;
    idle->text_len = n > 0 && n < SEATS_MOST ? n : 0;
    memcpy(idle->text, now, (size_t)idle->text_len);
}

static bool is_for(const struct cgroup *c, const struct cgroup_limits *limits)
{
    return c->limits.memory_bytes == limits->memory_bytes && c->limits.cores == limits->cores;
}

/* Rather one that is awake. */
static bool take(struct cgroup_idle *idle, const struct cgroup_limits *limits, struct cgroup *out)
{
    size_t found = idle->count;

    for (size_t i = 0; i < idle->count; i++)
        if (is_for(&idle->groups[i], limits) &&
            (found == idle->count || idle->groups[i].awake == limits->tasks))
            found = i;
    if (found == idle->count)
        return false;
    *out = idle->groups[found];
    idle->groups[found] = idle->groups[--idle->count];
    return true;
}

bool cgroup_idle_take(struct cgroup_idle *idle, const struct cgroup_limits *limits, int64_t now_ms,
                      struct cgroup *out)
{
    struct cgroup c;
    struct error unused;
    bool found;

    (void)pthread_mutex_lock(&idle->lock);
    look_at_seats(idle, now_ms);
    found = take(idle, limits, &c);
    (void)pthread_mutex_unlock(&idle->lock);
    if (!found)
        return false;
    if (cgroup_wake(&c, limits->tasks)) {
        *out = c;
        return true;
    }
    (void)!cgroup_remove(&c, &unused);
    return false;
}

bool cgroup_idle_ready(struct cgroup_idle *idle, const struct cgroup_limits *limits, int64_t now_ms)
{
    bool ready;

    (void)pthread_mutex_lock(&idle->lock);
    idle->looked = 0;
    look_at_seats(idle, now_ms);
    ready = idle->text_len == 0 || idle->count == GROUPS;
    for (size_t i = idle->count; i-- > 0 && !ready;)
        ready = is_for(&idle->groups[i], limits) && cgroup_wake(&idle->groups[i], limits->tasks);
    (void)pthread_mutex_unlock(&idle->lock);
    return ready;
}

unsigned cgroup_idle_age(struct cgroup_idle *idle, int64_t now_ms)
{
    unsigned age;

    (void)pthread_mutex_lock(&idle->lock);
    look_at_seats(idle, now_ms);
    age = idle->age;
    (void)pthread_mutex_unlock(&idle->lock);
    return age;
}

bool cgroup_idle_give(struct cgroup_idle *idle, struct cgroup *c, const struct cgroup_usage *last)
{
    bool taken = false;

    if (!cgroup_rest(c, last))
        return false;
    (void)pthread_mutex_lock(&idle->lock);
    if (idle->count < GROUPS && idle->text_len > 0 && c->age == idle->age) {
        idle->groups[idle->count++] = *c;
        taken = true;
    }
    (void)pthread_mutex_unlock(&idle->lock);
    if (taken)
        *c = (struct cgroup){ 0 };
    return taken;
}
