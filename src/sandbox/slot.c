/* SPDX-License-Identifier: Apache-2.0 */
/* slot.c: how a slot is asked for, taken, and told what to run. */
#include "sandbox/slot.h"

#include <sched.h>

#include "base/pass.h"
#include "sandbox/place.h"
#include "sandbox/words.h"

/* It holds the mounts for us: they are taken down when there is time. */
static bool take_mounts(const struct slot *s, int *mounts)
{
    struct word word = { .kind = WORD_FAILED };
    int fds[PASS_MOST];

    if (!pass_take(s->line, &word, sizeof word, fds) || word.kind != WORD_MOUNTS)
        return false;
    *mounts = fds[0];
    return true;
}

/* A group of version 2 is there before who is in it, and has its limits since then. */
static bool is_in(const struct slot *s, const struct jail *jail, const struct slot_group *wanted)
{
    const struct cgroup_limits *limits = &s->group.limits;

    if (s->group.count == 0)
        return !jail->into_group;
    return jail->into_group && !jail->has_group &&
           limits->memory_bytes == wanted->limits.memory_bytes &&
           limits->cores == wanted->limits.cores && s->group.age == wanted->age;
}

bool slot_take(struct berth *berth, const struct jail *jail, const struct slot_group *group,
               struct slot *out, int *mounts)
{
    struct slot *s = &berth->slot;

    if (!s->asked)
        return false;
    if (!is_in(s, jail, group) || !place_has_walls_of(&berth->places[s->at], jail) ||
        !berth_has_slot(berth) || !take_mounts(s, mounts)) {
        berth_drop_slot(berth);
        return false;
    }
    berth->at = s->at;
    berth->taken++;
    *out = *s;
    *s = (struct slot){ .line = -1, .fd = -1 };
    return true;
}

bool slot_hand_over(const struct berth *berth, const struct jail *jail, int line)
{
    struct place *place = &berth->places[berth->at];
    struct place_job job = { 0 };
    int fds[PASS_MOST], waits = PLACE_WAITS;
    size_t n = 0;

    for (int i = 0; i < jail->cgroup.count; i++)
        if (jail->cgroup.dirs[i].tasks >= 0)
            fds[n++] = jail->cgroup.dirs[i].tasks;
    job.groups = (int)n;
    for (int i = 0; i < STREAM_COUNT; i++)
        if (jail->streams[i] >= 0)
            fds[n++] = jail->streams[i];
    job.streams = (int)n - job.groups;
    return place_command(place, jail) &&
           atomic_compare_exchange_strong(&place->state, &waits, PLACE_TAKEN) &&
           pass_send(line, &job, sizeof job, fds, n);
}

bool slot_make_next(struct berth *berth, const struct jail *jail, int near, int far,
                    struct cgroup *group)
{
    int at = (berth->at + 1) % PLACES;
    struct place *place = &berth->places[at];

    if (!berth->may_slot || berth->slot.asked || !place_walls(place, jail))
        return false;
    place->ahead = true;
    place->cpu = sched_getcpu();
    place->patience_ms = berth->patience_ms;
    if (!berth_ask_slot(berth, at, far, cgroup_into(group)))
        return false;
    berth->slot = (struct slot){ .asked = true, .at = at, .line = near, .fd = -1, .group = *group };
    *group = (struct cgroup){ 0 };
    return true;
}
