/* SPDX-License-Identifier: Apache-2.0 */
/* jail.c: grants and limits as lists, for a run on the host's own disk. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/environment.h"
#include "sandbox/process.h"

enum { NO_GROUP = 65534 }; /* in place of root's */

/* ---- paths ---- */

static void lay_rules(const struct grants *g, const struct scratch *scratch, struct arena *a,
                      struct jail *jail)
{
    jail->rules = arena_alloc(a, (g->n + COUNT(scratch->rules)) * sizeof *jail->rules);
    jail->rule_count = 0;
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access <= ACCESS_WRITE)
            jail->rules[jail->rule_count++] =
                (struct jail_rule){ g->v[i].path, g->v[i].access == ACCESS_WRITE, g->v[i].dev,
                                    g->v[i].ino };
    for (size_t i = 0; i < COUNT(scratch->rules); i++)
        jail->rules[jail->rule_count++] = scratch->rules[i];
}

/* ---- environment ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What somebody asked for stays as it is. */
static char *const *with_scratch(char *const *env, const struct scratch *scratch, struct arena *a)
{
    size_t n = 0;
    char **out;
    bool has_tmp = false;

    while (env[n])
        n++;
    out = arena_alloc(a, (n + 2) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        out[i] = env[i];
        if (strcmp(env[i], "HOME=" ENVIRONMENT_HOME) == 0)
            out[i] = arena_printf(a, "HOME=%s", scratch->rules[0].path);
        has_tmp = has_tmp || strncmp(env[i], "TMPDIR=", strlen("TMPDIR=")) == 0;
    }
    if (!has_tmp)
        out[n++] = arena_printf(a, "TMPDIR=%s", scratch->rules[1].path);
    qsort(out, n, sizeof *out, by_text);
    return out;
}

/* ---- who it is ---- */

static void choose_identity(const struct process_ask *ask, struct jail *jail)
{
    jail->privileged = geteuid() == 0;
    jail->uid = jail->outside = jail->privileged ? ask->owner : geteuid();
    jail->gid = jail->privileged ? ask->group : getegid();
    if (jail->privileged && jail->gid == 0)
        jail->gid = NO_GROUP;
    jail->outside_group = jail->gid;
}

/* A directory of /proc belongs to who the process is; one that is not dumpable seems to be root's,
 * and what it adds to the count is too little by that. */
int64_t process_tasks_of(uid_t uid)
{
    DIR *in = opendir("/proc");
    int64_t tasks = 0;

    if (!in)
        return 0;
    for (const struct dirent *d = readdir(in); d; d = readdir(in)) {
        char path[300];
        struct stat s;

        if (d->d_name[0] < '1' || d->d_name[0] > '9')
            continue;
        (void)snprintf(path, sizeof path, "%s/task", d->d_name);
        if (fstatat(dirfd(in), path, &s, 0) == 0 && s.st_uid == uid)
            tasks += (int64_t)s.st_nlink - 2;
    }
    (void)closedir(in);
    return tasks;
}

bool process_lay(const struct process_ask *ask, struct arena *a, struct jail *jail,
                 struct scratch *scratch, struct error *e)
{
    const struct request_processes *processes = ask->limits->processes;
    struct seccomp_policy policy = {
        .fork = processes->allow_fork && processes->max_children > 0 ? FORK_FREE : FORK_NEVER,
        .no_setid = true,
        .count_filters = true,
        .hosted = true,
    };

    choose_identity(ask, jail);
    if (!scratch_make(ask->state, jail->uid, jail->gid, a, scratch, e))
        return false;
    policy.count_threads = policy.fork == FORK_FREE && (jail->layers & (1U << LAYER_CGROUP));
    jail->hosted = jail->asks = true;
    jail->mount_count = jail->dir_count = jail->file_count = 0;
    jail->env = with_scratch(jail->env, scratch, a);
    lay_rules(ask->grants, scratch, a, jail);
    seccomp_build(&policy, &jail->seccomp);
    return true;
}
