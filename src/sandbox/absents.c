/* SPDX-License-Identifier: Apache-2.0 */
/* absents.c: the list of names that are not there, and the watch for those that are denied. */
#include "sandbox/absents.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "contract/codes.h"

/* A denied name, and the first name on the way to it that is not there. */
struct awaited {
    const char *path, *top; /* top: the directory that may be written */
    int in;                 /* where the kernel looks for it */
    struct str name;
    bool last; /* it is the denied name itself */
};

struct absents_watch {
    int fd;
    bool came;
    struct awaited *v;
    size_t n;
};

void absents_add(struct absents *list, struct absent absent)
{
    list->v = arena_more(list->a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = absent;
}

bool absents_pin(const struct absents *list, struct grants *g, struct error *e)
{
    for (size_t i = 0; i < list->n; i++)
        if (!grants_pin_way(g, list->v[i].path, list->v[i].denied, e))
            return false;
    return true;
}

/* ---- the watch ---- */

/* Looks for the first name that is not there, and has the kernel tell when it is. What came before
 * the kernel looked is found by looking again. */
static bool await_next(struct absents_watch *w, struct awaited *one, struct arena *a)
{
    const char *rest = one->path + strlen(one->top) + 1;
    struct stat s;

    for (;;) {
        size_t n = strcspn(rest, "/");
        const char *path = arena_text(a, (struct str){ one->path, (size_t)(rest - one->path) + n });
        const char *dir = arena_text(a, (struct str){ one->path, (size_t)(rest - one->path) - 1 });

        one->name = (struct str){ rest, n };
        one->last = rest[n] == '\0';
        if (lstat(path, &s) != 0) {
            one->in = inotify_add_watch(w->fd, dir, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
            if (one->in < 0)
                return errno == ENOENT || errno == ENOTDIR; /* moved away with what is in it */
            if (lstat(path, &s) != 0)
                return true;
        }
        if (one->last || S_ISLNK(s.st_mode)) {
            w->came = true;
            return true;
        }
        if (!S_ISDIR(s.st_mode))
            return true; /* nothing can be below a file */
        rest += n + 1;
    }
}

bool absents_watch(struct absents *list, const struct grants *g, struct error *e)
{
    struct absents_watch *w = arena_new(list->a, struct absents_watch);

    w->fd = -1;
    w->v = arena_alloc(list->a, list->n * sizeof *w->v);
    for (size_t i = 0; i < list->n; i++) {
        const struct absent *absent = &list->v[i];
        const struct grant *around = absent->denied ? grants_decide(g, absent->path) : NULL;
        struct awaited *one = &w->v[w->n];

        if (!around || around->access != ACCESS_WRITE || !around->is_dir || absent->led)
            continue;
        if (w->fd < 0)
            w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        list->watch = w;
        *one = (struct awaited){ .path = absent->path, .top = around->path, .in = -1 };
        if (w->fd < 0 || !await_next(w, one, list->a)) {
            error_sys(e, CODE_PATH_REFUSED, "%s is denied and not there, and cannot be watched",
                      absent->path);
            absents_unwatch(list);
            return false;
        }
        w->n++;
    }
    return true;
}

void absents_unwatch(struct absents *list)
{
    if (list->watch && list->watch->fd >= 0)
        (void)close(list->watch->fd);
    list->watch = NULL;
}

int absents_watched(const struct absents *list)
{
    return list && list->watch ? list->watch->fd : -1;
}

static bool is_on_way(const struct awaited *one, const char *name)
{
    struct str rest = str_of(one->path + strlen(one->top) + 1);

    while (rest.n)
        if (str_is(str_cut(&rest, "/"), name))
            return true;
    return false;
}

/* Where the kernel lost count, or cannot look at what came up on the way, it is looked at by name.
 */
static void hear_of(struct absents_watch *w, const struct inotify_event *event, struct arena *a)
{
    for (size_t i = 0; i < w->n; i++) {
        struct awaited *one = &w->v[i];
        bool lost = event->mask & IN_Q_OVERFLOW, itself;

        if (!lost && (!event->len || !is_on_way(one, event->name)))
            continue;
        itself = !lost && one->last && event->wd == one->in && str_is(one->name, event->name);
        w->came = itself || !await_next(w, one, a) || w->came;
    }
}

bool absents_came(const struct absents *list)
{
    struct absents_watch *w = list ? list->watch : NULL;
    char events[4096] __attribute__((aligned(8)));
    ssize_t n;

    if (!w)
        return false;
    while ((n = read(w->fd, events, sizeof events)) > 0) {
        _arena_ struct arena scratch = { 0 };

        for (char *at = events; at < events + n && !w->came;) {
            const struct inotify_event *event = (const void *)at;

            hear_of(w, event, &scratch);
            at += sizeof *event + event->len;
        }
    }
    return w->came;
}
