/* SPDX-License-Identifier: Apache-2.0 */
/* key.c: the ledger's own key, in a file that nobody else can read. */
#include "ledger/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "ledger/note.h"

/* What C2SP's tools call a signer key. */
static const char private[] = "PRIVATE+KEY+";

enum { PRIVATE = sizeof private - 1, FILE_MAX = 1024, NAME_MAX_BYTES = 512 };

/* The text of a key file. It is wiped, and has its full size at once: a buffer that grows would
 * leave copies behind. */
static void wipe_buf(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->cap);
    buf_free(b);
}

static void wipe_note_key(struct note_key *key)
{
    explicit_bzero(key, sizeof *key);
}

#define _secret_ _cleanup_(wipe_buf)

static void room_for_file(struct buf *b)
{
    b->max = FILE_MAX + 1; /* one more tells that there is too much */
    if (!buf_reserve(b, b->max))
        mem_end();
}

/* ---- making files ---- */

static bool is_absent(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 && errno == ENOENT;
}

/* Makes the new name last. Where a directory cannot be opened or synced, nothing more can be done.
 */
static bool settle(char *path)
{
    char *slash = strrchr(path, '/');
    _fd_ int dir = -1;

    if (slash)
        slash[slash == path] = '\0';
    dir = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir < 0 || fsync(dir) == 0 || errno == EINVAL;
}

/* Puts a file where there is none: link() is the step at which it is there, whole. Where another
 * process was faster, its file stays. */
static bool place(const char *path, struct str text, mode_t mode, struct error *e)
{
    _arena_ struct arena a = { 0 };
    char *beside = arena_printf(&a, "%s.XXXXXX", path);
    _fd_ int fd = mkostemp(beside, O_CLOEXEC);
    bool ok;

    if (fd < 0)
        return error_sys(e, CODE_IO, "%s cannot be made", path);
    ok = fchmod(fd, mode) == 0 && fd_write(fd, text) && fsync(fd) == 0 &&
         (link(beside, path) == 0 || errno == EEXIST);
    if (!ok)
        error_sys(e, CODE_IO, "%s cannot be made", path);
    (void)unlink(beside);
    return ok && (settle(beside) || error_sys(e, CODE_IO, "%s cannot be kept", path));
}

/* ---- the private half ---- */

/* A message must not show what is in the file, so nothing of it is said but the name. */
static bool read_private(const char *path, struct str name, struct str text, struct sign_key *out,
                         struct error *e)
{
    _arena_ struct arena a = { 0 };
    _cleanup_(wipe_note_key) struct note_key key = { 0 };
    uint8_t id[NOTE_ID];

    if (!str_begins(text, private) || text.s[text.n - 1] != '\n')
        return error_set(e, CODE_SYNTAX, "%s is not one line that begins with %s", path, private);
    if (!note_key_read((struct str){ text.s + PRIVATE, text.n - PRIVATE - 1 }, &key, e))
        return error_wrap(e, "%s", path);
    if (!str_eq(key.name, name))
        return error_set(e, CODE_VALIDATION_ERROR, "%s is the key of %s, expected the key of %s",
                         path, note_name_said(key.name, &a), note_name_said(name, &a));
    sign_key_from(key.bytes, out);
    note_key_id(name, out->public, id);
    if (memcmp(id, key.id, NOTE_ID) != 0)
        return error_set(e, CODE_VALIDATION_ERROR, "%s is damaged: id and key do not match", path);
    return true;
}

/* Is the open file one that its owner alone can read? */
static bool is_kept(int fd, const char *path, struct error *e)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return error_sys(e, CODE_IO, "%s cannot be looked at", path);
    if (!S_ISREG(st.st_mode))
        return error_set(e, CODE_IO, "%s is not a file", path);
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return error_set(e, CODE_IO,
                         "%s has the mode %04o: others may use it; allowed is 0600; who has read "
                         "it can sign as this ledger for good: then begin a new one with --ledger",
                         path, (unsigned)(st.st_mode & 07777));
    return true;
}

static bool read_file(int fd, const char *path, struct buf *to, struct error *e)
{
    ssize_t n = 1;

    while (n != 0 && to->len < to->max) {
        n = read(fd, to->s + to->len, to->max - to->len);
        if (n < 0 && errno != EINTR)
            return error_sys(e, CODE_IO, "%s cannot be read", path);
        to->len += n > 0 ? (size_t)n : 0;
    }
    if (to->len > FILE_MAX)
        return error_set(e, CODE_CEILING, "%s has more than %d bytes", path, FILE_MAX);
    return true;
}

/* O_NONBLOCK: a pipe of that name must not make us wait. */
static bool load(const char *path, struct str name, struct sign_key *out, struct error *e)
{
    _fd_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    _secret_ struct buf text = { 0 };

    if (fd < 0 && errno == ELOOP)
        return error_sys(e, CODE_IO, "%s is a link, allowed is a file", path);
    if (fd < 0)
        return error_sys(e, CODE_IO, "%s cannot be opened", path);
    room_for_file(&text);
    return is_kept(fd, path, e) && read_file(fd, path, &text, e) &&
           read_private(path, name, buf_str(&text), out, e);
}

static bool make_private(const char *path, struct str name, const uint8_t seed[SIGN_SEED],
                         struct error *e)
{
    _cleanup_(wipe_note_key) struct note_key key = { .name = name };
    _cleanup_(sign_key_wipe) struct sign_key pair;
    _secret_ struct buf text = { 0 };

    sign_key_from(seed, &pair);
    note_key_id(name, pair.public, key.id);
    memcpy(key.bytes, seed, SIGN_SEED);
    room_for_file(&text);
    buf_adds(&text, private);
    note_key_add(&key, &text);
    buf_addc(&text, '\n');
    return place(path, buf_str(&text), S_IRUSR | S_IWUSR, e);
}

/* ---- the public half ---- */

static const char *public_file(const char *path, struct arena *a)
{
    return arena_printf(a, "%s.pub", path);
}

static void public_text(struct str name, const struct sign_key *key, struct buf *to)
{
    struct verifier verifier = { .name = name };

    memcpy(verifier.public, key->public, SIGN_PUBLIC);
    verifier_text(&verifier, to);
    buf_addc(to, '\n');
}

/* What is there already has to be the one of this key. */
static bool belongs(const char *path, struct str name, const struct sign_key *key, struct error *e)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf want = { .max = FILE_MAX };
    const char *beside = public_file(path, &a);
    struct str found = { 0 };

    if (is_absent(beside))
        return true;
    public_text(name, key, &want);
    if (!fs_read_file(beside, FILE_MAX, &a, &found, e))
        return error_wrap(e, "%s", beside);
    if (!str_eq(found, buf_str(&want)))
        return error_set(e, CODE_VALIDATION_ERROR,
                         "%s does not belong to the key in %s; without it, it is made anew", beside,
                         path);
    return true;
}

bool key_publish(const char *path, struct str name, const struct sign_key *key, struct error *e)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = FILE_MAX };
    const char *beside = public_file(path, &a);

    public_text(name, key, &text);
    return (!is_absent(beside) ||
            place(beside, buf_str(&text), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH, e)) &&
           belongs(path, name, key, e);
}

bool key_load(const char *path, struct str name, bool make, const uint8_t fresh_seed[SIGN_SEED],
              struct sign_key *out, struct error *e)
{
    _cleanup_(sign_key_wipe) struct sign_key key = { 0 };

    if (!note_name_fits(name) || name.n > NAME_MAX_BYTES)
        return error_set(e, CODE_VALIDATION_ERROR,
                         "a key's name has 1 to %d bytes, without spaces and '+'", NAME_MAX_BYTES);
    if (make && is_absent(path) && !make_private(path, name, fresh_seed, e))
        return false;
    if (!load(path, name, &key, e))
        return false;
    if (make && !belongs(path, name, &key, e))
        return false;
    *out = key;
    return true;
}
