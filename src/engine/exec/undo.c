/* SPDX-License-Identifier: Apache-2.0 */
/* undo.c: names that must not be: what came into being in a run is put aside when its tree is
 * dead. */
#include "engine/exec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "sandbox/cow_plan.h"
#include "sandbox/gitdir.h"

enum { MARK = 8 };

/* ---- where to look ---- */

/* Somebody can put another directory, or a link, in the place of one that was granted: what stands
 * there then is none of the run's, and nothing in it is touched. -1: it is not there any more. */
static int open_granted(const struct grant *grant)
{
    int fd = open(grant->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;

    if (fd >= 0 && (fstat(fd, &s) != 0 || s.st_dev != grant->dev || s.st_ino != grant->ino))
        own_close(&fd);
    return fd;
}

static bool is_in_cow(const struct exec *x)
{
    return x->request.sandbox->filesystem->write_mode == WRITE_COW;
}

/* The entry around a name that the command could make; NULL where it could not. */
static const struct grant *around(const struct exec *x, const struct absent *absent)
{
    const struct grant *found = grants_decide(&x->reach.grants, absent->path);

    return found && found->access == ACCESS_WRITE && found->is_dir ? found : NULL;
}

static struct watched *watched(const struct exec *x, const struct grant *grant)
{
    return &x->watched[grant - x->reach.grants.v];
}

static void watch_none(struct exec *x)
{
    x->watched_count = x->reach.grants.n;
    x->watched = arena_alloc(x->a, x->watched_count * sizeof *x->watched);
    for (size_t i = 0; i < x->watched_count; i++)
        x->watched[i] = (struct watched){ .fd = -1 };
}

enum { WATCHED_PART = 8 };

/* Numbers are given out from below: one tells how many all runs of this process have open. The rest
 * is for what they cannot do without. */
static rlim_t watched_most(void)
{
    struct rlimit all;

    return getrlimit(RLIMIT_NOFILE, &all) == 0 ? all.rlim_cur / WATCHED_PART : 0;
}

static bool is_outermost(const struct grants *g, const struct grant *grant)
{
    for (const struct grant *up = g->v; up < g->v + g->n; up++)
        if (up != grant && up->access == ACCESS_WRITE && path_is_in(grant->path, up->path))
            return false;
    return true;
}

/* By their names they may not be found afterwards: whoever else may write around them can move them
 * away, and the command itself can shut a directory on the way. Of those that lie in another, some
 * may not be held for want of descriptors: they are looked for by their names, and told if they are
 * others by then. */
bool exec_watch(struct exec *x, struct error *e)
{
    const struct written_ask ask = { .environment = x->command->environment,
                                     .grants = &x->reach.grants,
                                     .execution_id = x->request.execution_id };
    rlim_t most = watched_most();

    watch_none(x);
    if (is_in_cow(x))
        return true;
    for (size_t i = 0; i < x->reach.absent.n; i++) {
        const struct grant *grant = around(x, &x->reach.absent.v[i]);
        struct watched *w = grant ? watched(x, grant) : NULL;

        if (!w || w->fd >= 0)
            continue;
        w->fd = open_granted(grant);
        if (w->fd >= 0 && (rlim_t)w->fd >= most && !is_outermost(&x->reach.grants, grant))
            own_close(&w->fd);
    }
    return absents_watch(&x->reach.absent, &x->reach.grants, e) &&
           written_begin(&ask, x->world, x->a, &x->written, e);
}

void exec_unwatch(struct exec *x)
{
    for (size_t i = 0; i < x->watched_count; i++)
        own_close(&x->watched[i].fd);
    x->watched = NULL;
    x->watched_count = 0;
    absents_unwatch(&x->reach.absent);
    written_end(&x->written, x->world);
}

/* ---- what was done ---- */

static void tell(struct exec *x, struct violation violation)
{
    x->now.violations[x->now.violation_count++] = violation;
}

/* It is no longer what it was, and whatever lay on it or in it went with it. */
static void tell_replaced(struct exec *x, const struct grant *was)
{
    if (watched(x, was)->told)
        return;
    watched(x, was)->told = true;
    tell(x, (struct violation){ .path = was->path,
                                .act = "replaced",
                                .rule = was->access >= ACCESS_PROTECTED ? access_names[was->access]
                                                                        : "granted" });
}

/* The kernel takes a mount away before the name below it is another's. Who reads the directory
 * waits until it is. */
static void await_names(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');
    DIR *dir =
        opendir(slash > path ? arena_text(a, (struct str){ path, (size_t)(slash - path) }) : "/");

    if (!dir)
        return;
    (void)readdir(dir);
    (void)closedir(dir);
}

/* A wall was gone: which? */
static void tell_gone(struct exec *x)
{
    const struct grants *g = &x->reach.grants;

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *was = &g->v[i];
        struct stat now;

        await_names(was->path, x->a);
        if (lstat(was->path, &now) != 0 || now.st_dev != was->dev || now.st_ino != was->ino)
            tell_replaced(x, was);
    }
}

/* ---- undoing ---- */

/* What is hidden from us may be there. */
static bool is_harmless(enum fs_found found, const struct absent *absent)
{
    return found == FS_NOTHING || (found == FS_DIRECTORY && absent->links_only) ||
           (found == FS_LED_AWAY && absent->led);
}

static struct violation made(const struct absent *absent, enum fs_found found)
{
    return (struct violation){ .path = absent->path,
                               .act = found == FS_LED_AWAY ? "led elsewhere"
                                      : found == FS_HIDDEN ? "hidden"
                                                           : "created",
                               .rule = absent->denied ? "denied" : "protected" };
}

/* Eight digits by which a person finds the run: its id's own, or those of the id's digest where it
 * has others, as a name that leads elsewhere. */
static const char *mark_of(const struct exec *x)
{
    struct str id = x->request.execution_id;
    struct digest d = digest_of(id.s, id.n);
    char text[DIGEST_TEXT];
    size_t digits = 0;

    while (digits < MARK && digits < id.n && is_one_of(id.s[digits], "0123456789abcdef"))
        digits++;
    digest_text(&d, text);
    return arena_printf(x->a, "%.*s", MARK, digits == MARK ? id.s : text + strlen("sha256:"));
}

/* Nobody can tell whether the command made it, or the user's editor meanwhile: under another name
 * no tool obeys it, and nobody loses it. The command may have taken the name; no other can be
 * foreseen. NULL: it stays where it is. */
static const char *move_aside(const struct exec *x, int root, const char *below)
{
    const char *mark = mark_of(x), *ending = arena_printf(x->a, ".writ-%s", mark), *now;
    char at[PATH_MAX];

    while (!fs_rename_below(root, below, ending, x->a, &now)) {
        uint32_t number;

        if (errno != EEXIST)
            return NULL;
        x->world->chance(x->world->self, &number, sizeof number);
        ending = arena_printf(x->a, ".writ-%s-%" PRIu32, mark, number);
    }
    if (!path_of_open(root, at))
        return now;
    return arena_printf(x->a, "%s/%s", strcmp(at, "/") == 0 ? "" : at, now);
}

/* Another name needs room, which the command may have used up; to remove one needs none. */
static bool is_full(void)
{
    return errno == ENOSPC || errno == EDQUOT;
}

static void undo(struct exec *x, const struct absent *absent)
{
    const struct grant *grant = around(x, absent);
    struct violation violation;
    enum fs_found found;
    struct watched *w;
    const char *below;
    struct error e;

    if (!grant)
        return;
    w = watched(x, grant);
    if (w->fd < 0)
        w->fd = open_granted(grant);
    if (w->fd < 0) {
        tell_replaced(x, grant);
        return;
    }
    below = absent->path + strlen(grant->path) + 1;
    found = fs_find_below(w->fd, below);
    if (is_harmless(found, absent) || (absent->bare && !gitdir_is_around(w->fd, below, x->a)))
        return;
    violation = made(absent, found);
    violation.moved_to = move_aside(x, w->fd, below);
    violation.undone = violation.moved_to || (is_full() && fs_remove_below(w->fd, below, &e));
    tell(x, violation);
}

/* In write mode cow the disk has nothing of it, and all in the layer is the command's; what that
 * could not hold is taken out of it, so that nobody commits it. A directory may have so much in it
 * that to remove it takes minutes: it stays, and goes with the layer. */
static void undo_in_layer(struct exec *x, const struct absent *absent)
{
    const struct cow_layer *layer = cow_around(&x->outcome.cow, absent->path);
    struct violation violation;
    enum fs_found found;
    const char *below;
    struct error e;

    if (!layer || cow_holds(&x->outcome.cow, absent->path) ||
        strlen(absent->path) <= strlen(layer->root))
        return;
    below = absent->path + strlen(layer->root) + 1;
    found = fs_find_below(layer->merged, below);
    if (is_harmless(found, absent))
        return;
    violation = made(absent, found);
    violation.undone = found == FS_DIRECTORY || fs_remove_below(layer->merged, below, &e);
    if (found == FS_DIRECTORY)
        cow_leave_out(&x->outcome.cow, absent->path, x->a);
    tell(x, violation);
}

void exec_undo(struct exec *x)
{
    const struct absents *absent = &x->reach.absent;

    if (!x->watched)
        return; /* nothing ran in our walls: whatever is there, somebody else made it */
    x->now.violations =
        arena_alloc(x->a, (absent->n + x->reach.grants.n) * sizeof *x->now.violations);
    if (x->outcome.cause == CAUSE_VIOLATION && !x->outcome.excess)
        tell_gone(x);
    for (size_t i = 0; i < absent->n; i++) {
        if (is_in_cow(x))
            undo_in_layer(x, &absent->v[i]);
        else
            undo(x, &absent->v[i]);
    }
    exec_unwatch(x);
}

/* ---- what to do about it ---- */

static bool printed_has(const struct printed *p, const char *text)
{
    return (p->head.n && memmem(p->head.s, p->head.n, text, strlen(text))) ||
           (p->tail.n && memmem(p->tail.s, p->tail.n, text, strlen(text)));
}

/* Did the command say that it could not write this file? What the kernel refuses is not seen, and
 * git ends with 0 all the same. */
static bool says_unwritten(const struct printed *err, const char *path)
{
    static const int why[] = { EROFS, EBUSY, EACCES, EPERM };

    if (!printed_has(err, strrchr(path, '/') + 1))
        return false;
    for (size_t i = 0; i < COUNT(why); i++)
        if (printed_has(err, strerrordesc_np(why[i])))
            return true;
    return false;
}

static void add_hint(const struct exec *x, const char *path, struct buf *to)
{
    const char *name = protected_allowable(&x->reach.grants, path), *option;

    if (!name)
        return;
    option = arena_printf(x->a, " --allow-protected %s", name);
    if (!to->len || !strstr(to->s, option))
        buf_adds(to, option);
}

void exec_put_hint(const struct exec *x, struct buf *to)
{
    _buf_ struct buf text = { .max = 1 << 12 };

    for (size_t i = 0; i < x->now.violation_count; i++)
        if (strcmp(x->now.violations[i].rule, access_names[ACCESS_PROTECTED]) == 0)
            add_hint(x, x->now.violations[i].path, &text);
    for (size_t i = 0; i < x->reach.grants.n; i++)
        if (x->reach.grants.v[i].access == ACCESS_PROTECTED &&
            says_unwritten(&x->outcome.err, x->reach.grants.v[i].path))
            add_hint(x, x->reach.grants.v[i].path, &text);
    if (text.len)
        json_put(to, "hint",
                 arena_printf(x->a, "protected names are not written; to allow it: writ exec%s",
                              text.s));
}
