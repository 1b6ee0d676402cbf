/* SPDX-License-Identifier: Apache-2.0 */
/* inner.c: the files of plans that are steps of a plan. */
#include "engine/plan/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ceilings.h"
#include "base/fs.h"
#include "base/openat2.h"
#include "contract/codes.h"

/* A pipe is opened without waiting for who writes to it, and then refused. Where a link has come
 * in between since the path was looked at, the path is no longer the one that was allowed. */
static bool read_regular(const char *real, struct arena *a, struct str *out, struct error *e)
{
    _fd_ int fd = kernel_openat2(AT_FDCWD, real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                                 RESOLVE_NO_SYMLINKS);
    struct stat st;

    if (fd < 0)
        return error_sys(e, ERROR_IO, "cannot be opened");
    if (fstat(fd, &st) != 0)
        return error_sys(e, ERROR_IO, "cannot be looked at");
    if (!S_ISREG(st.st_mode))
        return error_set(e, CODE_INVALID_PAYLOAD,
                         "is no regular file; the plan of a step is read from one");
    return fd_read(fd, (size_t)ceilings_default().v[CEILING_BYTES], a, out, e);
}

static struct inner_file *find(const struct inner *inner, const char *named)
{
    struct inner_file *f = inner->files;

    while (f && strcmp(f->named, named) != 0)
        f = f->next;
    return f;
}

struct inner_file *inner_find(const struct inner *inner, const char *named, const char *real)
{
    struct inner_file *f = find(inner, named);

    return f && strcmp(f->real, real) == 0 ? f : NULL;
}

static void add(struct inner *inner, const char *named, const char *real,
                const struct digest *digest)
{
    struct inner_file *f = arena_new(inner->a, struct inner_file);

    *f = (struct inner_file){ .named = arena_text(inner->a, str_of(named)),
                              .real = arena_text(inner->a, str_of(real)),
                              .digest = *digest,
                              .next = inner->files };
    inner->files = f;
}

bool inner_read(struct inner *inner, const char *named, const char *real, struct arena *a,
                struct str *out, struct error *e)
{
    const struct inner_file *before = find(inner, named);
    struct digest digest;

    if (!read_regular(real, a, out, e))
        return false;
    digest = digest_of(out->s, out->n);
    if (!before && !inner->settled) {
        add(inner, named, real, &digest);
        return true;
    }
    return (before && memcmp(&before->digest, &digest, sizeof digest) == 0) ||
           error_set(e, CODE_PLAN_MODIFIED,
                     "it was changed since the plan was checked; what a plan runs is not "
                     "changed while it runs");
}

bool inner_digest(const char *real, struct digest *out)
{
    _arena_ struct arena a = { 0 };
    struct error e;
    struct str text = { 0 };

    if (!read_regular(real, &a, &text, &e))
        return false;
    *out = digest_of(text.s, text.n);
    return true;
}

bool inner_modified(const char *real, const struct digest *was)
{
    struct digest now;

    if (!inner_digest(real, &now))
        return faccessat(AT_FDCWD, real, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
    return memcmp(&now, was, sizeof now) != 0;
}

bool inner_use(struct inner *inner, struct str id)
{
    struct inner_id *one;

    for (one = inner->ids; one; one = one->next)
        if (str_eq(one->id, id))
            return false;
    one = arena_new(inner->a, struct inner_id);
    *one = (struct inner_id){ str_of(arena_text(inner->a, id)), inner->ids };
    inner->ids = one;
    return true;
}
