/* SPDX-License-Identifier: Apache-2.0 */
/* stages_command.c: the stages of the command: limits, and the locks that it carries with it. */
#include "sandbox/stages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/pass.h"
#include "sandbox/held_tracer.h"
#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/place.h"

/* Who has been heard waits for the answer, whatever signal comes. Newer than Linux 5.18. */
enum { WAIT_KILLABLE_RECV = 1 << 5 };

int stage_be_traced(struct child *c)
{
    return tracer_begin(&c->jail->held);
}

/* As late as can be: what is built before is not the command's, and would be slowed by its quota.
 */
int stage_enter_cgroup(struct child *c)
{
    int tasks[PASS_MOST];
    char word = 0;
    ssize_t came;

    if (!c->jail->late_groups)
        return cgroup_enter(&c->jail->cgroup);
    if (!stage_hears(c->jail))
        return STAGE_UNWANTED;
    came = pass_hear(c->jail->line, &word, sizeof word, 0, tasks);
    if (came != 1 || word != WORD_GROUPS)
        return came < 0 ? -1 : STAGE_UNWANTED;
    for (size_t i = 0; i < PASS_MOST && tasks[i] >= 0; i++)
        if (write(tasks[i], "0", 1) != 1)
            return -1;
    return 0;
}

/* A01-10: as many CPUs as cores, beginning with the one we are on: nothing has to move. In a slot,
 * with the one that who will hand it over was on: what is made ahead is made on others. */
int stage_set_cpus(struct child *c)
{
    cpu_set_t mine, few;
    const struct place *place = c->jail->place;
    int here = place && place->ahead ? place->cpu : sched_getcpu();

    CPU_ZERO(&few);
    if (here < 0 || sched_getaffinity(0, sizeof mine, &mine) != 0)
        return -1;
    for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&few) < c->jail->cores; k++)
        if (CPU_ISSET((here + k) % CPU_SETSIZE, &mine))
            CPU_SET((here + k) % CPU_SETSIZE, &few);
    return sched_setaffinity(0, sizeof few, &few);
}

/* Where it lies there already, it would be closed by exec. */
static int set_stream(int from, int to)
{
    return from == to ? fcntl(to, F_SETFD, 0) : dup2(from, to);
}

/* Landlock lets it open the /dev/null of its own /dev again, as /dev/stdin, and not the host's. */
static void own_null(void)
{
    struct stat s;
    int fd;

    if (fstat(0, &s) != 0 || !S_ISCHR(s.st_mode) || s.st_rdev != makedev(1, 3))
        return;
    fd = open("/dev/null", fcntl(0, F_GETFL) & O_ACCMODE);
    if (fd < 0)
        return;
    (void)dup2(fd, 0);
    (void)close(fd);
}

int stage_set_streams(struct child *c)
{
    static const unsigned char none[SIGNALS / 8]; /* a set of signals, as the kernel counts them */
    const struct jail *j = c->jail;

    for (int i = 0; i < STREAM_COUNT; i++)
        if ((i < STREAM_RESULT || j->streams[i] >= 0) && set_stream(j->streams[i], i) < 0)
            return -1;
    if (!j->hosted)
        own_null();
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, sizeof none);
    return setpgid(0, 0);
}

int stage_enter_cwd(struct child *c)
{
    return chdir(c->jail->cwd);
}

int stage_enter_landlock(struct child *c)
{
    return landlock_enter(c->jail);
}

/* Hands the descriptor on which threads are asked for to the supervisor. */
static int send_listener(int line, int listener)
{
    const struct word word = { .kind = WORD_LISTENER };

    return pass_send(line, &word, sizeof word, &listener, 1) ? 0 : -1;
}

int stage_enter_seccomp(struct child *c)
{
    struct sock_fprog program = { c->jail->seccomp.count, c->jail->seccomp.code };
    bool listens = c->jail->asks;
    unsigned flags = listens ? SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE_RECV : 0;
    long got = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

    if (got < 0 && errno == EINVAL && listens)
        got = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &program);

    if (got < 0 || !listens)
        return (int)got;
    return send_listener(c->jail->line, (int)got);
}

/* What is started is what was found and is digested; what lies below a layer is known by its number
 * alone. */
int stage_check_program(struct child *c)
{
    struct stat s;

    if (stat(c->jail->path, &s) != 0)
        return -1;
    errno = EACCES; /* it is denied, or was swapped */
    return (c->jail->dev == 0 || s.st_dev == c->jail->dev) && s.st_ino == c->jail->ino ? 0 : -1;
}

enum { COMMANDS_DESCRIPTORS = 1024 };

/* Only 0, 1 and 2 stay open, and 3 where a result is asked for. */
int stage_start_command(struct child *c)
{
    unsigned first = c->jail->streams[STREAM_RESULT] >= 0 ? STREAM_COUNT : STREAM_RESULT;
    struct word word = { .kind = WORD_READY };

    if (syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) != 0 ||
        stage_set_limit(RLIMIT_NOFILE, COMMANDS_DESCRIPTORS) != 0 ||
        send(c->jail->line, &word, sizeof word, MSG_NOSIGNAL) < 0)
        return -1;
    return execve(c->jail->path, c->jail->argv, c->jail->env);
}

/* That it runs is on record: then, and not before, it may. */
int stage_wait_for_permit(struct child *c)
{
    return stage_wait_for(c, WORD_RUN);
}
