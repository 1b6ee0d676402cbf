/* SPDX-License-Identifier: Apache-2.0 */
/* filters.c: counts seccomp filters of a run, and locks a byte for each. */
#include "sandbox/filters.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/init_clock.h"

enum {
    TASKS_MOST = 2048,   /* of a run: its processes and threads are fewer */
    LOOK_AGAIN_MS = 100, /* after a count that has found no room: it takes some milliseconds */
    TRIES = 3,           /* at a count during which no task ends */
};

/* ---- what is left of them ---- */

/* How many a task has, those that were there before included; -1: it is gone. */
static int64_t filters_of(pid_t task)
{
    static const char key[] = "\nSeccomp_filters:";
    char path[48], text[4096];
    const char *at;
    ssize_t n;
    _fd_ int fd = -1;

    (void)snprintf(path, sizeof path, "/proc/%d/status", task);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    at = strstr(text, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

struct tasks {
    pid_t v[TASKS_MOST];
    size_t n;
    bool too_many;
};

static void keep_task(pid_t task, void *self)
{
    struct tasks *t = self;

    t->too_many |= t->n == TASKS_MOST;
    if (t->n < TASKS_MOST)
        t->v[t->n++] = task;
}

/* Whoever has gone on and is not seen to have one more may be about to. */
static int64_t under_way(struct filters *f)
{
    int n = 0;

    for (int i = 0; i < f->asked_count; i++) {
        int64_t now = filters_of(f->asked[i].thread);

        if (now >= 0 && now <= f->asked[i].before)
            f->asked[n++] = f->asked[i];
    }
    f->asked_count = n;
    return n;
}

/* A task that ended meanwhile may have left its filters to a child that is not on the list: then
 * nothing is known. -1: so it was. */
static int64_t count_left(struct filters *f, const struct cgroup *group)
{
    struct tasks tasks = { .n = 0 };
    int64_t own = filters_of(getpid()) + 1, sum = under_way(f);

    if (own <= 0 || !cgroup_each_task(group, keep_task, &tasks) || tasks.too_many)
        return -1;
    for (size_t i = 0; i < tasks.n; i++) {
        int64_t has = filters_of(tasks.v[i]);

        if (has < 0)
            return -1;
        sum += has > own ? has - own : 0;
    }
    for (size_t i = 0; i < tasks.n; i++)
        if (kill(tasks.v[i], 0) != 0 && errno == ESRCH)
            return -1;
    return sum;
}

/* ---- the user's ---- */

static bool lock_byte(int fd, short command, off_t byte)
{
    struct flock lock = { .l_type = command, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool is_mine(const struct filters *f, short byte)
{
    for (int64_t i = 0; i < f->count; i++)
        if (f->mine[i] == byte)
            return true;
    return false;
}

static bool open_file(struct filters *f)
{
    char path[4096];

    if (f->file >= 0)
        return true;
    if (!f->state || snprintf(path, sizeof path, "%s/filters", f->state) >= (int)sizeof path)
        return false;
    f->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return f->file >= 0;
}

/* Runs begin at different bytes, so that few are tried that others have. */
static bool take_byte(struct filters *f)
{
    int first = (int)(getpid() * 101L % FILTERS_OF_USER);

    if (!open_file(f))
        return false;
    for (int i = 0; i < FILTERS_OF_USER; i++) {
        short byte = (short)((first + i) % FILTERS_OF_USER);

        if (is_mine(f, byte) || !lock_byte(f->file, F_WRLCK, byte))
            continue;
        f->mine[f->count++] = byte;
        return true;
    }
    return false;
}

/* ---- questions ---- */

static void count_again(struct filters *f, const struct cgroup *group)
{
    int64_t left = -1;

    for (int i = 0; i < TRIES && left < 0; i++)
        left = count_left(f, group);
    while (left >= 0 && f->count > left) {
        f->count--;
        (void)lock_byte(f->file, F_UNLCK, f->mine[f->count]);
    }
}

static bool has_room(struct filters *f)
{
    return f->count < FILTERS_OF_RUN && f->asked_count < FILTERS_OF_RUN && take_byte(f);
}

int filters_ask(struct filters *f, const struct cgroup *group, pid_t thread)
{
    int64_t before = filters_of(thread);
    bool room;

    if (f->asked_count == FILTERS_OF_RUN)
        (void)under_way(f);
    room = before >= 0 && has_room(f);
    if (!room && before >= 0 && init_clock_now() - f->looked_at_ms >= LOOK_AGAIN_MS) {
        count_again(f, group);
        room = has_room(f);
        f->looked_at_ms = room ? 0 : init_clock_now();
    }
    if (!room) {
        f->refused++;
        return EPERM;
    }
    f->asked[f->asked_count++] = (struct filter_asked){ thread, before };
    return 0;
}

void filters_close(struct filters *f)
{
    own_close(&f->file);
}
