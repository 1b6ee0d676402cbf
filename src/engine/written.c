/* SPDX-License-Identifier: Apache-2.0 */
/* written.c: notes which directories a run can write, and compares a .writ with these notes. */
#include "engine/written.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "engine/home.h"
#include "sandbox/other_names.h"

/* A line has a fixed size, so that its end is written over in place. Of more than LINES_MOST the
 * older half becomes one line. TICK_MS: files get their times from a clock that is behind ours by
 * up to a tick of the kernel. */
enum {
    ENDED = 15,
    ID = 64,
    LINE = ENDED + 1 + ENDED + 1 + 1 + 1 + ID + 1,
    LINES_MOST = 256,
    FILE_MOST = 16 << 20,
    TICK_MS = 12
};

/* What was missing when the run began, and is protected where it is there. */
enum { MISSING_PROJECT = 1, MISSING_USER = 2 };

struct written_line {
    int fd;   /* locked */
    off_t at; /* where the line begins; -1: it could not be written */
    int64_t begun_ms;
    int missing;
    struct str id;
};

/* One line as it was read. */
struct window {
    int64_t begun_ms, ended_ms; /* 0: not ended */
    int missing;
    struct str id;
};

/* ---- lines ---- */

static bool parse_line(const char *line, struct window *out)
{
    char *end;

    out->begun_ms = strtoll(line, &end, 10);
    out->ended_ms = strtoll(end, &end, 10);
    out->missing = (int)strtol(end, &end, 10);
    if (line[LINE - 1] != '\n' || end != line + LINE - ID - 2)
        return false;
    out->id = str_trim((struct str){ end + 1, ID }, " ");
    return true;
}

/* One that cannot be read is taken for a run that could write at any time. */
static struct window line_at(struct str text, size_t i)
{
    struct window w;

    if (!parse_line(text.s + i * LINE, &w))
        w = (struct window){ .missing = MISSING_PROJECT | MISSING_USER, .id = str_of("unknown") };
    return w;
}

static const char *line_text(const struct window *w, struct arena *a)
{
    return arena_printf(a, "%0*" PRId64 " %0*" PRId64 " %d %-*.*s\n", ENDED, w->begun_ms, ENDED,
                        w->ended_ms, w->missing, ID, (int)(w->id.n < ID ? w->id.n : ID), w->id.s);
}

static bool read_lines(int fd, struct arena *a, struct str *out)
{
    struct error e;

    if (lseek(fd, 0, SEEK_SET) != 0 || !fd_read(fd, FILE_MOST, a, out, &e))
        return false;
    out->n -= out->n % LINE; /* another run is adding one */
    return true;
}

/* Makes one line of the older half. A line without an end has ended by now: the file is locked for
 * us alone. */
static bool merge_lines(int fd, const struct world *world, struct arena *a)
{
    struct window merged = { .begun_ms = INT64_MAX };
    const char *whole;
    struct str text;
    size_t older, size;

    if (!read_lines(fd, a, &text))
        return false;
    older = text.n / LINE / 2;
    for (size_t i = 0; i < older; i++) {
        struct window w = line_at(text, i);
        int64_t ended_ms = w.ended_ms ? w.ended_ms : world->wall_ms(world->self);

        merged.begun_ms = w.begun_ms < merged.begun_ms ? w.begun_ms : merged.begun_ms;
        merged.ended_ms = ended_ms > merged.ended_ms ? ended_ms : merged.ended_ms;
        merged.missing |= w.missing;
        merged.id = w.id;
    }
    whole = arena_printf(a, "%s%.*s", line_text(&merged, a), (int)(text.n - older * LINE),
                         text.s + older * LINE);
    size = strlen(whole);
    return pwrite(fd, whole, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0;
}

/* ---- a run ---- */

static const char *notes_of(const char *state, struct arena *a)
{
    return arena_printf(a, "%s/written", state);
}

static const char *note_name(const char *notes, const struct number *n, struct arena *a)
{
    return arena_printf(a, "%s/%ju-%jd", notes, (uintmax_t)n->ino, (intmax_t)n->born);
}

static int open_note(const char *name)
{
    return open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool add_line(const char *notes, const struct number *dir, const struct world *world,
                     struct written_line *line, struct arena *a, struct error *e)
{
    const char *name = note_name(notes, dir, a), *text;
    struct window w = { line->begun_ms, 0, line->missing, line->id };
    struct stat s;

    line->fd = open_note(name);
    if (line->fd < 0 && errno == ENOENT) {
        if (!fs_make_dirs(notes, e))
            return false;
        line->fd = open_note(name);
    }
    if (line->fd < 0 || fstat(line->fd, &s) != 0)
        return error_sys(e, CODE_IO, "%s cannot be written", name);
    if (s.st_size > LINES_MOST * LINE && flock(line->fd, LOCK_EX | LOCK_NB) == 0)
        (void)merge_lines(line->fd, world, a);
    if (flock(line->fd, LOCK_SH) != 0)
        return error_sys(e, CODE_IO, "%s cannot be locked", name);
    text = line_text(&w, a);
    if (fcntl(line->fd, F_SETFL, O_APPEND) != 0 || write(line->fd, text, LINE) != LINE ||
        fcntl(line->fd, F_SETFL, 0) != 0) /* or pwrite() would append, too */
        return error_sys(e, CODE_IO, "%s cannot be written", name);
    line->at = lseek(line->fd, 0, SEEK_CUR) - LINE;
    return true;
}

static bool is_outermost(const struct grants *g, const struct grant *grant)
{
    for (const struct grant *up = g->v; up < g->v + g->n; up++)
        if (up != grant && up->access == ACCESS_WRITE && up->is_dir &&
            path_is_in(grant->path, up->path) && (up < grant || strcmp(up->path, grant->path) != 0))
            return false;
    return true;
}

bool written_begin(const struct written_ask *ask, const struct world *world, struct arena *a,
                   struct written *out, struct error *e)
{
    const char *state = home_state(ask->environment, a), *user = home_config(ask->environment, a);
    const struct grants *g = ask->grants;
    int missing = !user || access(user, F_OK) != 0 ? MISSING_USER : 0;

    out->n = 0;
    if (!state)
        return true;
    out->v = arena_alloc(a, g->n * sizeof *out->v);
    for (size_t i = 0; i < g->n; i++) {
        const struct grant *dir = &g->v[i];
        struct written_line line = { .at = -1,
                                     .begun_ms = world->wall_ms(world->self) - TICK_MS,
                                     .missing = missing,
                                     .id = ask->execution_id };
        struct number number;
        bool is_dir, noted;

        if (dir->access != ACCESS_WRITE || !dir->is_dir || !is_outermost(g, dir) ||
            !number_of(AT_FDCWD, dir->path, AT_SYMLINK_NOFOLLOW, &number, &is_dir))
            continue; /* what is gone by now is told when the sandbox is built */
        if (access(arena_printf(a, "%s/.writ", dir->path), F_OK) != 0)
            line.missing |= MISSING_PROJECT;
        noted = add_line(notes_of(state, a), &number, world, &line, a, e);
        out->v[out->n++] = line;
        if (!noted) {
            written_end(out, world);
            return error_wrap(e, "that a command may write %s cannot be noted", dir->path);
        }
    }
    return true;
}

/* Where the end cannot be written, the run is taken for one that was killed. */
void written_end(struct written *w, const struct world *world)
{
    char ended[32];

    (void)snprintf(ended, sizeof ended, "%0*" PRId64, ENDED, world->wall_ms(world->self) + 1);
    for (size_t i = 0; i < w->n; i++) {
        if (w->v[i].at >= 0)
            (void)!pwrite(w->v[i].fd, ended, ENDED, w->v[i].at + ENDED + 1);
        own_close(&w->v[i].fd);
    }
    w->n = 0;
}

/* ---- who looks for a .writ ---- */

/* A file that is to be obeyed. */
struct look {
    const char *const *environment;
    const char *folder;  /* the .writ it is in, or the user's own directory */
    const char *file;    /* real */
    bool users;          /* the user's own */
    bool adopting;       /* a run that goes on and can write there counts, whatever it changed */
    int64_t adopted_ms;  /* 0: never */
    int64_t changes[16]; /* when the directories on the way to it and itself were changed */
    size_t change_count;
    bool looked;         /* the last two are known */
    bool hidden;         /* not all can be looked at: it may have been changed at any time */
    struct window found; /* that could have made it */
    bool live;           /* and goes on */
};

static void add_change(struct look *l, const char *path, int flags)
{
    struct stat s;

    if (fstatat(AT_FDCWD, path, &s, flags) != 0 || l->change_count == COUNT(l->changes))
        l->hidden = true;
    else
        l->changes[l->change_count++] = s.st_ctim.tv_sec * 1000LL + s.st_ctim.tv_nsec / 1000000;
}

/* Of the state directory that every run hides from its command, and no other: a command could make
 * one that is not there. */
static int64_t adopted_ms(const char *state, const struct number *folder, struct arena *a)
{
    const char *name = note_name(arena_printf(a, "%s/adopted", notes_of(state, a)), folder, a);
    struct str text;
    struct error e;

    return fs_read_file(name, LINE, a, &text, &e) ? strtoll(text.s, NULL, 10) : 0;
}

/* Of .writ/adapters/one.yaml: .writ, adapters and the file, and what each leads to as a link. */
static void look_at_files(struct look *l, struct arena *a)
{
    const char *rest = l->file + strlen(l->folder);
    struct number folder;
    bool is_dir;

    if (l->looked)
        return;
    l->looked = true;
    add_change(l, l->folder, AT_SYMLINK_NOFOLLOW);
    while ((rest = strchr(rest, '/')) != NULL) {
        size_t n = strcspn(++rest, "/");

        add_change(l, arena_text(a, (struct str){ l->file, (size_t)(rest - l->file) + n }),
                   AT_SYMLINK_NOFOLLOW);
    }
    add_change(l, l->folder, 0);
    add_change(l, l->file, 0);
    if (home_state(l->environment, a) && number_of(AT_FDCWD, l->folder, 0, &folder, &is_dir))
        l->adopted_ms = adopted_ms(home_state(l->environment, a), &folder, a);
}

static bool changed_in(struct look *l, const struct window *w, struct arena *a)
{
    look_at_files(l, a);
    for (size_t i = 0; i < l->change_count; i++)
        if (l->changes[i] > l->adopted_ms && l->changes[i] >= w->begun_ms &&
            (!w->ended_ms || l->changes[i] <= w->ended_ms))
            return true;
    return l->hidden;
}

/* Could the command of that line have made it? What is always protected, it could only while it was
 * missing. */
static bool could_make(struct look *l, const struct window *w, int always, bool live,
                       struct arena *a)
{
    if (always && !(w->missing & always))
        return false;
    if (l->adopting)
        return live && !w->ended_ms;
    return (always && live && !w->ended_ms) || changed_in(l, w, a);
}

/* A writ that was killed has no command any more: a .writ that is made from now on is not its own.
 * The file is locked for us alone. */
static void end_killed(int fd, struct arena *a)
{
    const struct world *world = world_real();
    struct str lines;

    if (!read_lines(fd, a, &lines))
        return;
    for (size_t i = 0; i < lines.n / LINE; i++) {
        struct window w = line_at(lines, i);
        const char *ended = arena_printf(a, "%0*" PRId64, ENDED, world->wall_ms(world->self));

        if (!w.ended_ms)
            (void)!pwrite(fd, ended, ENDED, (off_t)(i * LINE) + ENDED + 1);
    }
}

/* The notes of one directory above it. `always`: what it is there that every run protects. */
static bool was_written(struct look *l, const char *name, int always, struct arena *a)
{
    _fd_ int fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct str lines;
    bool live = true;

    if (fd < 0)
        return errno != ENOENT && errno != ENOTDIR && errno != EACCES;
    if (!read_lines(fd, a, &lines))
        return true;
    for (size_t i = 0; i < lines.n / LINE; i++) {
        struct window w = line_at(lines, i);

        if (!w.ended_ms && live && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            live = false;
            end_killed(fd, a);
        }
        if (!could_make(l, &w, always, live, a))
            continue;
        l->found = w;
        l->live = live && !w.ended_ms;
        return true;
    }
    return false;
}

/* In every state directory that a run on this machine would use with this environment. */
static bool was_written_below(struct look *l, const char *dir, int always, struct arena *a)
{
    struct number number;
    bool is_dir;

    if (!number_of(AT_FDCWD, dir, 0, &number, &is_dir))
        return false;
    for (const char *const *state = home_states(l->environment, a); *state; state++)
        if (was_written(l, note_name(notes_of(*state, a), &number, a), always, a))
            return true;
    return false;
}

/* Is it in a directory that a run could write when it was changed? */
static bool is_made(struct look *l, const char *path, int always, struct arena *a)
{
    char *at = arena_text(a, str_of(path));

    for (char *slash = strrchr(at, '/'); slash; slash = strrchr(at, '/')) {
        *slash = '\0';
        if (was_written_below(l, *at ? at : "/", always, a))
            return true;
        if (!l->users)
            always = 0; /* further up it is a name like any other */
    }
    return false;
}

/* The directory `.writ` on the way to a file, else the user's own. */
static const char *folder_of(const char *file, const char *user, struct arena *a)
{
    static const char name[] = "/.writ/";
    const char *last = NULL;

    if (user && path_is_in(file, user))
        return user;
    for (const char *at = strstr(file, name); at; at = strstr(at + 1, name))
        last = at + strlen(name) - 1;
    return last ? arena_text(a, (struct str){ file, (size_t)(last - file) }) : NULL;
}

static const char *real_path(const char *path, struct arena *a)
{
    char real[PATH_MAX];

    return realpath(path, real) ? arena_text(a, str_of(real)) : NULL;
}

static bool refuse(const struct look *l, struct error *e)
{
    return error_set(e, CODE_NOT_ADOPTED,
                     "the command of run %.*s%s could make or change %s, which is not obeyed; look "
                     "at it%s, then adopt it with `writ adopt %s`, or remove it",
                     STR_ARG(l->found.id), l->live ? ", which goes on," : "", l->file,
                     l->live ? " when the run has ended" : "", l->folder);
}

bool written_trusts(const char *const *environment, const char *file, struct arena *a,
                    struct error *e)
{
    const char *user = home_config(environment, a), *folder = folder_of(file, user, a), *real;
    struct look l = {
        .environment = environment, .folder = folder, .file = file, .users = folder == user
    };
    int always = l.users ? MISSING_USER : MISSING_PROJECT;
    const char *slash = folder ? strrchr(folder, '/') : NULL, *top;

    if (!slash)
        return true;
    top = real_path(arena_text(a, (struct str){ folder, (size_t)(slash - folder) + 1 }), a);
    real = real_path(file, a);
    if (!top || !real)
        return error_sys(e, CODE_IO, "%s cannot be found any more", file);
    if (is_made(&l, arena_printf(a, "%s/", strcmp(top, "/") == 0 ? "" : top), always, a))
        return refuse(&l, e);
    /* A link leads elsewhere. */
    return path_is_in(real, arena_printf(a, "%s%s", top, slash)) || !is_made(&l, real, 0, a) ||
           refuse(&l, e);
}

bool written_adopt(const char *const *environment, const char *folder, struct arena *a,
                   struct error *e)
{
    const struct world *world = world_real();
    const char *const *states = home_states(environment, a);
    const char *adopted, *real = real_path(folder, a);
    struct look l = {
        .environment = environment, .folder = folder, .file = folder, .adopting = true
    };
    struct number number;
    bool is_dir;

    if (!real || !number_of(AT_FDCWD, real, 0, &number, &is_dir) || !is_dir)
        return error_sys(e, CODE_IO, "%s cannot be looked at", folder);
    if (!states[0])
        return error_set(e, CODE_IO, "there is no place to note it; name one with WRIT_STATE");
    if (is_made(&l, real, MISSING_PROJECT, a) && l.live)
        return error_set(e, CODE_NOT_ADOPTED,
                         "the command of run %.*s can still change %s: adopt it when the run has "
                         "ended",
                         STR_ARG(l.found.id), folder);
    adopted = arena_printf(a, "%s/adopted", notes_of(states[0], a));
    return fs_make_dirs(adopted, e) &&
           fs_write(note_name(adopted, &number, a),
                    str_of(arena_printf(a, "%" PRId64 "\n", world->wall_ms(world->self))), e);
}
