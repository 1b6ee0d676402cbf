/* SPDX-License-Identifier: Apache-2.0 */
/* box.h: a directory of files as a run may leave them, and a job that collects from it.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "contract/codes.h"
#include "sandbox/collect.h"

struct box {
    char path[64];
    struct arena a;
    struct collect_job job;
    struct collected_list list;
    struct error e;
};

static inline int box_setup(void **state)
{
    struct box *b = calloc(1, sizeof *b);

    assert_non_null(b);
    strcpy(b->path, "/dev/shm/writ-collect-XXXXXX"); /* a disk would take its time */
    if (!mkdtemp(b->path)) {
        strcpy(b->path, "/tmp/writ-collect-XXXXXX");
        assert_non_null(mkdtemp(b->path));
    }
    assert_int_equal(chmod(b->path, 0755), 0);
    b->job.root = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    b->job.store = -1;
    b->job.ceiling = 10485760;
    b->job.count_max = 1000;
    assert_true(b->job.root >= 0);
    *state = b;
    return 0;
}

static inline int box_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline int box_teardown(void **state)
{
    struct box *b = *state;

    if (getuid() == 0) /* a test that failed may have left it as somebody else */
        assert_int_equal(seteuid(0), 0);
    (void)close(b->job.root);
    if (b->job.store >= 0)
        (void)close(b->job.store);
    assert_int_equal(nftw(b->path, box_remove, 16, FTW_DEPTH | FTW_PHYS), 0);
    arena_free(&b->a);
    free(b);
    return 0;
}

static inline void box_folder(const struct box *b, const char *path)
{
    assert_int_equal(mkdirat(b->job.root, path, 0755), 0);
}

static inline void box_file(const struct box *b, const char *path, const char *content)
{
    _fd_ int fd = openat(b->job.root, path, O_WRONLY | O_CREAT | O_EXCL, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
}

static inline void box_sparse(const struct box *b, const char *path, off_t size)
{
    _fd_ int fd = openat(b->job.root, path, O_WRONLY | O_CREAT, 0644);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
}

static inline void box_collect(struct box *b, const char *path)
{
    if (!collect_file(&b->job, str_of(path), &b->a, &b->list, &b->e))
        fail_msg("%s", b->e.msg);
}

static inline void box_glob(struct box *b, const char *pattern)
{
    if (!collect_glob(&b->job, str_of(pattern), &b->a, &b->list, &b->e))
        fail_msg("%s", b->e.msg);
}

/* The list as text: "path state bytes; ..". */
static inline const char *box_said(struct box *b)
{
    const char *all = "";

    for (size_t i = 0; i < b->list.n; i++) {
        const struct collected *c = &b->list.v[i];

        all = arena_printf(&b->a, "%s%s%s %s %lld", all, i ? "; " : "", c->path.s,
                           collect_state_names[c->state], (long long)c->bytes);
    }
    return all;
}
