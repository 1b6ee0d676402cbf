/* SPDX-License-Identifier: Apache-2.0 */
/* grounds.c: looks at what commands stand on here, and leaves it as it is. */
#include "engine/grounds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/home.h"
#include "engine/record.h"
#include "ledger/ledger.h"

enum { ROOM = 64 << 10 };          /* as much as a run's entries take on the disk */
enum { AHEAD_MS = 2 * 60 * 1000 }; /* more than clocks that are set by others differ */

/* What a project says is in these; each is looked for by itself. */
static const char *const project_names[] = { ".writ", ".writ/config.yaml", ".writ/tools.yaml",
                                             ".writ/adapters" };

/* What is made in a state directory when it is first needed. */
static const char *const state_folders[] = { "cache",    "changes",   "checkpoints",
                                             "evidence", "executors", "keys",
                                             "lanes",    "running",   "written" };

struct ground {
    const char *what;
    bool holds;
    const char *detail, *mend;
    int64_t newest_ms; /* of a ledger: when its last entry was recorded; 0: nobody knows */
};

static void put(const struct ground *g, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "what", g->what);
    json_put_bool(to, "holds", g->holds);
    json_put(to, "detail", g->detail);
    json_put(to, "mend", g->mend);
    json_close(to, '}');
}

/* ---- whose a file is ---- */

/* Something that is there and that we may not use, and what opens it: a command for `top`, which is
 * this path or a directory above it. */
static bool tell_shut(const char *path, const char *top, struct arena *a, struct ground *g)
{
    struct stat s;
    bool all;

    if (stat(path, &s) != 0 || access(path, R_OK | W_OK | (S_ISDIR(s.st_mode) ? X_OK : 0)) == 0 ||
        errno != EACCES)
        return false;
    all = S_ISDIR(s.st_mode);
    if (s.st_uid == geteuid()) {
        g->detail = arena_printf(a, "%s is yours, and its mode %03o keeps you out", path,
                                 (unsigned)(s.st_mode & 0777));
        g->mend = arena_printf(a, "chmod %su+rwX '%s'", all ? "-R " : "", top);
    } else {
        g->detail = s.st_uid == 0 ? arena_printf(a, "%s belongs to root and is shut to you", path)
                                  : arena_printf(a, "%s belongs to the user %u and is shut to you",
                                                 path, (unsigned)s.st_uid);
        g->mend =
            arena_printf(a, "sudo chown %s%u '%s'", all ? "-R " : "", (unsigned)geteuid(), top);
    }
    return true;
}

/* Something that is there and that anybody may change, what that would give them, and what shuts
 * it. */
static bool tell_open(const char *path, const char *given, struct arena *a, struct ground *g)
{
    struct stat s;

    if (!path || stat(path, &s) != 0 || !(s.st_mode & S_IWOTH))
        return false;
    g->detail = arena_printf(a, "everybody may write in %s, and so %s", path, given);
    g->mend = arena_printf(a, "chmod %so-w '%s'", S_ISDIR(s.st_mode) ? "-R " : "", path);
    return true;
}

/* ---- the ledger ---- */

/* A file that nobody sees, or only as long as it has a name. */
static int nameless(const char *directory, struct arena *a)
{
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    char *name;

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    name = arena_printf(a, "%s/.writ-XXXXXX", directory);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(name);
    return fd;
}

/* Whether a disk is full is known to who writes to it: what it says of itself leaves out quotas and
 * what is kept for root. */
static bool has_room(const char *directory, struct arena *a, struct error *e)
{
    static const char entries[ROOM];
    _fd_ int fd = nameless(directory, a);

    return (fd >= 0 && fd_write(fd, (struct str){ entries, ROOM }) && fdatasync(fd) == 0) ||
           error_sys(e, CODE_IO, "%s takes no more", directory);
}

/* Can something be made at this path? The nearest directory that is there decides. */
static bool can_make(const char *path, struct arena *a, struct error *e)
{
    char *at = arena_text(a, str_of(path)), *slash;
    struct stat s;

    while (stat(at, &s) != 0) {
        if (errno != ENOENT)
            return error_sys(e, CODE_IO, "%s cannot be made", path);
        slash = strrchr(at, '/');
        if (!slash || slash == at) {
            at = arena_text(a, str_of(slash ? "/" : "."));
            break;
        }
        *slash = '\0';
    }
    if (access(at, W_OK | X_OK) == 0)
        return has_room(at, a, e);
    return error_sys(e, CODE_IO, "%s cannot be written", at);
}

/* Can a file that is there grow? What is appended goes into others beside it first. */
static bool can_grow(const char *file, struct arena *a, struct error *e)
{
    const char *slash = strrchr(file, '/');
    const char *directory = slash == file ? "/"
                            : slash ? arena_text(a, (struct str){ file, (size_t)(slash - file) })
                                    : ".";

    if (access(file, W_OK) != 0)
        return error_sys(e, CODE_IO, "%s cannot be written", file);
    return access(directory, W_OK | X_OK) != 0 || has_room(directory, a, e);
}

/* Of what ledger_is_known() knows, an address is PostgreSQL's. */
static bool is_address(const char *where)
{
    return strstr(where, "://") && strncmp(where, "postgres", 8) == 0;
}

/* As writ exec would use it, but for making it. */
static bool can_keep(const char *where, struct arena *a, struct ground *g, struct error *e)
{
    struct store_open how = { .where = where, .access = STORE_READ, .world = world_real() };
    struct ledger l;

    g->detail = record_place(where, a);
    if (ledger_open(&how, a, &l, e)) {
        if (ledger_look(&l, e)) {
            g->newest_ms = l.tip.recorded_ms;
            ledger_look_end(&l);
        }
        ledger_close(&l);
        return is_address(where) || can_grow(where, a, e);
    }
    g->detail = arena_printf(a, "%s; the first run begins it", record_place(where, a));
    return e->code == CODE_LEDGER_MISSING && (is_address(where) || can_make(where, a, e));
}

/* Of a ledger's files one that is shut to us; SQLite has the others beside the file itself. */
static bool tell_shut_ledger(const char *where, struct arena *a, struct ground *g)
{
    static const char *const endings[] = { "", "-wal", "-shm" };
    char file[PATH_MAX];

    if (!realpath(where, file))
        return false;
    for (size_t i = 0; i < COUNT(endings); i++) {
        const char *path = arena_printf(a, "%s%s", file, endings[i]);

        if (tell_shut(path, path, a, g))
            return true;
    }
    return false;
}

/* What to do about a ledger that cannot be kept where it should be; `named` is WRIT_LEDGER's. */
static const char *mend_ledger(const struct error *e, const char *named, struct arena *a)
{
    const char *other = named ? "let WRIT_LEDGER name another place, or unset it for the usual one"
                              : "WRIT_STATE names another directory";

    if (e->code == CODE_LEDGER_DAMAGED)
        return "writ verify tells what became of it; WRIT_LEDGER names another";
    if (e->code == CODE_USAGE)
        return "mend WRIT_LEDGER, or unset it for the usual one";
    if (named && !ledger_can_open(named))
        return "install writ-postgres beside writ, or name its directory with WRIT_LIBEXEC";
    if (named && is_address(named) && !e->sys)
        return "mend the server or WRIT_LEDGER, or unset it for the usual one";
    if (e->sys == ENOSPC || e->sys == EDQUOT)
        return arena_printf(a, "make room there; %s", other);
    return other;
}

static struct ground ledger_ground(const char *const *environment, struct arena *a)
{
    const char *where = home_ledger(NULL, environment, a), *state = home_state(environment, a);
    const char *named = home_variable(environment, "WRIT_LEDGER");
    struct ground g = { .what = "ledger" };
    struct error e;
    bool has_state;

    if (!where || !state) {
        g.detail = "there is no place to keep a record of what ran";
        g.mend = "set WRIT_STATE to a directory, or HOME";
        return g;
    }
    has_state = can_make(state, a, &e);
    g.holds = has_state && can_keep(where, a, &g, &e);
    if ((!has_state && tell_shut(state, state, a, &g)) || tell_shut_ledger(where, a, &g))
        g.holds = false;
    else if (!g.holds) {
        g.detail = arena_text(a, str_of(e.msg));
        g.mend = mend_ledger(&e, has_state && named && *named ? where : NULL, a);
    }
    return g;
}

/* A ledger's times never decrease (A02-10): one clock that was wrong once gives them to all. */
static void put_clock(int64_t newest_ms, struct arena *a, struct buf *to)
{
    const struct world *world = world_real();
    int64_t now_ms = world->wall_ms(world->self);
    struct ground g = { .what = "clock" };
    char newest[STAMP_TEXT], now[STAMP_TEXT];

    if (newest_ms - now_ms < AHEAD_MS)
        return;
    stamp_text(newest_ms, newest);
    stamp_text(now_ms, now);
    g.detail =
        arena_printf(a,
                     "the ledger's last entry is of %s, and it is %s now; until then that is "
                     "the time of every new entry, in writ log and for --since and --until",
                     newest, now);
    g.mend =
        "set this clock if it is slow; else one was fast when that was recorded, and writ show "
        "has the times of the runs themselves";
    put(&g, to);
}

/* ---- the state directory ---- */

/* A command is recorded without them; much else fails then, and some of it says nothing. */
static void put_folders(const char *state, struct arena *a, struct buf *to)
{
    for (size_t i = 0; i < COUNT(state_folders); i++) {
        struct ground g = { .what = "state" };

        if (tell_shut(arena_printf(a, "%s/%s", state, state_folders[i]), state, a, &g))
            put(&g, to);
    }
}

static void put_state(const char *state, struct arena *a, struct buf *to)
{
    struct ground g = { .what = "state" };
    struct stat s;

    if (!state || stat(state, &s) != 0)
        return;
    if (tell_open(state, "replace the ledger, its keys and all evidence", a, &g))
        put(&g, to);
    if (geteuid() == 0 && s.st_uid != 0) {
        g.detail = arena_printf(a,
                                "%s belongs to the user %u, and what root keeps there is shut "
                                "to them",
                                state, (unsigned)s.st_uid);
        g.mend = "run writ as that user, or set WRIT_STATE to a directory of root's own";
        put(&g, to);
    }
    put_folders(state, a, to);
}

/* ---- settings ---- */

/* A worker is a program of the user's settings, and is started outside of the walls. */
static void put_settings(const char *const *environment, struct arena *a, struct buf *to)
{
    const char *directory = home_config(environment, a);
    struct ground g = { .what = "settings" };

    if (directory && (tell_open(directory, "say which workers there are", a, &g) ||
                      tell_open(arena_printf(a, "%s/config.yaml", directory),
                                "say which workers there are", a, &g)))
        put(&g, to);
}

/* ---- the project ---- */

static bool tell_passed_over(const char *path, struct arena *a, struct ground *g)
{
    g->detail = arena_printf(a,
                             "%s is passed over: it, or the directory it is in, belongs neither "
                             "to you, nor to root, nor to the owner of this directory",
                             path);
    g->mend = "if you trust it, take it over with chown; else give this directory its own: "
              "writ init";
    return true;
}

static bool tell_opened(const char *path, struct arena *a, struct ground *g)
{
    return tell_open(path, "say what commands of this project may do", a, g);
}

/* What can be wrong with them. */
static const struct {
    const char *(*find)(const char *from, const char *name, struct arena *a);
    bool (*tell)(const char *path, struct arena *a, struct ground *g);
} looks[] = { { home_passed_over, tell_passed_over }, { home_above, tell_opened } };

/* Of a directory and what is in it the directory alone is told. */
static void put_project(struct arena *a, struct buf *to)
{
    char here[PATH_MAX];

    if (!getcwd(here, sizeof here) || here[0] != '/')
        return;
    for (size_t k = 0; k < COUNT(looks); k++) {
        const char *told = NULL;

        for (size_t i = 0; i < COUNT(project_names); i++) {
            const char *path = looks[k].find(here, project_names[i], a);
            struct ground g = { .what = "project" };

            if (!path || (told && str_begins(str_of(path), told)) || !looks[k].tell(path, a, &g))
                continue;
            told = path;
            put(&g, to);
        }
    }
}

bool grounds_put(const char *refused, const char *const *environment, struct arena *a,
                 struct buf *to)
{
    struct ground directory = { .what = "directory", .holds = !refused, .detail = refused };
    struct ground ledger = ledger_ground(environment, a);

    json_key(to, "grounds");
    json_open(to, '[');
    put(&directory, to);
    put(&ledger, to);
    put_clock(ledger.newest_ms, a, to);
    put_state(home_state(environment, a), a, to);
    put_settings(environment, a, to);
    put_project(a, to);
    json_close(to, ']');
    return directory.holds && ledger.holds;
}
