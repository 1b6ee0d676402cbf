/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.c: looks through the list of mounts for file systems that are no files. */
#include "sandbox/submounts.h"

#include <string.h>

#include "base/fs.h"
#include "contract/codes.h"

enum { LIST_MAX = 16 << 20 };

static const char *const kernels_own[] = {
    "autofs",     "binfmt_misc", "bpf",       "cgroup", "cgroup2", "configfs", "debugfs",
    "devpts",     "devtmpfs",    "efivarfs",  "mqueue", "nsfs",    "proc",     "pstore",
    "rpc_pipefs", "securityfs",  "selinuxfs", "sysfs",  "tracefs",
};

static struct str next_word(struct str *line)
{
    struct str word = { line->s, 0 };

    while (word.n < line->n && word.s[word.n] != ' ')
        word.n++;
    *line = (struct str){ line->s + word.n, line->n - word.n };
    while (line->n && line->s[0] == ' ')
        *line = (struct str){ line->s + 1, line->n - 1 };
    return word;
}

/* The kernel writes blanks and the like as \040. */
static char *unescaped(struct str word, struct arena *a)
{
    char *text = arena_text(a, word), *to = text;

    for (const char *p = text; *p; p++) {
        if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] && p[3]) {
            *to++ = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 3;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
    return text;
}

static bool is_kernels_own(struct str type)
{
    for (size_t i = 0; i < COUNT(kernels_own); i++)
        if (str_is(type, kernels_own[i]))
            return true;
    return false;
}

static bool is_granted(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access <= ACCESS_WRITE && path_is_in(path, g->v[i].path))
            return true;
    return false;
}

/* 36 35 98:0 /root /mount/point options tags... - type source options */
static void look_at(struct arena *a, struct str line, struct submounts *all)
{
    struct str point = { 0 }, word;

    for (int i = 0; i < 5; i++)
        point = next_word(&line);
    do {
        word = next_word(&line);
    } while (word.n && !str_is(word, "-"));
    if (is_kernels_own(next_word(&line))) {
        all->points = arena_more(a, all->points, all->n, &all->room, sizeof *all->points);
        all->points[all->n++] = unescaped(point, a);
    } else {
        all->disks =
            arena_more(a, all->disks, all->disk_count, &all->disk_room, sizeof *all->disks);
        all->disks[all->disk_count++] = unescaped(point, a);
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
        if (is_written_around(g, all->disks[i]))
            return error_set(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING:mount: %s is a file system of its own below a "
                             "directory that is written, and write mode cow does not reach into "
                             "it; deny it, or use write mode direct",
                             all->disks[i]);
    return true;
}

void submounts_deny(const struct submounts *all, struct grants *g)
{
    for (size_t i = 0; i < all->n; i++) {
        struct grant denied = { .access = ACCESS_DENIED,
                                .why = "the kernel's own",
                                .path = all->points[i] };
        struct stat s;

        if (!is_granted(g, denied.path) || lstat(denied.path, &s) != 0)
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
        const char *end = memchr(list.s, '\n', list.n);
        size_t n = end ? (size_t)(end - list.s) : list.n;

        look_at(a, (struct str){ list.s, n }, &all);
        n += end != NULL;
        list = (struct str){ list.s + n, list.n - n };
    }
    *out = all;
    return true;
}
