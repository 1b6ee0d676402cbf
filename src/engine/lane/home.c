/* SPDX-License-Identifier: Apache-2.0 */
/* home.c: makes the directory of a lane, and hears who wants it ended. */
#include "engine/lane_home.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/fs.h"
#include "contract/codes.h"
#include "engine/home.h"

const char *lane_home_all(const char *state, struct arena *a)
{
    return arena_printf(a, "%s/lanes", state);
}

const char *lane_home_marks(const char *state, struct arena *a)
{
    return arena_printf(a, "%s/open_lanes", state);
}

/* ---- who wants it ended ---- */

/* Each time somebody asks, the lane is told once more: the second time ends it at once. */
static void pass_on(struct lane_home *h, uint64_t times)
{
    if (times)
        (void)!write(h->cancel, &times, sizeof times);
}

/* A line for each time: the reason, which may be empty. Who writes at the same time has his line
 * read with ours. */
static uint64_t hear_pipe(struct lane_home *h)
{
    char line[sizeof h->reason];
    ssize_t n = read(h->pipe, line, sizeof line - 1);
    uint64_t times = 0;

    if (n <= 0)
        return 0;
    for (ssize_t i = 0; i < n; i++)
        times += line[i] == '\n';
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    (void)pthread_mutex_lock(&h->lock);
    if (!h->reason[0])
        memcpy(h->reason, line, strlen(line) + 1);
    (void)pthread_mutex_unlock(&h->lock);
    return times;
}

static void *watch(void *self)
{
    struct lane_home *h = self;
    struct cancel_calls calls = { 0 };

    for (;;) {
        struct pollfd fds[] = { { .fd = h->quit, .events = POLLIN },
                                { .fd = h->pipe, .events = POLLIN },
                                { .fd = h->from, .events = POLLIN } };

        if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
            return NULL;
        if (fds[0].revents)
            return NULL;
        if (fds[1].revents)
            pass_on(h, hear_pipe(h));
        if (fds[2].revents)
            pass_on(h, cancel_heard(&h->from, &calls, h->transcript.world)); /* one at a time */
    }
}

const char *lane_home_reason(struct lane_home *h, struct arena *a)
{
    const char *reason;

    if (h->alone)
        return NULL;
    (void)pthread_mutex_lock(&h->lock);
    reason = h->reason[0] ? arena_text(a, str_of(h->reason)) : NULL;
    (void)pthread_mutex_unlock(&h->lock);
    return reason;
}

/* ---- its directory ---- */

static const char *inside(const struct lane_home *h, const char *name, struct arena *a)
{
    return arena_printf(a, "%s/%s/%s", h->all, h->run_id, name);
}

/* Open for both, so that it never ends when a writer goes. */
static bool open_ears(struct lane_home *h, struct arena *a, struct error *e)
{
    const char *path = inside(h, "cancel", a);

    if (mkfifo(path, 0600) != 0)
        return error_sys(e, CODE_IO, "%s cannot be made", path);
    h->pipe_path = path;
    h->pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    h->quit = eventfd(0, EFD_CLOEXEC);
    h->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (h->pipe < 0 || h->quit < 0 || h->cancel < 0)
        return error_sys(e, CODE_IO, "%s cannot be opened", path);
    (void)pthread_mutex_init(&h->lock, NULL);
    h->watched = pthread_create(&h->thread, NULL, watch, h) == 0;
    return h->watched || error_set(e, CODE_IO, "nobody could hear that the lane should end");
}

static bool make_directory(struct lane_home *h, struct arena *a, struct error *e)
{
    const char *own = arena_printf(a, "%s/%s", h->all, h->run_id);

    if (mkdir(own, 0700) == 0)
        return true;
    if (errno == ENOENT) { /* the first lane of all */
        if (!fs_make_dirs(h->all, e))
            return error_wrap(e, "lanes cannot be kept");
        if (mkdir(own, 0700) == 0)
            return true;
    }
    if (errno == EEXIST)
        return error_set(e, CODE_EXECUTION_USED,
                         "the lane %s is there already: an execution id is used once", h->run_id);
    return error_sys(e, CODE_IO, "%s cannot be made", own);
}

/* That it cannot be told that it runs keeps nothing from running. */
static void put_mark(struct lane_home *h, const char *state, struct arena *a)
{
    const char *marks = lane_home_marks(state, a);
    struct error ignored;

    if (!fs_make_dirs(marks, &ignored))
        return;
    h->mark_path = arena_printf(a, "%s/%s", marks, h->run_id);
    h->mark = open(h->mark_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (h->mark >= 0)
        (void)flock(h->mark, LOCK_EX);
}

bool lane_log_open(struct lane_log *log, const char *state, struct str plan, struct arena *a,
                   struct error *e)
{
    const char *all = lane_home_all(state, a);

    log->torn = arena_new(a, atomic_bool);
    log->path = arena_printf(a, "%s/plan-%.*s.jsonl", all, STR_ARG(plan));
    if (!fs_make_dirs(all, e))
        return error_wrap(e, "lanes cannot be kept");
    log->fd =
        open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    return log->fd >= 0 || error_sys(e, CODE_IO, "%s cannot be made", log->path);
}

bool lane_home_open(struct lane_home *h, const struct lane_home_ask *ask, struct arena *a,
                    struct error *e)
{
    *h = (struct lane_home){ .run_id = arena_printf(a, "run-%s", home_part(ask->execution, a)),
                             .transcript = { .fd = -1 },
                             .alone = ask->log != NULL,
                             .cancel = ask->log ? ask->cancel : -1,
                             .from = ask->cancel,
                             .mark = -1,
                             .pipe = -1,
                             .quit = -1 };
    if (!ask->state)
        return error_set(e, CODE_IO,
                         "there is no place for a transcript; name one with WRIT_STATE");
    h->all = lane_home_all(ask->state, a);
    h->transcript = (struct transcript){
        .world = ask->world,
        .fd = -1,
        .run_id = h->run_id,
        .trace_id = arena_printf(a, "trace-%.*s", STR_ARG(ask->correlation)),
        .listener = ask->listener,
    };
    if (ask->log) {
        h->transcript.fd = ask->log->fd;
        h->transcript.path = ask->log->path;
        h->transcript.torn = ask->log->torn;
        h->transcript.shared = true;
        return true;
    }
    put_mark(h, ask->state, a);
    h->made = make_directory(h, a, e);
    return h->made && transcript_open(&h->transcript, inside(h, "transcript.jsonl", a), e) &&
           open_ears(h, a, e);
}

const char *lane_home_keep(const struct lane_home *h, const char *name, struct str text,
                           struct arena *a, struct error *e)
{
    const char *path = inside(h, name, a);

    return fs_write(path, text, e) ? path : NULL;
}

/* What cannot be put aside stays: then the id is taken for used. */
static void put_aside(const struct lane_home *h)
{
    _arena_ struct arena a = { 0 };
    const char *own = arena_printf(&a, "%s/%s", h->all, h->run_id);
    const char *aside = arena_printf(&a, "%s/refused-%s", h->all, h->run_id + strlen("run-"));

    if (rename(own, aside) == 0)
        return;
    (void)unlink(arena_printf(&a, "%s/transcript.jsonl", aside)); /* of one before */
    (void)!rename(own, aside);
}

void lane_home_close(struct lane_home *h)
{
    uint64_t once = 1;

    if (h->watched) {
        (void)!write(h->quit, &once, sizeof once);
        (void)pthread_join(h->thread, NULL);
        (void)pthread_mutex_destroy(&h->lock);
    }
    if (!h->transcript.shared)
        own_close(&h->transcript.fd); /* where the lane did not come to its end */
    if (h->alone)
        return;
    if (h->pipe_path)
        (void)unlink(h->pipe_path);
    own_close(&h->pipe);
    own_close(&h->quit);
    own_close(&h->cancel);
    if (h->made && !h->used)
        put_aside(h);
    if (h->mark >= 0 && (h->ended || !h->used)) /* else the next one gives it its end */
        (void)unlink(h->mark_path);
    own_close(&h->mark);
}
