/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: one path of a writable tree: opened beneath it, looked at, compared. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/openat2.h"
#include "contract/codes.h"
#include "engine/changes.h"
#include "sandbox/collect_store.h"

enum { READ_BYTES = 1 << 16, PERMISSIONS = 07777 };

const char *changes_root(const struct change_set *set, const char *path, const char **below)
{
    const char *found = NULL;

    for (size_t i = 0; i < set->root_count; i++) {
        const char *root = set->roots[i];

        if (path_is_in(path, root) && (!found || strlen(root) > strlen(found)))
            found = root;
    }
    if (found)
        *below = path + strlen(found);
    if (found && **below == '/')
        ++*below;
    return found;
}

/* A tree: no link is followed on the way. Its owner may write in it and not list it: what is read
 * is opened below. */
static int open_root(const char *root)
{
    return kernel_openat2(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

/* By its number alone: that of the device may be another after the machine was started anew. */
static bool is_that(int fd, const char *inode)
{
    char digits[24];
    struct stat s;

    if (!*inode)
        return true;
    if (fstat(fd, &s) != 0)
        return false;
    (void)snprintf(digits, sizeof digits, "%ju", (uintmax_t)s.st_ino);
    return strcmp(digits, inode) == 0;
}

int changes_open_root(const struct change_set *set, const char *root)
{
    int fd = open_root(root);

    for (size_t i = 0; fd >= 0 && i < set->root_count; i++)
        if (set->roots[i] == root && !is_that(fd, set->inodes[i])) {
            own_close(&fd);
            errno = ESTALE;
        }
    return fd;
}

int place_around(int root, const char *below, const char **name, struct arena *a)
{
    const char *slash = strrchr(below, '/');

    *name = slash ? slash + 1 : *below ? below : ".";
    if (*below && (strcmp(*name, "..") == 0 || strcmp(*name, ".") == 0 || **name == '\0')) {
        errno = EINVAL;
        return -1;
    }
    return kernel_openat2(
        root, slash ? arena_text(a, (struct str){ below, (size_t)(slash - below) }) : ".",
        O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

/* ---- what is there ---- */

static void add_text(const struct place_ask *ask, struct buf *text, const char *bytes, size_t n)
{
    if (ask->text && text->len + n <= ask->most)
        buf_add(text, bytes, n);
    else
        text->full = true;
}

/* To its end, into the store, the digest and the text. */
static bool read_all(const struct place_ask *ask, int fd, struct storing *k, struct buf *text,
                     struct change_side *out, struct error *e)
{
    char bytes[READ_BYTES];
    struct sha256 hash;
    ssize_t n = 1;

    sha256_begin(&hash);
    out->bytes = 0;
    while (n != 0) {
        n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno != EINTR) {
            keep_drop(k);
            return error_sys(e, CODE_IO, "%s cannot be read", ask->name);
        }
        if (n <= 0)
            continue;
        sha256_add(&hash, bytes, (size_t)n);
        out->bytes += n;
        add_text(ask, text, bytes, (size_t)n);
        if (!keep_add(k, bytes, (size_t)n, e))
            return false;
    }
    out->digest = sha256_end(&hash);
    return keep_end(k, &out->digest, out->bytes, e);
}

static bool look_file(const struct place_ask *ask, struct arena *a, struct change_side *out,
                      struct error *e)
{
    _fd_ int fd = openat(ask->around, ask->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    _buf_ struct buf text = { .max = ask->most + 1 };
    struct storing k;

    if (fd < 0)
        return error_sys(e, CODE_IO, "%s cannot be read", ask->name);
    if (!keep_begin(&k, ask->store, e) || !read_all(ask, fd, &k, &text, out, e))
        return false;
    if (ask->text)
        *ask->text = text.full ? (struct str){ NULL, 0 }
                               : (struct str){ arena_text(a, buf_str(&text)), text.len };
    return true;
}

static bool look_link(const struct place_ask *ask, struct arena *a, struct change_side *out,
                      struct error *e)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(ask->around, ask->name, target, sizeof target);

    if (n < 0)
        return error_sys(e, CODE_IO, "%s cannot be read", ask->name);
    out->target = (struct str){ arena_text(a, (struct str){ target, (size_t)n }), (size_t)n };
    out->bytes = n;
    return true;
}

bool place_look(const struct place_ask *ask, struct arena *a, struct change_side *out,
                struct error *e)
{
    struct stat st;

    *out = (struct change_side){ 0 };
    if (fstatat(ask->around, ask->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || error_sys(e, CODE_IO, "%s cannot be looked at", ask->name);
    out->there = true;
    out->mode = st.st_mode & PERMISSIONS;
    out->kind = S_ISREG(st.st_mode)   ? CHANGE_FILE
                : S_ISDIR(st.st_mode) ? CHANGE_DIRECTORY
                : S_ISLNK(st.st_mode) ? CHANGE_LINK
                                      : CHANGE_OTHER;
    if (out->kind == CHANGE_FILE)
        return look_file(ask, a, out, e);
    return out->kind != CHANGE_LINK || look_link(ask, a, out, e);
}

bool sides_same(const struct change_side *a, const struct change_side *b)
{
    if (!a->there || !b->there)
        return a->there == b->there;
    if (a->kind != b->kind)
        return false;
    if (a->kind == CHANGE_LINK)
        return str_eq(a->target, b->target);
    if (a->mode != b->mode)
        return false;
    return a->kind != CHANGE_FILE ||
           (a->bytes == b->bytes && memcmp(&a->digest, &b->digest, sizeof a->digest) == 0);
}

bool changes_bytes(int store, const struct digest *digest, size_t max, struct arena *a,
                   struct str *out, struct error *e)
{
    _fd_ int fd = store < 0 ? -1 : keep_open(store, digest);
    char name[DIGEST_TEXT];
    struct digest is;
    struct str bytes;

    digest_text(digest, name);
    if (fd < 0)
        return error_set(e, CODE_IO, "the bytes of %s are no longer among the evidence", name);
    if (!fd_read(fd, max, a, &bytes, e))
        return error_wrap(e, "%s", name);
    is = digest_of(bytes.s, bytes.n);
    if (memcmp(&is, digest, sizeof is) != 0)
        return error_set(e, CODE_CHANGE_REFUSED, "what is kept as %s has other bytes", name);
    *out = bytes;
    return true;
}
