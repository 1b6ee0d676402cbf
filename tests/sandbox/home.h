/* SPDX-License-Identifier: Apache-2.0 */
/* home.h: groups of its own for a test, so that it can be told what the code under test did.
 *
 * home_run() makes a group in every hierarchy, runs the tests inside it, as root or as another user
 * to whom the groups were given, and fails when they left anything behind. It finds the directories
 * on its own, by the simplest way that holds on a plain machine.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOME_MEMORY, HOME_PIDS, HOME_CPU, HOME_DIRS };

static const char *const home_names[HOME_DIRS] = { "memory", "pids", "cpu" };

/* By controller; on version 2 they are all the same. */
static struct home {
    bool v2;
    char dir[600];
} homes[HOME_DIRS];
static char home_above[HOME_DIRS][512];

static inline bool home_write(const char *dir, const char *file, const char *text)
{
    char path[2048];
    FILE *f;
    bool ok;

    (void)snprintf(path, sizeof path, "%s/%s", dir, file);
    f = fopen(path, "we");
    ok = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && ok;
}

/* The text of a file, or "". */
static inline const char *home_read(const char *dir, const char *file)
{
    static char text[4096];
    char path[2048];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, file);
    f = fopen(path, "re");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        (void)fclose(f);
    return text;
}

/* The path of this process's group, of version 1 with that controller or of version 2. */
static inline bool home_group(const char *controller, bool *v2, char *out, size_t size)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[1024], list[128], path[512];
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        if (sscanf(line, "0::%511[^\n]", path) == 1)
            found = *v2 = true;
        else if (sscanf(line, "%*d:%127[^:]:%511[^\n]", list, path) == 2)
            for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
                found |= strcmp(word, controller) == 0;
    }
    if (f)
        (void)fclose(f);
    (void)snprintf(out, size, "%s", strcmp(path, "/") == 0 ? "" : path);
    return found;
}

static inline bool home_find(int i)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    char group[512];
    struct mntent *m;
    bool found = false;

    homes[i].v2 = false;
    if (!home_group(home_names[i], &homes[i].v2, group, sizeof group))
        return false;
    while (mounts && !found && (m = getmntent(mounts))) {
        found = homes[i].v2 ? strcmp(m->mnt_type, "cgroup2") == 0
                            : strcmp(m->mnt_type, "cgroup") == 0 && hasmntopt(m, home_names[i]);
        (void)snprintf(home_above[i], sizeof home_above[i], "%s%s", m->mnt_dir, group);
    }
    if (mounts)
        (void)endmntent(mounts);
    return found && access(home_above[i], W_OK) == 0;
}

static inline bool home_make(int i, int number, uid_t user)
{
    static const char *const given[] = { ".", "cgroup.procs", "cgroup.subtree_control", "tasks" };
    struct home *h = &homes[i];
    char path[2048];

    (void)snprintf(h->dir, sizeof h->dir, "%s/writ-test-%d", home_above[i], number);
    (void)snprintf(path, sizeof path, "+%s", home_names[i]);
    if (h->v2 && !home_write(home_above[i], "cgroup.subtree_control", path))
        return false;
    if (mkdir(h->dir, 0755) != 0 && access(h->dir, W_OK) != 0)
        return false;
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        (void)snprintf(path, sizeof path, "%s/%s", h->dir, given[k]);
        if (chown(path, user, user) != 0 && k == 0)
            return false;
    }
    return true;
}

static inline bool home_ends(const char *dir)
{
    int pid;

    for (const char *at = home_read(dir, "cgroup.procs"); sscanf(at, "%d", &pid) == 1;
         at += strcspn(at, "\n") + 1)
        (void)kill(pid, SIGKILL);
    for (int i = 0; i < 1000 && rmdir(dir) != 0 && errno == EBUSY; i++)
        (void)poll(NULL, 0, 1);
    return access(dir, F_OK) != 0;
}

/* True if there was nothing but what the kernel put there, and the leaf that version 2 needs. What
 * a test that failed has left is ended, too. */
static inline bool home_remove(int i)
{
    DIR *d = opendir(homes[i].dir);
    char path[1024];
    bool clean = true;

    for (struct dirent *entry; d && (entry = readdir(d));)
        if (strncmp(entry->d_name, "writ-", 5) == 0) {
            (void)snprintf(path, sizeof path, "%s/%s", homes[i].dir, entry->d_name);
            clean = home_ends(path) && strcmp(entry->d_name, "writ-supervisor") == 0 && clean;
        }
    if (d)
        (void)closedir(d);
    return home_ends(homes[i].dir) && clean;
}

static inline int home_inside(int (*tests)(void), uid_t user)
{
    for (int i = 0; i < HOME_DIRS; i++)
        if (!home_write(homes[i].dir, "cgroup.procs", "0"))
            return 1;
    if (user && (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0))
        return 1;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* Made non-dumpable by that; it would not be, had it been started by this user. */
    (void)prctl(PR_SET_DUMPABLE, 1);
    return tests();
}

static inline int home_skip(const char *why)
{
    (void)printf("1..0 # SKIP %s\n", why);
    return 0;
}

static inline int home_run(int (*tests)(void), uid_t user)
{
    int status = 1, clean = 1;
    pid_t pid;

    if (geteuid() != 0)
        return home_skip("only root can give groups to a test");
    for (int i = 0; i < HOME_DIRS; i++)
        if (!home_find(i))
            return home_skip("this process has no place to make control groups in");
    for (int i = 0; i < HOME_DIRS; i++)
        if (!home_make(i, getpid(), user))
            clean = 0;
    (void)fflush(stdout);
    pid = clean ? fork() : -1;
    if (pid == 0)
        _exit(home_inside(tests, user));
    if (pid > 0)
        (void)waitpid(pid, &status, 0);
    for (int i = 0; i < HOME_DIRS; i++)
        if (!home_remove(i)) {
            (void)printf("# left behind: something in %s\n", homes[i].dir);
            clean = 0;
        }
    return status != 0 || !clean;
}
