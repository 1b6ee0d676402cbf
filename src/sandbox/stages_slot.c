/* SPDX-License-Identifier: Apache-2.0 */
/* stages_slot.c: the stages of a command that waits in a slot for the word what to become. */
#include "sandbox/stages.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/pass.h"
#include "sandbox/place.h"

int stage_keep_mounts(struct child *c)
{
    struct word word = { .kind = WORD_MOUNTS };
    int mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    bool ok = mounts >= 0 && pass_send(c->jail->line, &word, sizeof word, &mounts, 1);

    if (mounts >= 0)
        (void)close(mounts);
    return ok ? 0 : -1;
}

/* Until there is a word, or nobody wants it any more. */
static bool wait_for_word(struct place *place)
{
    struct pollfd fds[] = { { .fd = place->jail.line, .events = POLLIN },
                            { .fd = place->jail.owner, .events = POLLIN } };
    int waits = PLACE_WAITS, timeout = place->patience_ms;

    for (;;) {
        int n = poll(fds, COUNT(fds), timeout);

        if (n > 0)
            return !fds[1].revents;
        if (n < 0 && errno != EINTR)
            return false;
        if (n == 0 && atomic_compare_exchange_strong(&place->state, &waits, PLACE_GIVEN_UP))
            return false;
        timeout = -1; /* somebody has taken it, and will say so, or die */
    }
}

/* The numbers that the streams are to have must be free. */
static int out_of_the_way(int fd)
{
    return fd < 0 || fd >= STREAM_COUNT ? fd : fcntl(fd, F_DUPFD_CLOEXEC, STREAM_COUNT);
}

int stage_wait_for_command(struct child *c)
{
    struct jail *j = c->jail;
    struct place_job job = { 0 };
    int fds[PASS_MOST];

    if (!wait_for_word(j->place) || !pass_take(j->line, &job, sizeof job, fds))
        return STAGE_UNWANTED;
    j->late_groups = false;
    for (int i = 0; i < job.groups && i < CGROUP_DIRS; i++)
        j->cgroup.dirs[j->cgroup.count++].tasks = fds[i];
    for (int i = 0; i < job.streams && i < STREAM_COUNT; i++) {
        j->streams[i] = out_of_the_way(fds[job.groups + i]);
        if (j->streams[i] < 0) {
            errno = EMFILE;
            return -1;
        }
    }
    return 0;
}
