/* SPDX-License-Identifier: Apache-2.0 */
/* store.c: contents kept under their digest, whole or not at all. */
#include "sandbox/collect_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "contract/codes.h"

enum {
    NAMES_TRIED = 1000, /* left behind by processes that were killed and had the same number */
    HASH_NAME = 7,      /* "sha256:" */
    FOLDER_DIGITS = 2,  /* of the digest name a folder */
    FINAL_PATH = 96,    /* "sha256/", the digits and one more slash */
    BLOCK = 4096,
    READ_BYTES = 1 << 16,
};

bool keep_begin(struct storing *k, int store, struct error *e)
{
    *k = (struct storing){ .store = store, .fd = -1 };
    if (store < 0)
        return true;
    for (int i = 0; i < NAMES_TRIED && k->fd < 0; i++) {
        (void)snprintf(k->name, sizeof k->name, "new.%d.%d", (int)getpid(), i);
        k->fd = openat(store, k->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
        if (k->fd < 0 && errno != EEXIST)
            break;
    }
    if (k->fd < 0)
        return error_sys(e, CODE_IO, "the evidence store cannot be written");
    return true;
}

void keep_drop(struct storing *k)
{
    if (k->fd < 0)
        return;
    (void)close(k->fd);
    (void)unlinkat(k->store, k->name, 0);
    k->fd = -1;
}

static bool failed(struct storing *k, struct error *e)
{
    (void)error_sys(e, CODE_IO, "a file cannot be kept in the evidence store");
    keep_drop(k);
    return false;
}

/* How much at the beginning is blocks of zeroes, or is none. */
static size_t run_of(const char *bytes, size_t n, bool zeroes)
{
    size_t run = 0;

    while (n - run >= BLOCK &&
           zeroes == (bytes[run] == '\0' && memcmp(bytes + run, bytes + run + 1, BLOCK - 1) == 0))
        run += BLOCK;
    return n - run < BLOCK && !zeroes ? n : run;
}

/* A file with holes costs who makes it nothing: it is kept with holes, too. */
bool keep_add(struct storing *k, const char *bytes, size_t n, struct error *e)
{
    while (k->fd >= 0 && n > 0) {
        size_t hole = run_of(bytes, n, true);
        ssize_t done = (ssize_t)hole;

        if (hole && lseek(k->fd, (off_t)hole, SEEK_CUR) < 0)
            return failed(k, e);
        if (!hole)
            done = write(k->fd, bytes, run_of(bytes, n, false));
        if (done < 0 && errno != EINTR)
            return failed(k, e);
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool make_folder(int store, const char *path)
{
    return mkdirat(store, path, 0700) == 0 || errno == EEXIST;
}

/* "sha256/ab", or with all digits "sha256/ab/cdef..". */
static void name_of(const struct digest *digest, bool all, char path[FINAL_PATH])
{
    char text[DIGEST_TEXT];
    const char *digits = text + HASH_NAME;

    digest_text(digest, text);
    (void)snprintf(path, FINAL_PATH, "sha256/%.*s%s%s", FOLDER_DIGITS, digits, all ? "/" : "",
                   all ? digits + FOLDER_DIGITS : "");
}

int keep_open(int store, const struct digest *digest)
{
    char path[FINAL_PATH];

    name_of(digest, true, path);
    return openat(store, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

bool keep_holds(int store, const struct digest *digest)
{
    _fd_ int fd = keep_open(store, digest);
    char bytes[READ_BYTES];
    struct sha256 hash;
    struct digest is;
    ssize_t n = 1;

    sha256_begin(&hash);
    while (fd >= 0 && n != 0) {
        n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            sha256_add(&hash, bytes, (size_t)n);
    }
    is = sha256_end(&hash);
    return fd >= 0 && memcmp(&is, digest, sizeof is) == 0;
}

/* A loss of power cuts short, or leaves zeroes: that is replaced. What is right stays, for it may
 * have been synced, and what would take its place was not. */
static bool is_there(int store, const char *path, const struct digest *digest, int64_t bytes)
{
    struct stat st;

    return fstatat(store, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == bytes && keep_holds(store, digest);
}

static bool sync_at(int store, const char *path, int flags)
{
    _fd_ int fd = openat(store, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags);

    return fd >= 0 && fsync(fd) == 0;
}

bool keep_sync(int store, const struct digest *digest, struct error *e)
{
    char folder[FINAL_PATH], path[FINAL_PATH];

    name_of(digest, false, folder);
    name_of(digest, true, path);
    return (sync_at(store, path, 0) && sync_at(store, folder, O_DIRECTORY) &&
            sync_at(store, "sha256", O_DIRECTORY) && fsync(store) == 0) ||
           error_sys(e, CODE_IO, "the evidence store cannot be written");
}

bool keep_end(struct storing *k, const struct digest *digest, int64_t bytes, struct error *e)
{
    char folder[FINAL_PATH], path[FINAL_PATH];

    if (k->fd < 0)
        return true;
    name_of(digest, false, folder);
    name_of(digest, true, path);
    if (is_there(k->store, path, digest, bytes)) {
        keep_drop(k);
        return true;
    }
    if (ftruncate(k->fd, (off_t)bytes) != 0 || !make_folder(k->store, "sha256") ||
        !make_folder(k->store, folder) || renameat(k->store, k->name, k->store, path) != 0)
        return failed(k, e);
    (void)close(k->fd);
    k->fd = -1;
    return true;
}
