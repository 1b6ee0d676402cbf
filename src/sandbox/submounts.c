/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.c: looks through the list of mounts for file systems that are no files. */
#include "sandbox/submounts.h"

#include <string.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/mountinfo.h"

enum { LIST_MAX = 16 << 20 };

static const char *const kernels_own[] = {
    "autofs",     "binfmt_misc", "bpf",       "cgroup", "cgroup2", "configfs", "debugfs",
    "devpts",     "devtmpfs",    "efivarfs",  "mqueue", "nsfs",    "proc",     "pstore",
    "rpc_pipefs", "securityfs",  "selinuxfs", "sysfs",  "tracefs",
};

static const char *plain(struct str word, struct arena *a)
{
    char *text = arena_alloc(a, word.n + 1);

    (void)!mountinfo_plain(word, text, word.n + 1); /* it gets no longer */
    return text;
}

static bool is_kernels_own(struct str type)
{
    for (size_t i = 0; i < COUNT(kernels_own); i++)
        if (str_is(type, kernels_own[i]))
            return true;
    return false;
}

static void look_at(struct arena *a, const struct mountinfo *line, struct submounts *all)
{
    if (is_kernels_own(line->type)) {
        all->points = arena_more(a, all->points, all->n, &all->room, sizeof *all->points);
        all->points[all->n++] = plain(line->point, a);
    } else {
        all->disks =
            arena_more(a, all->disks, all->disk_count, &all->disk_room, sizeof *all->disks);
        all->disks[all->disk_count++] =
            (struct disk){ arena_text(a, line->device), plain(line->root, a),
                           plain(line->point, a) };
    }
}

/* Around the path and not the path itself, is there a directory that is written? And is it the last
 * word about the path? */
static bool is_written_around(const struct grants *g, const char *path)
{
    const struct grant *last = NULL;
    bool around = false;

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *in = &g->v[i];

        if (!path_is_in(path, in->path))
            continue;
        around = around || (in->access == ACCESS_WRITE && strcmp(path, in->path) != 0);
        if (!last || strlen(in->path) > strlen(last->path) ||
            (strcmp(in->path, last->path) == 0 && in->access > last->access))
            last = in;
    }
    return around && last->access == ACCESS_WRITE;
}

bool submounts_cover(const struct submounts *all, const struct grants *g, struct error *e)
{
    for (size_t i = 0; i < all->disk_count; i++)
        if (is_written_around(g, all->disks[i].point))
            return error_set(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING:mount: %s is a file system of its own below a "
                             "directory that is written, and write mode cow does not reach into "
                             "it; deny it, or use write mode direct",
                             all->disks[i].point);
    return true;
}

void submounts_deny(const struct submounts *all, struct grants *g)
{
    for (size_t i = 0; i < all->n; i++) {
        struct grant denied = { .access = ACCESS_DENIED,
                                .why = GRANT_KERNEL,
                                .path = all->points[i] };
        struct stat s;

        if (!grants_show(g, denied.path) || lstat(denied.path, &s) != 0)
            continue;
        denied.is_dir = S_ISDIR(s.st_mode);
        denied.dev = s.st_dev;
        denied.ino = s.st_ino;
        grants_add(g, &denied);
    }
}

bool submounts_read(struct arena *a, struct submounts *out, struct error *e)
{
    struct submounts all = { 0 };
    struct str list;

    if (!fs_read("/proc/self/mountinfo", LIST_MAX, a, &list, e))
        return error_wrap(e, "/proc/self/mountinfo");
    while (list.n > 0) {
        struct mountinfo line;

        if (mountinfo_line(str_cut(&list, "\n"), &line))
            look_at(a, &line, &all);
    }
    *out = all;
    return true;
}
