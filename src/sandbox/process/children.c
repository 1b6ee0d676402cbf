/* SPDX-License-Identifier: Apache-2.0 */
/* children.c: holds the number of processes where no group counts them.
 *
 * The kernel's own limit is on the user: whatever else he runs counts as well. It leaves room for
 * that, and the processes of a run are counted here, from init on.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process.h"
#include "sandbox/process.h"

enum { COUNTED = 1024, AT_ONCE = 64 };

struct tree {
    pid_t v[COUNTED]; /* parents before their children, the older before the younger */
    size_t n;
};

/* Who is dead and not waited for takes no place; whose first thread alone has ended lives. */
static void add(struct tree *t, pid_t pid)
{
    struct process found;

    if (t->n < COUNTED && process_look(pid, &found) && !(found.state == 'Z' && found.threads <= 1))
        t->v[t->n++] = pid;
}

static void add_of_thread(struct tree *t, int tasks, const char *thread)
{
    char name[300], text[8 << 10], *at = text, *end;
    ssize_t n;
    _fd_ int fd = -1;

    (void)snprintf(name, sizeof name, "%s/children", thread);
    fd = openat(tasks, name, O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    text[n > 0 ? n : 0] = '\0';
    for (pid_t pid = (pid_t)strtol(at, &end, 10); end != at; pid = (pid_t)strtol(at, &end, 10)) {
        add(t, pid);
        at = end;
    }
}

static void add_of(struct tree *t, pid_t pid)
{
    char path[64];
    DIR *tasks;

    (void)snprintf(path, sizeof path, "/proc/%d/task", pid);
    tasks = opendir(path);
    for (const struct dirent *d = tasks ? readdir(tasks) : NULL; d; d = readdir(tasks))
        if (d->d_name[0] != '.')
            add_of_thread(t, dirfd(tasks), d->d_name);
    if (tasks)
        (void)closedir(tasks);
}

static void look(pid_t init, struct tree *t)
{
    t->n = 0;
    add_of(t, init);
    for (size_t i = 0; i < t->n; i++)
        add_of(t, t->v[i]);
}

static bool has(const struct tree *t, pid_t pid)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i] == pid)
            return true;
    return false;
}

/* A number may be another's by now. Who had it when the handle was made, and lives, has it still:
 * it was in the tree after that. */
int64_t process_end_excess(pid_t init, int64_t most)
{
    struct tree before = { .n = 0 }, now = { .n = 0 };
    int handles[AT_ONCE];
    int64_t ended = 0;
    size_t excess;

    look(init, &before);
    excess = (int64_t)before.n > most ? before.n - (size_t)most : 0;
    excess = excess < AT_ONCE ? excess : AT_ONCE;
    for (size_t i = 0; i < excess; i++)
        handles[i] = (int)syscall(SYS_pidfd_open, before.v[before.n - 1 - i], 0);
    if (excess > 0)
        look(init, &now);
    for (size_t i = 0; i < excess; i++) {
        if (handles[i] < 0)
            continue;
        ended += has(&now, before.v[before.n - 1 - i]) &&
                 syscall(SYS_pidfd_send_signal, handles[i], SIGKILL, NULL, 0) == 0;
        (void)close(handles[i]);
    }
    return ended;
}
