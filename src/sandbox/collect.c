/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c: one file of a run, opened without following anything, hashed and kept. */
#include "sandbox/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/collect_store.h"
#include "sandbox/grants.h"

enum {
    COPY_BYTES = 64 * 1024,
    TRIES = 8, /* a rename anywhere on the machine may disturb the kernel's look-up */
};

const char *const collect_state_names[] = {
    [COLLECT_DONE] = "collected",
    [COLLECT_MISSING] = "missing",
    [COLLECT_SYMLINK] = "symlink_refused",
    [COLLECT_NOT_REGULAR] = "not_regular",
    [COLLECT_LINKED] = "linked",
    [COLLECT_OUTSIDE] = "outside",
    [COLLECT_TOO_LARGE] = "too_large",
    [COLLECT_UNREADABLE] = "unreadable",
    [COLLECT_WITHHELD] = "withheld",
    [COLLECT_NOT_KEPT] = "not_kept",
    [COLLECT_STATES] = NULL,
};

/* ---- opening ---- */

int collect_open(int root, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd < 0 && errno != EAGAIN && errno != EINTR)
            break;
    }
    return fd;
}

enum collect_state collect_refusal(int sys)
{
    switch (sys) {
    case ENOENT:
    case ENOTDIR: return COLLECT_MISSING;
    case ELOOP: return COLLECT_SYMLINK;
    case EXDEV: return COLLECT_OUTSIDE;
    case ENXIO: /* a socket */
    case ENODEV: return COLLECT_NOT_REGULAR;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSYS:
    case EBADF:
    case EINVAL: return COLLECT_STATES;
    default: return COLLECT_UNREADABLE;
    }
}

/* No link is followed on the way, so that a path without `.` and `..` in it is the real one. */
bool collect_is_denied(const struct collect_job *job, const char *path)
{
    char real[2 * PATH_MAX];
    const struct grant *grant;
    size_t len, least;

    if (!job->grants)
        return false;
    len = least = strcmp(job->at, "/") == 0 ? 0 : strlen(job->at);
    if (len + strlen(path) + 2 > sizeof real)
        return true;
    memcpy(real, job->at, len);
    real[len] = '\0';
    for (const char *at = path; *at; at += strspn(at, "/")) {
        size_t n = strcspn(at, "/");

        if (n == 2 && memcmp(at, "..", 2) == 0) {
            while (len > least && real[--len] != '/')
                continue;
        } else if (n > 0 && !(n == 1 && *at == '.')) {
            real[len++] = '/';
            memcpy(real + len, at, n);
            len += n;
        }
        real[len] = '\0';
        at += n;
    }
    grant = grants_decide(job->grants, real);
    return grant && grant->access == ACCESS_DENIED;
}

/* ---- copying ---- */

/* What the descriptor is; COLLECT_DONE: a file that may be taken. */
static enum collect_state look(const struct collect_job *job, int fd, int64_t *bytes)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return COLLECT_UNREADABLE;
    if (!S_ISREG(st.st_mode))
        return COLLECT_NOT_REGULAR;
    *bytes = st.st_size;
    if (st.st_nlink > 1 && !job->linked)
        return COLLECT_LINKED;
    return st.st_size > job->ceiling - job->total ? COLLECT_TOO_LARGE : COLLECT_DONE;
}

/* Reads to the end, but not beyond what is left of the ceiling: the size was only a promise. */
static bool copy(const struct collect_job *job, int fd, struct storing *k, struct collected *c,
                 struct error *e)
{
    _free_ char *bytes = malloc(COPY_BYTES);
    struct sha256 hash;
    ssize_t n = 1;

    if (!bytes)
        mem_end();
    c->bytes = 0;
    sha256_begin(&hash);
    while (n != 0 && c->state == COLLECT_DONE) {
        n = read(fd, bytes, COPY_BYTES);
        if (n < 0 && errno != EINTR)
            c->state = COLLECT_UNREADABLE;
        if (n <= 0)
            continue;
        c->bytes += n;
        if (c->bytes > job->ceiling - job->total)
            c->state = COLLECT_TOO_LARGE;
        sha256_add(&hash, bytes, (size_t)n);
        if (!keep_add(k, bytes, (size_t)n, e))
            return false;
    }
    c->digest = sha256_end(&hash);
    return true;
}

static bool take(struct collect_job *job, int fd, struct collected *c, struct error *e)
{
    struct storing k;

    if (!keep_begin(&k, job->store, e) || !copy(job, fd, &k, c, e))
        return false;
    if (c->state != COLLECT_DONE) {
        c->digest = (struct digest){ 0 };
        keep_drop(&k);
        return true;
    }
    if (!keep_end(&k, &c->digest, c->bytes, e))
        return false;
    job->total += c->bytes;
    return true;
}

/* Not a byte is written before all of it was looked at: a file that is half kept would be found,
 * too. */
static bool take_searched(struct collect_job *job, int fd, struct collected *c, struct error *e)
{
    _arena_ struct arena scratch = { 0 };
    struct error unread;
    struct str content;

    if (!fd_read(fd, (size_t)(job->ceiling - job->total), &scratch, &content, &unread))
        c->state = COLLECT_UNREADABLE;
    else if (job->withholds(job->self, content))
        c->state = COLLECT_WITHHELD;
    if (c->state != COLLECT_DONE)
        return true;
    c->bytes = (int64_t)content.n;
    job->total += c->bytes;
    return collect_bytes(job->store, content, &c->digest, e);
}

/* ---- the list ---- */

void collect_add(struct collected_list *out, struct arena *a, struct collected entry)
{
    out->v = arena_more(a, out->v, out->n, &out->room, sizeof *out->v);
    out->v[out->n++] = entry;
}

bool collect_file(struct collect_job *job, struct str path, struct arena *a,
                  struct collected_list *out, struct error *e)
{
    struct collected c = { { arena_text(a, path), path.n }, .state = COLLECT_MISSING };
    bool whole = strlen(c.path.s) == path.n, denied = collect_is_denied(job, c.path.s);
    _fd_ int fd = whole && !denied ? collect_open(job->root, c.path.s, 0) : -1;

    if (denied)
        c.state = COLLECT_UNREADABLE;
    else if (fd < 0 && whole)
        c.state = collect_refusal(errno);
    if (c.state == COLLECT_STATES)
        return error_sys(e, CODE_IO, "a file of the run cannot be opened");
    if (fd >= 0)
        c.state = look(job, fd, &c.bytes);
    if (c.state == COLLECT_DONE &&
        !(job->withholds ? take_searched(job, fd, &c, e) : take(job, fd, &c, e)))
        return false;
    job->truncated |= c.state == COLLECT_TOO_LARGE;
    collect_add(out, a, c);
    return true;
}

int collect_kept(int store, const struct digest *digest)
{
    return keep_open(store, digest);
}

bool collect_bytes(int store, struct str bytes, struct digest *digest, struct error *e)
{
    struct storing k;

    *digest = digest_of(bytes.s, bytes.n);
    if (!keep_begin(&k, store, e))
        return false;
    return keep_add(&k, bytes.s, bytes.n, e) && keep_end(&k, digest, (int64_t)bytes.n, e);
}
