/* SPDX-License-Identifier: Apache-2.0 */
/* fs.c: files, read whole and with a ceiling. */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

enum { CHUNK = 64 * 1024 };

/* What can be known before the first byte is read: a directory, or a file above the ceiling. */
static bool look_first(int fd, size_t max, size_t *size, struct error *e)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return error_sys(e, ERROR_IO, "cannot be looked at");
    if (S_ISDIR(st.st_mode))
        return error_set(e, ERROR_IO, "is a directory, expected a file");
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max)
        return error_set(e, ERROR_CEILING, "has %lld bytes, at most %zu are read",
                         (long long)st.st_size, max);
    *size = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    return true;
}

/* Reads what is there, up to one byte above the ceiling; *end tells that nothing is left. */
static bool read_some(int fd, size_t max, struct buf *text, bool *end)
{
    size_t room = text->cap - text->len - 1, most = max + 1 - text->len;
    ssize_t n = read(fd, text->s + text->len, room < most ? room : most);

    *end = n == 0;
    text->len += n > 0 ? (size_t)n : 0;
    return n >= 0 || errno == EINTR;
}

bool fd_read(int fd, size_t max, struct arena *a, struct str *out, struct error *e)
{
    _buf_ struct buf text = { .max = max + CHUNK };
    size_t size = 0;
    bool end = false;

    if (!look_first(fd, max, &size, e))
        return false;
    while (!end && text.len <= max) {
        if (!buf_reserve(&text, size > text.len ? size - text.len : CHUNK))
            mem_end();
        if (!read_some(fd, max, &text, &end))
            return error_sys(e, ERROR_IO, "cannot be read");
    }
    if (text.len > max)
        return error_set(e, ERROR_CEILING, "has more than %zu bytes", max);
    *out = (struct str){ arena_text(a, buf_str(&text)), text.len };
    return true;
}

bool fs_read(const char *path, size_t max, struct arena *a, struct str *out, struct error *e)
{
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return error_sys(e, ERROR_IO, "cannot be opened");
    return fd_read(fd, max, a, out, e);
}

static bool is_ordinary(int fd, struct error *e)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return error_sys(e, ERROR_IO, "cannot be looked at");
    if (S_ISDIR(st.st_mode))
        return error_set(e, ERROR_IO, "is a directory, expected a file");
    return S_ISREG(st.st_mode) || error_set(e, ERROR_IO, "is no ordinary file");
}

bool fs_open_file(int at, const char *path, int flags, int *fd, struct error *e)
{
    int opened = openat(at, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

    if (opened < 0)
        return error_sys(e, ERROR_IO, "cannot be opened");
    if (!is_ordinary(opened, e)) {
        own_close(&opened);
        return false;
    }
    *fd = opened;
    return true;
}

bool fs_read_file(const char *path, size_t max, struct arena *a, struct str *out, struct error *e)
{
    _fd_ int fd = -1;

    return fs_open_file(AT_FDCWD, path, 0, &fd, e) && fd_read(fd, max, a, out, e);
}

bool fd_write(int fd, struct str text)
{
    while (text.n) {
        ssize_t n = write(fd, text.s, text.n);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            text = str_from(text, (size_t)n);
    }
    return true;
}

bool fs_write(const char *path, struct str text, struct error *e)
{
    _arena_ struct arena a = { 0 };
    char *beside = arena_printf(&a, "%s.XXXXXX", path);
    _fd_ int fd = mkostemp(beside, O_CLOEXEC);

    if (fd < 0)
        return error_sys(e, ERROR_IO, "%s cannot be written", path);
    if (fd_write(fd, text) && fsync(fd) == 0 && rename(beside, path) == 0)
        return true;
    error_sys(e, ERROR_IO, "%s cannot be written", path);
    (void)unlink(beside);
    return false;
}

const struct dirent *fs_next(DIR *in)
{
    const struct dirent *d;

    do {
        errno = 0;
        d = readdir(in);
    } while (d && (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0));
    return d;
}
