/* SPDX-License-Identifier: Apache-2.0 */
/* jail.c: grants and limits, laid out as arrays that the new process walks over. */
#include "sandbox/jail.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/doors.h"
#include "sandbox/ids.h"

/* Numbers that no user has: what a privileged caller's commands are on the host. */
enum { PRIVATE_IDS = 2000000000, PRIVATE_SPREAD = 65536 };

enum { FILE_BYTES_MAX = 1 << 30 }; /* the largest file it may write */

/* clang-format off */
const struct own_dir own_dirs[OWN_DIRS] = {
    { "/dev",       OWN_WAY },
    { "/dev/shm",   OWN_SCRATCH },
    { "/etc",       OWN_ROOT },
    { "/home",      OWN_WAY },
    { "/home/writ", OWN_SCRATCH },
    { "/proc",      OWN_ROOT },
    { "/run",       OWN_SCRATCH },
    { "/tmp",       OWN_SCRATCH },
};
/* clang-format on */

/* ---- arrays ---- */

struct layout {
    struct jail *jail;
    struct arena *a;
    size_t dir_room, file_room;
};

static void add_dir(struct layout *l, const char *path)
{
    struct jail *j = l->jail;

    for (size_t i = 0; i < j->dir_count; i++)
        if (strcmp(j->dirs[i], path) == 0)
            return;
    j->dirs = arena_more(l->a, j->dirs, j->dir_count, &l->dir_room, sizeof *j->dirs);
    j->dirs[j->dir_count++] = path;
}

/* Every directory on the way to a path, and the path itself if it is one. */
static void add_way(struct layout *l, const char *to, bool is_dir)
{
    for (const char *slash = strchr(to, '/'); slash; slash = strchr(slash + 1, '/'))
        add_dir(l, arena_text(l->a, (struct str){ to, (size_t)(slash - to) }));
    if (is_dir)
        add_dir(l, to);
}

static void add_file(struct layout *l, const char *path, const char *text)
{
    struct jail *j = l->jail;

    j->files = arena_more(l->a, j->files, j->file_count, &l->file_room, sizeof *j->files);
    j->files[j->file_count++] = (struct jail_file){ path, text };
}

/* ---- mounts ---- */

static struct jail_mount mount_of(const struct grant *g, bool privileged)
{
    struct jail_mount m = { .from = g->instead ? g->instead : g->path,
                            .to = g->path + 1,
                            .writable = g->access == ACCESS_WRITE,
                            .is_link = g->is_link,
                            .owned = privileged && g->why != GRANT_SYSTEM,
                            .tree = -1,
                            .dev = g->dev,
                            .ino = g->ino };

    if (g->access == ACCESS_DENIED)
        m.kind = g->is_dir ? MOUNT_MASK_DIR : MOUNT_MASK_FILE;
    return m;
}

static bool is_shown(const struct grants *g, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (path_is_in(g->v[i].path, g->v[k].path))
            return true;
    return false;
}

static void lay_mounts(struct layout *l, const struct grants *g)
{
    struct jail *j = l->jail;

    j->mounts = arena_alloc(l->a, g->n * sizeof *j->mounts);
    j->rules = arena_alloc(l->a, (g->n + OWN_DIRS) * sizeof *j->rules);
    for (size_t i = 0; i < g->n; i++) {
        struct jail_mount m = mount_of(&g->v[i], j->privileged);

        m.shown = is_shown(g, i);
        if (!m.shown) {
            add_way(l, m.to, g->v[i].is_dir);
            if (!g->v[i].is_dir)
                add_file(l, m.to, "");
        }
        j->mounts[j->mount_count++] = m;
        if (m.kind == MOUNT_TREE && g->v[i].access != ACCESS_PROTECTED)
            j->rules[j->rule_count++] = (struct jail_rule){ g->v[i].path, m.writable };
    }
    for (size_t i = 0; i < OWN_DIRS; i++)
        if (own_dirs[i].use == OWN_SCRATCH)
            j->rules[j->rule_count++] = (struct jail_rule){ own_dirs[i].path, true };
}

static void lay_files(struct layout *l)
{
    const struct jail *j = l->jail;

    add_file(l, "etc/passwd",
             arena_printf(l->a, "writ:x:%u:%u:writ:/home/writ:/bin/sh\n", j->uid, j->gid));
    add_file(l, "etc/group", arena_printf(l->a, "writ:x:%u:\n", j->gid));
    add_file(l, "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    if (!j->host_network)
        add_file(l, "etc/hosts", "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 writ\n");
    if (j->door_count)
        add_file(l, "etc/resolv.conf", "nameserver 127.0.0.1\n");
}

/* ---- who it is ---- */

static bool has_rights(void)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[2] = { 0 };

    return geteuid() == 0 && syscall(SYS_capget, &head, data) == 0 &&
           (data[0].effective & (1U << CAP_SYS_ADMIN)) && (data[0].effective & (1U << CAP_SETUID));
}

/* An ordinary caller's command is the caller. A privileged caller's is the owner of the working
 * directory; where that is root itself, a number without any meaning, whose files the host's root
 * owns through mapped mounts. It is never root outside. */
static void choose_identity(const struct jail_ask *ask, struct arena *a, struct jail *j)
{
    uid_t number = PRIVATE_IDS + (uid_t)getpid() % PRIVATE_SPREAD;

    j->privileged = has_rights();
    j->uid = j->privileged ? ask->owner : geteuid();
    j->gid = j->privileged ? ask->group : getegid();
    if (!j->privileged) {
        j->outside = geteuid();
        j->outside_group = getegid();
        return;
    }
    j->outside = j->uid == 0 ? ids_user(number, a) : j->uid;
    j->outside_group = j->uid == 0 || j->gid == 0 ? ids_group(number, a) : j->gid;
}

/* ---- limits ---- */

static void choose_calls(const struct jail_ask *ask, struct jail *j)
{
    struct seccomp_policy policy = { .fork = ask->allow_fork ? FORK_FREE : FORK_NEVER,
                                     .count_threads = ask->allow_fork && ask->count_threads,
                                     .count_forks = !ask->allow_fork && ask->count_threads,
                                     .ask_sockets = ask->ask_use && !ask->host_network,
                                     .ask_ipc = ask->ask_use,
                                     .inet = true,
                                     .no_setid = true,
                                     .count_filters = true,
                                     .held = ask->held != NULL };

    j->asks = true;
    seccomp_build(&policy, &j->seccomp);
}

static void lay_doors(struct layout *l, const struct hosts *hosts)
{
    struct door *doors = arena_alloc(l->a, DOORS_MAX * sizeof *doors);
    size_t left; /* nobody is let in with such a list */

    l->jail->door_count = doors_plan(hosts, doors, &left);
    l->jail->doors = doors;
}

void jail_build(const struct jail_ask *ask, struct arena *a, struct jail *out)
{
    const struct program *p = ask->program;
    struct layout l = { .jail = out, .a = a };

    *out = (struct jail){ .argv = ask->argv,
                          .env = ask->env,
                          .cwd = ask->cwd,
                          .links = p->links.v,
                          .link_count = p->links.n,
                          .layers = ask->layers,
                          .host_network = ask->host_network,
                          .file_bytes = FILE_BYTES_MAX,
                          .owner = -1,
                          .chance = -1,
                          .watched = -1,
                          .streams = { -1, -1, -1, -1 },
                          .line = -1,
                          .far_end = -1 };
    if (ask->held)
        out->held = *ask->held;
    out->dev = p->dev;
    out->ino = p->ino;
    out->path = grants_decide(ask->grants, p->path) ? p->path : p->real;
    out->scratch_size = arena_printf(a, "%lldm", (long long)ask->memory_mb / 2);
    choose_identity(ask, a, out);
    out->cores = (int)ask->cpu_cores;
    choose_calls(ask, out);
    for (size_t i = 0; i < OWN_DIRS; i++)
        add_dir(&l, own_dirs[i].path + 1);
    lay_mounts(&l, ask->grants);
    if (ask->hosts)
        lay_doors(&l, ask->hosts);
    lay_files(&l);
}
