/* SPDX-License-Identifier: Apache-2.0 */
/* program.c: finds the file of a command and the files it cannot start without. */
#include "sandbox/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

const char policy_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

enum { SHEBANG_MAX = 256 };

/* ---- finding ---- */

/* 0 where the file can be started, else the errno that starting it would give. */
static int startable(const char *path, struct stat *s)
{
    if (stat(path, s) != 0)
        return errno == ENOTDIR ? ENOENT : errno;
    if (!S_ISREG(s->st_mode) || access(path, X_OK) != 0)
        return EACCES;
    return 0;
}

/* The first in a PATH that can be started; of those that cannot, the first there is. */
static int search(const char *name, const char *path, struct arena *a, const char **found)
{
    int missing = ENOENT;
    struct stat s;

    while (*path) {
        size_t n = strcspn(path, ":");
        const char *file = arena_printf(a, "%.*s/%s", (int)n, path, name);
        int why = path[0] == '/' ? startable(file, &s) : ENOENT;

        if (why != ENOENT && (missing == ENOENT || why == 0)) {
            *found = file;
            missing = why;
        }
        if (why == 0)
            return 0;
        path += n + (path[n] == ':');
    }
    return missing;
}

/* The same name, below the real path of its directory. */
static const char *below_real(const char *file, struct arena *a)
{
    const char *slash = strrchr(file, '/');
    struct grant dir = { 0 };
    struct error e;
    struct str above = { file, (size_t)(slash - file) };

    if (slash == file || !grant_find("/", arena_text(a, above), a, &dir, &e))
        return file;
    return arena_printf(a, "%s%s", strcmp(dir.path, "/") == 0 ? "" : dir.path, slash);
}

void program_find(const struct program_ask *ask, struct arena *a, struct program *out)
{
    struct program p = { 0 };
    const char *found = NULL;
    struct grant real = { 0 };
    struct stat s;
    struct error e;

    if (!strchr(ask->command, '/')) {
        p.missing = search(ask->command, ask->path ? ask->path : policy_path, a, &found);
    } else {
        found = ask->command[0] == '/' ? ask->command
                                       : arena_printf(a, "%s/%s", ask->cwd, ask->command);
        p.missing = startable(found, &s);
    }
    if (p.missing == 0 && grant_find("/", found, a, &real, &e)) {
        p.path = below_real(found, a);
        p.real = real.path;
        p.dev = real.dev;
        p.ino = real.ino;
    } else if (p.missing == 0) {
        p.missing = EACCES;
    }
    *out = p;
}

/* ---- granting ---- */

/* An installation has its programs in PREFIX/bin and the rest beside it. In a home, ~/.cargo/bin
 * and
 * ~/.local/bin are not installations: beside them lie credentials. */
static const char *prefix_of(const char *file, const char *home, struct arena *a)
{
    const char *slash = strrchr(file, '/'), *up;
    struct str prefix;
    const char *text;

    for (up = slash; up > file && up[-1] != '/'; up--)
        ;
    if (up <= file + 1 || slash - up != 3 || strncmp(up, "bin", 3) != 0)
        return NULL;
    prefix = (struct str){ file, (size_t)(up - 1 - file) };
    text = arena_text(a, prefix);
    if (home && (path_is_in(home, text) ||
                 (path_is_in(text, home) && !strchr(text + strlen(home) + 1, '/'))))
        return NULL;
    return text;
}

/* With its installation only where the caller chose that: by the search path, or by typing a path
 * into it. A link or a first line in a repository chooses a file, never what lies around it. */
static void grant_file(const struct program_ask *ask, const char *file, bool chosen,
                       struct grants *g)
{
    struct grant like = { .access = ACCESS_READ, .why = GRANT_RUNTIME, .implied = true };
    const char *prefix = chosen ? prefix_of(file, ask->home, g->a) : NULL;
    struct error e;

    if (!system_has(file))
        (void)!grants_open(g, like, "/", prefix ? prefix : file, &e);
}

/* "#!/usr/bin/env python3": the program that reads a script. NULL: it is no script. `chosen`: the
 * search path found it. */
static const char *interpreter(const struct program_ask *ask, const char *file, struct arena *a,
                               bool *chosen)
{
    char line[SHEBANG_MAX + 1];
    _fd_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : pread(fd, line, SHEBANG_MAX, 0);
    char *path, *end;
    const char *found;
    struct stat s;

    if (n < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[n] = '\0';
    path = line + 2 + strspn(line + 2, " \t");
    end = path + strcspn(path, " \t\r\n");
    found = arena_text(a, (struct str){ path, (size_t)(end - path) });
    *chosen = strcmp(found, "/usr/bin/env") == 0 || strcmp(found, "/bin/env") == 0;
    if (!*chosen)
        return startable(found, &s) == 0 ? found : NULL;
    path = end + strspn(end, " \t");
    path[strcspn(path, " \t\r\n")] = '\0';
    if (search(path, ask->path ? ask->path : policy_path, a, &found) != 0)
        return NULL;
    return found;
}

static const char *directory_of(const char *file, struct arena *a)
{
    return arena_text(a, (struct str){ file, (size_t)(strrchr(file, '/') - file) });
}

void program_grant(const struct program_ask *ask, struct program *p, struct grants *g)
{
    bool chosen = !strchr(ask->command, '/');
    struct system_ask system = ask->system;
    const char *reader;
    struct grant real = { 0 };
    struct error e;

    system.network = ask->network;
    system.raw = ask->raw;
    system_grant(&system, &p->links, g);
    if (p->missing)
        return;
    chosen |= strcmp(directory_of(p->path, g->a), directory_of(p->real, g->a)) == 0;
    grant_file(ask, p->real, chosen, g);
    reader = interpreter(ask, p->real, g->a, &chosen);
    if (reader && grant_find("/", reader, g->a, &real, &e)) {
        grant_file(ask, real.path, chosen, g);
        if (!system_has(real.path))
            p->bin = directory_of(real.path, g->a);
    } else if (!system_has(p->path)) {
        p->bin = directory_of(p->path, g->a);
    }
}
