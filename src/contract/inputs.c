/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.c: what is looked for in the paths and the command of a run. */
#include "contract/inputs.h"

#include <strings.h>

/* ---- paths ---- */

struct part {
    struct str text;
    bool backslash; /* a backslash stands before or behind it */
};

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Takes the next part off the path; empty parts and "." are passed over. */
static bool next_part(struct str *path, struct part *part)
{
    bool backslash = false;
    size_t n;

    do {
        for (; path->n && is_slash(*path->s); path->s++, path->n--)
            backslash = *path->s == '\\';
        for (n = 0; n < path->n && !is_slash(path->s[n]); n++)
            ;
        part->text = (struct str){ path->s, n };
        part->backslash = backslash || (n < path->n && path->s[n] == '\\');
        if (n)
            *path = (struct str){ path->s + n, path->n - n };
    } while (str_is(part->text, "."));
    return part->text.n > 0;
}

static bool climbs(struct str path, bool backslash)
{
    struct part part;

    while (next_part(&path, &part)) {
        if (str_is(part.text, "..") && part.backslash == backslash)
            return true;
    }
    return false;
}

static bool climbs_by_slash(struct str path)
{
    return climbs(path, false);
}

static bool climbs_by_backslash(struct str path)
{
    return climbs(path, true);
}

static bool is_under_root(struct str path, const char *first)
{
    bool absolute = path.n && path.s[0] == '/';
    struct part part;

    return absolute && next_part(&path, &part) && str_is(part.text, first);
}

static bool is_etc(struct str path)
{
    return is_under_root(path, "etc");
}

static bool is_var(struct str path)
{
    return is_under_root(path, "var");
}

static bool is_word(struct str text, const char *word)
{
    return text.n == strlen(word) && strncasecmp(text.s, word, text.n) == 0;
}

static bool is_windows(struct str path)
{
    struct part part;

    return next_part(&path, &part) && is_word(part.text, "c:") && next_part(&path, &part) &&
           is_word(part.text, "windows");
}

/* clang-format off */
static const struct path_pattern path_patterns[] = {
    { "../",            "Climbs out of a directory.",             climbs_by_slash },
    { "..\\",           "Climbs out of a directory, on Windows.", climbs_by_backslash },
    { "/etc/",          "The system's configuration.",            is_etc },
    { "/var/",          "The system's state.",                    is_var },
    { "C:\\Windows\\",  "The system, on Windows.",                is_windows },
};

static const struct column path_pattern_columns[] = {
    { "pattern", COLUMN_TEXT, offsetof(struct path_pattern, text) },
    { "meaning", COLUMN_TEXT, offsetof(struct path_pattern, meaning) },
};

/* Base names; digits, dots and dashes behind one (python3.11, bash-5) are passed over. Those that
 * start what their arguments name are as good as a shell. */
static const char *const shells[] = {
    "sh", "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "tcsh", "zsh",
    "busybox", "toybox", "env", "xargs", "awk", "gawk", "mawk", "nawk", "original-awk",
    "bun", "deno", "lua", "luajit", "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "tclsh",
};
/* clang-format on */

const struct table path_patterns_table = {
    .name = "paths",
    .about = "What IV-03 looks for in a path.",
    COLUMNS(path_pattern_columns),
    .keys = 1,
    ROWS(path_patterns),
};

const struct path_pattern *inputs_path_pattern(struct str path)
{
    for (size_t i = 0; i < COUNT(path_patterns); i++) {
        if (path_patterns[i].applies(path))
            return &path_patterns[i];
    }
    return NULL;
}

/* ---- the search path ---- */

static bool lies_under(struct str path, struct str root)
{
    struct part want, have;

    while (next_part(&root, &want)) {
        if (!next_part(&path, &have) || !str_eq(want.text, have.text))
            return false;
    }
    return true;
}

/* Only plain absolute names can be compared as text: no "..", and no backslash, which is a
 * letter here and not a slash. An empty one means the working directory, wherever that is. */
static bool is_plain(struct str path)
{
    return path.n && path.s[0] == '/' && !memchr(path.s, '\\', path.n) && !climbs_by_slash(path);
}

static bool is_scoped(struct str directory, const struct str *roots, size_t count)
{
    if (!is_plain(directory))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (is_plain(roots[i]) && lies_under(directory, roots[i]))
            return true;
    }
    return false;
}

bool inputs_path_scoped(struct str path, const struct str *roots, size_t count)
{
    for (;;) {
        const char *colon = path.n ? memchr(path.s, ':', path.n) : NULL;
        struct str directory = { path.s, colon ? (size_t)(colon - path.s) : path.n };

        if (!is_scoped(directory, roots, count))
            return false;
        if (!colon)
            return true;
        path = (struct str){ colon + 1, path.n - directory.n - 1 };
    }
}

/* ---- commands ---- */

static struct str base_name(struct str command)
{
    const char *slash = command.n ? memrchr(command.s, '/', command.n) : NULL;

    if (!slash)
        return command;
    return (struct str){ slash + 1, command.n - (size_t)(slash + 1 - command.s) };
}

static struct str without_version(struct str command)
{
    struct str name = base_name(command);

    while (name.n && is_one_of(name.s[name.n - 1], "0123456789.-"))
        name.n--;
    return name;
}

bool inputs_same_name(struct str a, struct str b, struct str real)
{
    struct str one = base_name(a), other = base_name(b), own = base_name(real);

    if (one.n == 0 || str_eq(one, other))
        return one.n > 0;
    return (str_eq(one, own) || str_eq(other, own)) &&
           str_eq(without_version(a), without_version(b));
}

bool inputs_same_program(struct str a, struct str b)
{
    return str_eq(without_version(a), without_version(b));
}

struct str inputs_of_project(struct str command, const char *top, struct arena *a)
{
    if (!command.n || command.s[0] == '/' || !memchr(command.s, '/', command.n))
        return command;
    while (str_begins(command, "./"))
        command = (struct str){ command.s + 2, command.n - 2 };
    return str_of(arena_printf(a, "%s/%.*s", strcmp(top, "/") == 0 ? "" : top, STR_ARG(command)));
}

bool inputs_is_shell(struct str command)
{
    struct str name = without_version(command);

    for (size_t i = 0; i < COUNT(shells); i++) {
        if (str_is(name, shells[i]))
            return true;
    }
    return false;
}
