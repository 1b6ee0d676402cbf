/* SPDX-License-Identifier: Apache-2.0 */
/* stages_init.c: the stages of init: a new network, root and user, and no rights over any of them.
 */
#include "sandbox/stages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/signals.h"
#include "sandbox/cow_mount.h"
#include "sandbox/doors.h"
#include "sandbox/held_chance.h"
#include "sandbox/kernel.h"
#include "sandbox/net.h"
#include "sandbox/place.h"
#include "sandbox/root.h"

bool stage_hears(const struct jail *j)
{
    struct pollfd fds[] = { { .fd = j->line, .events = POLLIN },
                            { .fd = j->owner, .events = POLLIN } };
    int n;

    do {
        n = poll(fds, COUNT(fds), -1);
    } while (n < 0 && errno == EINTR);
    return n > 0 && !fds[1].revents;
}

int stage_wait_for(const struct child *c, char wanted)
{
    char word = 0;
    ssize_t n;

    if (!stage_hears(c->jail))
        return STAGE_UNWANTED;
    do {
        n = recv(c->jail->line, &word, 1, 0);
    } while (n < 0 && errno == EINTR);
    return n == 1 && word == wanted ? 0 : STAGE_UNWANTED;
}

/* The supervisor writes who we are into /proc and then lets us go on. */
int stage_wait_for_go(struct child *c)
{
    (void)close(c->jail->far_end);
    return stage_wait_for(c, WORD_GO);
}

/* The command gets them from us as they are. */
int stage_reset_signals(struct child *c)
{
    (void)c;
    signals_reset();
    return 0;
}

static void bound(const char *file, const char *most)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, most, strlen(most));
    (void)close(fd);
}

/* What is watched in here is counted for the caller, too, who would have no watches left. While we
 * have rights over the new user namespace, it has limits of its own, whoever's /proc this is. Where
 * that may only be read, the caller's are the limits. */
int stage_bound_watches(struct child *c)
{
    (void)c;
    bound("/proc/sys/user/max_inotify_instances", "16");
    bound("/proc/sys/user/max_inotify_watches", "4096");
    return 0;
}

/* Before we are another: the file may be root's. Runs do without it where it cannot be opened. */
int stage_open_chance(struct child *c)
{
    c->jail->chance = c->jail->held.on ? held_chance_open() : -1;
    return 0;
}

/* By the bare calls: those of the C library look for the threads that our parent had. */
int stage_take_identity(struct child *c)
{
    const struct jail *j = c->jail;

    if (!j->privileged)
        return 0;
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, j->gid, j->gid, j->gid) != 0)
        return -1;
    return (int)syscall(SYS_setresuid, j->uid, j->uid, j->uid);
}

int stage_enter_net(struct child *c)
{
    struct jail *j = c->jail;
    int done;

    if (j->host_network)
        return 0;
    j->sysctls = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    done = j->sysctls >= 0 ? net_enter(j->sysctls) : -1;
    if (!j->in_berth) /* which makes more of them, where no /proc is */
        own_close(&j->sysctls);
    return done;
}

/* Early: whoever serves them gets ready while the root is built. */
int stage_open_doors(struct child *c)
{
    const struct jail *j = c->jail;

    return j->door_count ? doors_open(j->doors, j->door_count, j->line) : 0;
}

int stage_make_root(struct child *c)
{
    return root_make(c->jail, &c->root);
}

int stage_make_layers(struct child *c)
{
    return c->jail->cover_count ? cow_make(c->jail, c->root) : 0;
}

int stage_hold_names(struct child *c)
{
    return c->jail->cover_count ? cow_hold(c->jail, c->root) : 0;
}

int stage_mount_trees(struct child *c)
{
    return root_mount(c->jail, c->root);
}

int stage_mount_devices(struct child *c)
{
    return root_devices(c->jail, c->root);
}

int stage_mount_no_proc(struct child *c)
{
    return root_no_proc(c->root);
}

int stage_mount_scratch(struct child *c)
{
    return root_scratch(c->jail, c->root);
}

int stage_mount_proc(struct child *c)
{
    return root_proc(c->root);
}

int stage_enter_root(struct child *c)
{
    return root_enter(c->root);
}

int stage_lock_root(struct child *c)
{
    return root_lock(c->root);
}

/* The same for every run, wherever it runs. */
int stage_set_names(struct child *c)
{
    (void)c;
    (void)umask(022);
    return sethostname("writ", 4) == 0 && setdomainname("", 0) == 0 ? 0 : -1;
}

int stage_set_limit(__rlimit_resource_t which, rlim_t most)
{
    struct rlimit now, want;

    if (getrlimit(which, &now) != 0)
        return -1;
    want.rlim_max = now.rlim_max < most ? now.rlim_max : most;
    want.rlim_cur = want.rlim_max;
    return setrlimit(which, &want);
}

/* Of init, and of the command until it is started: both send descriptors, which fails for who has
 * as few as all commands of its user may have under way together (base/pass.c). */
enum { SENDERS_DESCRIPTORS = 4096 };

int stage_set_limits(struct child *c)
{
    /* clang-format off */
    const struct {
        __rlimit_resource_t which;
        rlim_t most;
    } rows[] = {
        { RLIMIT_CORE,     1 }, /* 0 would still start a handler that core_pattern pipes to */
        { RLIMIT_NOFILE,   SENDERS_DESCRIPTORS },
        { RLIMIT_FSIZE,    (rlim_t)c->jail->file_bytes },
        { RLIMIT_MEMLOCK,  64 << 10 },
        { RLIMIT_MSGQUEUE, 0 },
        { RLIMIT_STACK,    8 << 20 },
        { RLIMIT_NICE,     0 },
        { RLIMIT_RTPRIO,   0 },
        { RLIMIT_SIGPENDING, 1024 },
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT(rows); i++)
        if (stage_set_limit(rows[i].which, rows[i].most) != 0)
            return -1;
    if (c->jail->process_most > 0 &&
        stage_set_limit(RLIMIT_NPROC, (rlim_t)c->jail->process_most) != 0)
        return -1;
    if (c->jail->memory_most > 0 && stage_set_limit(RLIMIT_AS, (rlim_t)c->jail->memory_most) != 0)
        return -1;
    return 0;
}

/* No program in the tree can get any right, whatever its file says. The kernel knows how many
 * rights there are. A run in a berth has this from the berth. Without namespaces a caller may lack
 * the right to do it, and then there is none to be gained. */
int stage_drop_bounds(struct child *c)
{
    int right = 0;

    while (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) == 0)
        right++;
    return (errno == EINVAL && right > 0) || (errno == EPERM && c->jail->hosted) ? 0 : -1;
}

/* From here on nobody in the tree has a right over anything, nor can get one: no capability is
 * left, being root inside means nothing, and no program can bring rights along. */
int stage_drop_rights(struct child *c)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { 0 };
    unsigned long bits = SECURE_ALL_BITS & ~(1UL << SECURE_KEEP_CAPS);

    (void)c;
    if (prctl(PR_SET_SECUREBITS, bits | SECURE_ALL_LOCKS) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_capset, &head, none);
}

/* Changing who we are cleared what was said about dying before; and init's memory is not for the
 * command to look at. The parent of a run in a berth is the thread that made the berth, which may
 * end at any time: there only the line tells that the supervisor is dead. */
int stage_guard_init(struct child *c)
{
    struct pollfd line = { .fd = c->jail->line };

    if (prctl(PR_SET_DUMPABLE, 0) != 0 ||
        (!c->jail->in_berth && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0))
        return -1;
    return poll(&line, 1, 0) == 1 ? STAGE_UNWANTED : 0;
}

/* All are made, and nobody here may make another. But the kernel takes a mount away with the name
 * it lies on, and somebody outside may remove or replace that, as editors do and git with its
 * configuration: then what it covered or protected is bare. */
int stage_watch_mounts(struct child *c)
{
    c->jail->watched = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    return 0;
}

/* The command's 3 is made while the line is still needed: that may not be there. */
int stage_clear_result(struct child *c)
{
    struct jail *j = c->jail;
    int line;

    if ((j->streams[STREAM_RESULT] < 0 && !(j->place && j->place->ahead)) ||
        j->line != STREAM_RESULT)
        return 0;
    line = fcntl(j->line, F_DUPFD_CLOEXEC, STREAM_COUNT);
    if (line >= 0)
        j->line = line;
    return line >= 0 ? 0 : -1;
}

/* The lowest descriptor from `from` on that is still needed; ~0U: none. */
static unsigned next_needed(const struct jail *j, unsigned from)
{
    enum { FIRST = 4 };
    int needed[FIRST + STREAM_COUNT + CGROUP_DIRS] = { j->line, j->owner, j->chance, j->sysctls };
    unsigned next = ~0U;

    memcpy(needed + FIRST, j->streams, sizeof j->streams);
    for (int i = 0; i < CGROUP_DIRS; i++)
        needed[FIRST + STREAM_COUNT + i] = i < j->cgroup.count ? j->cgroup.dirs[i].tasks : -1;
    for (size_t i = 0; i < COUNT(needed); i++)
        if (needed[i] >= 0 && (unsigned)needed[i] >= from && (unsigned)needed[i] < next)
            next = (unsigned)needed[i];
    return next;
}

/* What the supervisor had open is not ours: a pipe we held would never break. */
int stage_close_others(struct child *c)
{
    for (unsigned from = 3;;) {
        unsigned next = next_needed(c->jail, from);

        if (next > from && syscall(SYS_close_range, from, next - 1, 0) != 0)
            return -1;
        if (next == ~0U)
            return 0;
        from = next + 1;
    }
}
