/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c: berths that wait for a run, and digests of programs. */
#include "sandbox/kept.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/own.h"
#include "sandbox/berth.h"
#include "sandbox/cgroup_idle.h"
#include "sandbox/cgroup_place.h"
#include "sandbox/system.h"
#include "sandbox/version.h"

enum {
    IDLE_MOST = 8,  /* berths that wait; each is a process */
    AHEAD_MOST = 4, /* runs at once that have the next one made ahead */
    PATIENCE_MS = 30000,
    PROGRAMS = 64, /* digests */
};

struct known {
    struct version version;
    struct digest digest;
};

struct kept {
    pthread_mutex_t lock;
    int mounts;   /* readable when the host's mounts have changed */
    unsigned age; /* counts those changes */
    struct {
        bool known;
        unsigned age;
        struct arena a;
        struct submounts all;
    } submounts;        /* as they were at that age */
    struct berth *idle; /* the last that was used first */
    size_t busy;        /* berths that a run is in */
    size_t taken;       /* slots */
    int patience_ms;    /* of a slot */
    struct cgroup_place *place;
    struct cgroup_idle *groups;
    struct system_known *system;
    struct known programs[PROGRAMS];
    size_t learnt; /* programs, the oldest are overwritten */
    bool swept;
};

struct kept *kept_new(void)
{
    struct kept *k = mem_zeroed(sizeof *k);

    (void)pthread_mutex_init(&k->lock, NULL);
    k->patience_ms = PATIENCE_MS;
    k->place = cgroup_place_new();
    k->groups = cgroup_idle_new();
    k->system = system_known_new();
    k->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    return k;
}

static void let_go(struct kept *k, void (*of)(struct berth *berth))
{
    while (k->idle) {
        struct berth *l = k->idle;

        k->idle = l->next;
        of(l);
    }
    own_close(&k->mounts);
    arena_free(&k->submounts.a);
    cgroup_place_free(k->place);
    cgroup_idle_free(k->groups);
    system_known_free(k->system);
    (void)pthread_mutex_destroy(&k->lock);
    free(k);
}

void kept_free(struct kept *k)
{
    if (k)
        let_go(k, berth_close);
}

void kept_abandon(struct kept *k)
{
    if (!k)
        return;
    cgroup_idle_abandon(k->groups);
    let_go(k, berth_abandon);
}

/* A berth shows the host's mounts as they were when it was made. */
static void look_at_mounts(struct kept *k)
{
    struct pollfd changed = { .fd = k->mounts, .events = POLLPRI };

    if (poll(&changed, 1, 0) == 0)
        return;
    k->age++;
    cgroup_place_forget(k->place);
}

/* Takes the first berth out of the list that has the key, or that is of no use any more. */
static struct berth *take_one(struct kept *k, const struct digest *key)
{
    for (struct berth **at = &k->idle; *at; at = &(*at)->next) {
        struct berth *l = *at;

        if (l->age == k->age && memcmp(&l->key, key, sizeof *key) != 0)
            continue;
        *at = l->next;
        return l;
    }
    return NULL;
}

struct berth *kept_take(struct kept *k, const struct jail *jail, bool open)
{
    struct digest key = berth_key(jail);
    struct berth *l;
    unsigned age;

    if (k->mounts < 0)
        return NULL;
    for (;;) {
        (void)pthread_mutex_lock(&k->lock);
        look_at_mounts(k);
        l = take_one(k, &key);
        age = k->age;
        (void)pthread_mutex_unlock(&k->lock);
        if (!l || (l->age == age && berth_is_whole(l)))
            break;
        berth_close(l);
    }
    if (!l && open)
        l = berth_open(jail, k->patience_ms);
    if (!l)
        return NULL;
    l->key = key;
    l->age = age;
    (void)pthread_mutex_lock(&k->lock);
    l->may_slot = ++k->busy <= AHEAD_MOST;
    (void)pthread_mutex_unlock(&k->lock);
    return l;
}

/* Takes out who has waited longest, when there are too many. */
static struct berth *excess(struct kept *k)
{
    struct berth **at = &k->idle, *l;

    for (int n = 0; *at && n < IDLE_MOST; n++)
        at = &(*at)->next;
    l = *at;
    *at = NULL;
    return l;
}

void kept_give(struct kept *k, struct berth *berth, bool whole)
{
    (void)pthread_mutex_lock(&k->lock);
    k->busy--;
    k->taken += berth->taken;
    berth->taken = 0;
    if (whole) {
        berth->next = k->idle;
        k->idle = berth;
        berth = excess(k);
    }
    (void)pthread_mutex_unlock(&k->lock);
    if (berth)
        berth_close(berth);
}

void kept_set_patience(struct kept *k, int ms)
{
    k->patience_ms = ms;
}

struct kept_count kept_count(struct kept *k)
{
    struct kept_count count = { 0 };

    (void)pthread_mutex_lock(&k->lock);
    count.taken = k->taken;
    for (const struct berth *l = k->idle; l; l = l->next) {
        count.berths++;
        count.slots += l->slot.asked;
    }
    (void)pthread_mutex_unlock(&k->lock);
    return count;
}

/* ---- programs ---- */

bool kept_digest(struct kept *k, const struct stat *file, struct digest *out)
{
    bool found = false;

    (void)pthread_mutex_lock(&k->lock);
    for (size_t i = 0; i < k->learnt && i < PROGRAMS && !found; i++)
        if (version_is(&k->programs[i].version, file)) {
            *out = k->programs[i].digest;
            found = true;
        }
    (void)pthread_mutex_unlock(&k->lock);
    return found;
}

void kept_learn(struct kept *k, const struct stat *file, int64_t now_ms,
                const struct digest *digest)
{
    if (!version_is_settled(file, now_ms))
        return;
    (void)pthread_mutex_lock(&k->lock);
    k->programs[k->learnt++ % PROGRAMS] = (struct known){ version_of(file), *digest };
    (void)pthread_mutex_unlock(&k->lock);
}

bool kept_sweeps(struct kept *k)
{
    bool first;

    (void)pthread_mutex_lock(&k->lock);
    first = !k->swept;
    k->swept = true;
    (void)pthread_mutex_unlock(&k->lock);
    return first;
}

/* ---- mounts ---- */

/* Under the lock. What is mounted while the list is read makes the descriptor readable again. */
static bool know_submounts(struct kept *k, struct error *e)
{
    look_at_mounts(k);
    if (k->submounts.known && k->submounts.age == k->age)
        return true;
    arena_reset(&k->submounts.a);
    k->submounts.known = submounts_read(&k->submounts.a, &k->submounts.all, e);
    k->submounts.age = k->age;
    return k->submounts.known;
}

static const char **copy_paths(const char **from, size_t n, struct arena *a)
{
    const char **to = arena_alloc(a, n * sizeof *to);

    for (size_t i = 0; i < n; i++)
        to[i] = arena_text(a, str_of(from[i]));
    return to;
}

static struct disk *copy_disks(const struct disk *from, size_t n, struct arena *a)
{
    struct disk *to = arena_alloc(a, n * sizeof *to);

    for (size_t i = 0; i < n; i++)
        to[i] = (struct disk){ arena_text(a, str_of(from[i].device)),
                               arena_text(a, str_of(from[i].root)),
                               arena_text(a, str_of(from[i].point)) };
    return to;
}

static void copy_submounts(const struct submounts *from, struct arena *a, struct submounts *out)
{
    *out = (struct submounts){ .points = copy_paths(from->points, from->n, a),
                               .n = from->n,
                               .room = from->n,
                               .disks = copy_disks(from->disks, from->disk_count, a),
                               .disk_count = from->disk_count,
                               .disk_room = from->disk_count };
}

bool kept_submounts(struct kept *k, struct arena *a, struct submounts *out, struct error *e)
{
    bool ok;

    if (k->mounts < 0)
        return submounts_read(a, out, e);
    (void)pthread_mutex_lock(&k->lock);
    ok = know_submounts(k, e);
    if (ok)
        copy_submounts(&k->submounts.all, a, out);
    (void)pthread_mutex_unlock(&k->lock);
    return ok;
}

struct system_ask kept_system(struct kept *k, int64_t now_ms)
{
    struct system_ask ask = { .known = k->mounts < 0 ? NULL : k->system, .now_ms = now_ms };

    (void)pthread_mutex_lock(&k->lock);
    look_at_mounts(k);
    ask.mounts = k->age;
    (void)pthread_mutex_unlock(&k->lock);
    return ask;
}

/* ---- groups ---- */

static struct cgroup_place *place_now(struct kept *k)
{
    (void)pthread_mutex_lock(&k->lock);
    look_at_mounts(k);
    (void)pthread_mutex_unlock(&k->lock);
    return k->place;
}

bool kept_groups_first(struct kept *k)
{
    return cgroup_place_first(place_now(k));
}

bool kept_new_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms,
                    struct cgroup *out, struct error *e)
{
    unsigned age = cgroup_idle_age(k->groups, now_ms);

    if (!cgroup_make_at(place_now(k), limits, out, e))
        return false;
    out->age = age;
    return true;
}

unsigned kept_groups_age(struct kept *k, int64_t now_ms)
{
    return cgroup_idle_age(k->groups, now_ms);
}

bool kept_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms,
                struct cgroup *out, struct error *e)
{
    return cgroup_idle_take(k->groups, limits, now_ms, out) ||
           kept_new_group(k, limits, now_ms, out, e);
}

/* The one that is in use will not have been readied when the next is asked for: there are two. */
void kept_ready_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms)
{
    static const struct cgroup_usage none;
    struct cgroup spare;
    struct error unused;

    if (cgroup_idle_ready(k->groups, limits, now_ms) ||
        !kept_new_group(k, limits, now_ms, &spare, &unused))
        return;
    if (!cgroup_may_rest(&spare) || !cgroup_idle_give(k->groups, &spare, &none))
        (void)!cgroup_remove(&spare, &unused);
}

bool kept_give_group(struct kept *k, struct cgroup *group, const struct cgroup_usage *used)
{
    return cgroup_idle_give(k->groups, group, used);
}
