/* SPDX-License-Identifier: Apache-2.0 */
/* file.c: the small files of a control group, read and written. */
#include "sandbox/cgroup/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "base/num.h"
#include "contract/codes.h"

bool cgroup_write(int dir, const char *file, const char *text)
{
    _fd_ int fd = openat(dir, file, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, text, strlen(text)) >= 0;
}

bool cgroup_write_number(int dir, const char *file, int64_t n)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRId64, n);
    return cgroup_write(dir, file, text);
}

bool cgroup_limit(int dir, const char *file, int64_t n, struct error *e)
{
    return cgroup_write_number(dir, file, n) ||
           error_sys(e, CODE_LAYER_MISSING, "%s cannot be set to %" PRId64, file, n);
}

struct str cgroup_read(int dir, const char *file, char *text, size_t size)
{
    _fd_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size);

    if (n > 0 && text[n - 1] == '\n')
        n--;
    return (struct str){ text, n > 0 ? (size_t)n : 0 };
}

static int64_t find_number(struct str rest, const char *key)
{
    int64_t n = -1;

    while (rest.n) {
        struct str line = str_cut(&rest, "\n");

        if (!key || str_is(str_cut(&line, " "), key))
            return num_int(line, &n) ? n : -1;
    }
    return n;
}

int64_t cgroup_number(int dir, const char *file, const char *key)
{
    char text[4096];

    return find_number(cgroup_read(dir, file, text, sizeof text), key);
}

int64_t cgroup_number_of(int fd, const char *key)
{
    char text[4096];
    ssize_t n = pread(fd, text, sizeof text, 0);

    if (n > 0 && text[n - 1] == '\n')
        n--;
    return n > 0 ? find_number((struct str){ text, (size_t)n }, key) : -1;
}

/* ---- processes ---- */

/* Opened anew each time: on version 1 a file that stays open goes on showing its first list for up
 * to a second. */
int cgroup_each(int dir, const char *file, void (*each)(pid_t pid, void *self), void *self)
{
    _fd_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    char text[4096];
    int count = 0;
    pid_t pid = 0;
    ssize_t n;

    if (fd < 0)
        return -1;
    while ((n = read(fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] != '\n') {
                pid = pid * 10 + (text[i] - '0');
                continue;
            }
            if (each)
                each(pid, self);
            count++;
            pid = 0;
        }
    return n < 0 ? -1 : count;
}

int cgroup_each_process(int dir, void (*each)(pid_t pid, void *self), void *self)
{
    return cgroup_each(dir, "cgroup.procs", each, self);
}

/* A process of another pid namespace is shown as 0, and 0 would be our own process group. */
static void kill_one(pid_t pid, void *unused)
{
    (void)unused;
    if (pid > 1)
        (void)kill(pid, SIGKILL);
}

void cgroup_kill_each(int dir)
{
    (void)cgroup_each_process(dir, kill_one, NULL);
}

void cgroup_wait_us(int us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000L };

    (void)ppoll(NULL, 0, &t, NULL);
}
