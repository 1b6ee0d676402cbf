/* SPDX-License-Identifier: Apache-2.0 */
/* gitdir.c: reads the few files by which git finds its state. */
#include "sandbox/gitdir.h"

#include <string.h>

#include "base/fs.h"

enum { POINTER_MAX = 8192 };

static bool is_there(const char *dir, const char *name, struct arena *a)
{
    struct stat s;

    return lstat(arena_printf(a, "%s/%s", dir, name), &s) == 0;
}

bool gitdir_is_state(const char *dir, struct arena *a)
{
    return is_there(dir, "HEAD", a) && (is_there(dir, "refs", a) || is_there(dir, "commondir", a));
}

const char *gitdir_real(const char *path, struct arena *a)
{
    struct grant found = { 0 };
    struct error e;

    return path && grant_find("/", path, a, &found, &e) && found.is_dir ? found.path : NULL;
}

const char *gitdir_pointer(const char *file, const char *prefix, const char *base, struct arena *a)
{
    struct stat s;
    struct str text;
    struct error e;
    const char *path;

    if (lstat(file, &s) != 0 || !S_ISREG(s.st_mode) || !fs_read(file, POINTER_MAX, a, &text, &e) ||
        !str_begins(text, prefix))
        return NULL;
    text = (struct str){ text.s + strlen(prefix), text.n - strlen(prefix) };
    while (text.n && is_one_of(text.s[text.n - 1], "\r\n"))
        text.n--;
    if (text.n == 0)
        return NULL;
    path = arena_text(a, text);
    return path[0] == '/' ? path : arena_printf(a, "%s/%s", base, path);
}

const char *gitdir_led_to(const char *dotgit, struct arena *a)
{
    const char *slash = strrchr(dotgit, '/');
    struct stat s;

    if (!slash || lstat(dotgit, &s) != 0)
        return NULL;
    if (S_ISLNK(s.st_mode))
        return gitdir_real(dotgit, a);
    return gitdir_real(
        gitdir_pointer(
            dotgit, "gitdir: ", arena_text(a, (struct str){ dotgit, (size_t)(slash - dotgit) }), a),
        a);
}

const char *gitdir_shared(const char *gitdir, struct arena *a)
{
    return gitdir_real(gitdir_pointer(arena_printf(a, "%s/commondir", gitdir), "", gitdir, a), a);
}
