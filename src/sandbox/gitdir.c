/* SPDX-License-Identifier: Apache-2.0 */
/* gitdir.c: reads the few files by which git finds its state. */
#include "sandbox/gitdir.h"

#include <fcntl.h>
#include <string.h>

#include "base/fs.h"

enum { POINTER_MAX = 8192, SETTINGS_MAX = 1 << 20 };

static bool is_there(const char *dir, const char *name, struct arena *a)
{
    struct stat s;

    return lstat(arena_printf(a, "%s/%s", dir, name), &s) == 0;
}

/* What a file holds; no link, and no pipe. A command may change one for another at any moment, so
 * it is what was opened that is looked at. */
static bool read_itself(const char *path, size_t max, struct arena *a, struct str *out)
{
    _fd_ int fd = -1;
    struct error e;

    return fs_open_file(AT_FDCWD, path, O_NOFOLLOW, &fd, &e) && fd_read(fd, max, a, out, &e);
}

static bool holds(const char *dir, const char *name, struct arena *a, struct str *out)
{
    return read_itself(arena_printf(a, "%s/%s", dir, name), SETTINGS_MAX, a, out);
}

bool gitdir_is_state(const char *dir, struct arena *a)
{
    static const char always[] = "repositoryformatversion";
    struct str text;

    if (is_there(dir, "HEAD", a) && (is_there(dir, "refs", a) || is_there(dir, "commondir", a)))
        return true;
    if (holds(dir, "config", a, &text) && memmem(text.s, text.n, always, strlen(always)))
        return true;
    return holds(dir, "commondir", a, &text) && holds(dir, "gitdir", a, &text);
}

const char *const gitdir_marks[] = { "HEAD", "commondir", "objects", "refs", NULL };

bool gitdir_is_around(int root, const char *below, struct arena *a)
{
    const char *slash = strrchr(below, '/');
    bool has[COUNT(gitdir_marks)] = { 0 };

    for (size_t i = 0; gitdir_marks[i]; i++) {
        const char *mark =
            arena_printf(a, "%.*s%s", slash ? (int)(slash + 1 - below) : 0, below, gitdir_marks[i]);

        has[i] = fs_find_below(root, mark) != FS_NOTHING;
    }
    return has[0] && (has[1] || (has[2] && has[3]));
}

bool gitdir_is_whole(const char *dir, struct arena *a)
{
    struct stat s;

    return stat(arena_printf(a, "%s/HEAD", dir), &s) == 0 &&
           stat(arena_printf(a, "%s/refs", dir), &s) == 0 &&
           stat(arena_printf(a, "%s/objects", dir), &s) == 0;
}

const char *gitdir_real(const char *path, struct arena *a)
{
    struct grant found = { 0 };
    struct error e;

    return path && grant_find("/", path, a, &found, &e) && found.is_dir ? found.path : NULL;
}

const char *gitdir_pointer(const char *file, const char *prefix, const char *base, struct arena *a)
{
    struct str text;
    const char *path;

    if (!read_itself(file, POINTER_MAX, a, &text) || !str_begins(text, prefix))
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

/* ---- core.worktree ---- */

static const char blanks[] = " \t\r";

static struct str behind(struct str t, size_t n)
{
    return str_trim(str_from(t, n), blanks);
}

/* Takes "[core]" off the line, and keeps in mind whether that is where we are. */
static struct str without_section(struct str line, bool *in_core)
{
    const char *end = line.n && line.s[0] == '[' ? memchr(line.s, ']', line.n) : NULL;
    size_t n = end ? (size_t)(end - line.s) : 0;

    if (!end)
        return line;
    *in_core =
        str_cmp_letters(str_trim((struct str){ line.s + 1, n - 1 }, blanks), str_of("core")) == 0;
    return behind(line, n + 1);
}

/* A value as git writes it for most paths, or in quotes; one that has to be unravelled is none. */
static struct str plain_value(struct str t)
{
    bool quoted = t.n >= 2 && t.s[0] == '"' && t.s[t.n - 1] == '"';
    const char *odd = quoted ? "\"\\" : "\"\\;#";

    if (quoted)
        t = (struct str){ t.s + 1, t.n - 2 };
    for (size_t i = 0; i < t.n; i++)
        if (t.s[i] == '\0' || is_one_of(t.s[i], odd))
            return (struct str){ "", 0 };
    return t;
}

/* The last word of a file of settings on core.worktree; what it was before where there is none. */
static struct str worktree_in(struct str text, struct str before)
{
    static const char key[] = "worktree";
    size_t n = strlen(key);
    bool in_core = false;

    while (text.n) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t size = end ? (size_t)(end - text.s) : text.n;
        struct str line = without_section(str_trim((struct str){ text.s, size }, blanks), &in_core),
                   value = { 0 };

        text.s += size + (end != NULL);
        text.n -= size + (end != NULL);
        if (in_core && line.n > n && str_cmp_letters((struct str){ line.s, n }, str_of(key)) == 0)
            value = behind(line, n);
        if (value.n && value.s[0] == '=')
            before = plain_value(behind(value, 1));
    }
    return before;
}

const char *gitdir_tree(const char *gitdir, struct arena *a)
{
    static const char *const files[] = { "config", "config.worktree" };
    struct str tree = { "", 0 };

    for (size_t i = 0; i < COUNT(files); i++) {
        struct str text;

        if (holds(gitdir, files[i], a, &text))
            tree = worktree_in(text, tree);
    }
    if (tree.n == 0)
        return NULL;
    if (tree.s[0] == '/')
        return gitdir_real(arena_text(a, tree), a);
    return gitdir_real(arena_printf(a, "%s/%.*s", gitdir, STR_ARG(tree)), a);
}
