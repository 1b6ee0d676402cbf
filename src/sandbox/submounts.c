/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.c: looks through the list of mounts for file systems that are no files. */
#include "sandbox/submounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/num.h"
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

/* ---- which are seen ---- */

struct seen {
    struct mountinfo line;
    const char *point;
    int64_t id, on; /* on which other; the first of all is on none */
    bool under;     /* another is mounted on the whole of it */
    bool passed;    /* who walks to it turns off into another before */
};

/* '/' goes before all, so that what lies in a directory follows it at once. */
static int compare_paths(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    if (*a && *b && (*a == '/') != (*b == '/'))
        return *a == '/' ? -1 : 1;
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_place(const void *left, const void *right)
{
    const struct seen *a = *(struct seen *const *)left, *b = *(struct seen *const *)right;

    return a->on != b->on ? (a->on < b->on ? -1 : 1) : compare_paths(a->point, b->point);
}

static int by_id(const void *left, const void *right)
{
    const struct seen *a = *(struct seen *const *)left, *b = *(struct seen *const *)right;

    return (a->id > b->id) - (a->id < b->id);
}

static struct seen *find(struct seen **by, size_t n, int64_t id)
{
    struct seen wanted = { .id = id }, *key = &wanted, **found;

    found = bsearch(&key, by, n, sizeof *by, by_id);
    return found ? *found : NULL;
}

/* Of two that are on the same mount, one below the other, the upper one is entered first, and leads
 * past the lower one, whichever came later. */
static void find_covered(struct seen **by, size_t n)
{
    const struct seen *upper = NULL;

    qsort(by, n, sizeof *by, by_place);
    for (size_t i = 0; i < n; i++) {
        bool below = upper && upper->on == by[i]->on && path_is_in(by[i]->point, upper->point);

        by[i]->passed = below && strcmp(by[i]->point, upper->point) != 0;
        if (!below)
            upper = by[i];
    }
    qsort(by, n, sizeof *by, by_id);
    for (size_t i = 0; i < n; i++) {
        struct seen *on = find(by, n, by[i]->on);

        if (on && strcmp(on->point, by[i]->point) == 0)
            on->under = true;
    }
}

/* What is mounted in something that is passed is passed as well. */
static bool is_covered(struct seen **by, size_t n, const struct seen *m)
{
    bool covered = m->under;

    for (size_t i = 0; i < n && m && !covered; i++) { /* no more than there are */
        covered = m->passed;
        m = find(by, n, m->on);
    }
    return covered;
}

/* ---- the lists ---- */

static void look_at(struct arena *a, const struct seen *m, bool covered, struct submounts *all)
{
    const struct mountinfo *line = &m->line;

    if (is_kernels_own(line->type)) {
        all->points = arena_more(a, all->points, all->n, &all->room, sizeof *all->points);
        all->points[all->n++] = m->point;
    } else if (!covered) {
        all->disks =
            arena_more(a, all->disks, all->disk_count, &all->disk_room, sizeof *all->disks);
        all->disks[all->disk_count++] =
            (struct disk){ arena_text(a, line->device), plain(line->root, a), m->point };
    }
}

static bool take(struct str line, struct arena *a, struct seen *out)
{
    struct seen m = { 0 };

    if (!mountinfo_line(line, &m.line) || !num_int(m.line.id, &m.id) ||
        !num_int(m.line.parent, &m.on))
        return false;
    m.point = plain(m.line.point, a);
    if (m.on == m.id)
        m.on = -1;
    *out = m;
    return true;
}

struct submounts submounts_of(struct str list, struct arena *a)
{
    struct submounts all = { 0 };
    struct seen *v = NULL, **by;
    size_t n = 0, room = 0;

    while (list.n > 0) {
        v = arena_more(a, v, n, &room, sizeof *v);
        n += take(str_cut(&list, "\n"), a, &v[n]);
    }
    by = arena_alloc(a, (n + 1) * sizeof *by);
    for (size_t i = 0; i < n; i++)
        by[i] = &v[i];
    find_covered(by, n);
    for (size_t i = 0; i < n; i++)
        look_at(a, &v[i], is_covered(by, n, &v[i]), &all);
    return all;
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
    struct str list;

    if (!fs_read("/proc/self/mountinfo", LIST_MAX, a, &list, e))
        return error_wrap(e, "/proc/self/mountinfo");
    *out = submounts_of(list, a);
    return true;
}
