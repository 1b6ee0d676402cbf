/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c: the threads that follow a plan. */
#include "cli/run_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>

#include "base/wish.h"
#include "base/world.h"
#include "cli/answer.h"
#include "cli/print.h"

enum { PIPE_BYTES = 1 << 20, READ_BYTES = 1 << 16, LINE_MAX_BYTES = 256 << 20 };

static int64_t now_ms(void)
{
    const struct world *world = world_real();

    return world->wall_ms(world->self);
}

/* ---- lines ---- */

static void take_line(struct run_watch *w, struct str line)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d;
    struct run_change change;

    if (!answer_try(line, &a, &d))
        return;
    if (w->view->raw)
        w->view->raw(w->view->self, line);
    change = run_state_take(w->state, d);
    if (w->view->take)
        w->view->take(w->view->self, w->state, &change);
}

void run_watch_feed(struct run_watch *w, struct str bytes)
{
    while (bytes.n > 0) {
        const char *end = memchr(bytes.s, '\n', bytes.n);
        size_t n = end ? (size_t)(end - bytes.s) : bytes.n;

        w->line.max = LINE_MAX_BYTES;
        buf_add(&w->line, bytes.s, n);
        n += end ? 1 : 0;
        bytes.s += n;
        bytes.n -= n;
        if (!end)
            return;
        if (buf_ok(&w->line))
            take_line(w, buf_str(&w->line));
        buf_reset(&w->line);
    }
}

/* False: there will be no more. */
static bool read_progress(struct run_watch *w)
{
    char bytes[READ_BYTES];
    ssize_t n = read(w->progress[0], bytes, sizeof bytes);

    if (n > 0)
        run_watch_feed(w, (struct str){ bytes, (size_t)n });
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* ---- the thread that shows ---- */

static void leave(struct run_watch *w)
{
    if (w->view->leave)
        w->view->leave(w->view->self);
    atomic_store(&w->moving, false);
}

/* Ctrl-Z: the screen is given back before writ stops, and drawn anew when it goes on. */
static void take_signal(struct run_watch *w)
{
    struct signalfd_siginfo info;

    if (read(w->sizes, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGWINCH && w->view->resize)
        w->view->resize(w->view->self);
    if (info.ssi_signo != SIGTSTP)
        return;
    leave(w);
    (void)kill(getpid(), SIGSTOP);
    if (w->view->resize)
        w->view->resize(w->view->self);
}

static void take_poke(struct run_watch *w)
{
    struct run_change change = { .event = RUN_FORCED };
    eventfd_t n;

    (void)eventfd_read(w->poke, &n);
    w->state->forced = true;
    if (w->view->take)
        w->view->take(w->view->self, w->state, &change);
}

static int tick(struct run_watch *w)
{
    if (!w->view->tick)
        return -1;
    if (w->view->leave)
        atomic_store(&w->moving, true);
    return w->view->tick(w->view->self, w->state, now_ms());
}

static void *show(void *self)
{
    struct run_watch *w = self;
    struct pollfd polled[] = { { .fd = w->progress[0], .events = POLLIN },
                               { .fd = w->sizes, .events = POLLIN },
                               { .fd = w->poke, .events = POLLIN } };
    bool more = true;

    if (w->view->begin)
        w->view->begin(w->view->self, w->state);
    while (more) {
        if (poll(polled, COUNT(polled), tick(w)) < 0 && errno != EINTR)
            break;
        if (polled[1].revents)
            take_signal(w);
        if (polled[2].revents)
            take_poke(w);
        if (polled[0].revents)
            more = read_progress(w);
    }
    (void)tick(w);
    leave(w);
    return NULL;
}

/* ---- the thread that hears ---- */

/* Told again, writ goes as if it had never listened. What is on the screen is taken away, unless
 * that would have to wait. */
static void go(struct run_watch *w, int sig)
{
    static const char back[] = "\r\033[J\033[?25h";
    struct pollfd screen = { .fd = STDERR_FILENO, .events = POLLOUT };
    sigset_t only;

    if (atomic_load(&w->moving) && w->view->resize && poll(&screen, 1, 0) == 1)
        err_frame(str_of(back));
    (void)signal(sig, SIG_DFL);
    (void)sigemptyset(&only);
    (void)sigaddset(&only, sig);
    (void)raise(sig);
    (void)pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

static void *hear(void *self)
{
    struct run_watch *w = self;
    struct pollfd polled[] = { { .fd = w->signals, .events = POLLIN },
                               { .fd = w->done, .events = POLLIN } };
    struct wishes heard = { 0 };

    while (poll(polled, COUNT(polled), -1) >= 0 || errno == EINTR) {
        struct signalfd_siginfo info;

        if (polled[1].revents)
            break;
        if (read(w->signals, &info, sizeof info) != sizeof info)
            continue;
        if (wish_insists(&heard, info.ssi_signo, world_real()))
            go(w, (int)info.ssi_signo);
        if (!w->heard)
            w->heard = (int)info.ssi_signo;
        (void)eventfd_write(w->force, 1);
        (void)eventfd_write(w->poke, 1);
    }
    return NULL;
}

/* ---- begin and end ---- */

bool run_watch_begin(struct run_watch *w, struct run_state *state, const struct run_view *view,
                     struct error *e)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };
    static const int screen[] = { SIGWINCH, SIGTSTP, 0 }, none[] = { 0 };

    *w = (struct run_watch){ .state = state, .view = view };
    (void)signal(SIGPIPE, SIG_IGN);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &w->before);
    w->signals = wish_listen(ends);
    w->sizes = wish_listen(view->resize ? screen : none);
    w->force = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->poke = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->signals < 0 || w->sizes < 0 || w->force < 0 || w->poke < 0 || w->done < 0 ||
        pipe2(w->progress, O_CLOEXEC) != 0)
        return error_sys(e, ERROR_IO, "the plan cannot be followed");
    (void)fcntl(w->progress[1], F_SETPIPE_SZ, PIPE_BYTES); /* or as large as there is */
    if ((errno = pthread_create(&w->shower, NULL, show, w)) != 0 ||
        (errno = pthread_create(&w->hearer, NULL, hear, w)) != 0)
        return error_sys(e, ERROR_IO, "the plan cannot be followed");
    return true;
}

static bool takes(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    return poll(&p, 1, 0) == 1;
}

/* Waits until all is shown, however long that takes; but where stderr takes nothing any more and
 * stdout does, who waits for the result is not to wait for ever. */
static bool await_shower(const struct run_watch *w)
{
    enum { LOOK_MS = 50, PATIENCE_MS = 2000 };
    const struct world *world = world_real();

    for (int deaf_ms = 0; deaf_ms < PATIENCE_MS; deaf_ms += LOOK_MS) {
        int64_t until = world->mono_ms(world->self) + LOOK_MS;
        struct timespec at = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };

        if (pthread_clockjoin_np(w->shower, NULL, CLOCK_MONOTONIC, &at) == 0)
            return true;
        if (w->view->raw || takes(STDERR_FILENO) || !takes(STDOUT_FILENO))
            deaf_ms = 0;
    }
    return false;
}

/* What came while the plan was ending meant the plan, and not its result. Who waits for somebody to
 * take that is ended by what comes from now on. */
static void stop_listening(const struct run_watch *w)
{
    struct signalfd_siginfo info;

    while (read(w->signals, &info, sizeof info) == sizeof info)
        ;
    (void)pthread_sigmask(SIG_SETMASK, &w->before, NULL);
}

bool run_watch_end(struct run_watch *w)
{
    const int ours[] = { w->progress[0], w->signals, w->sizes, w->force, w->poke, w->done };

    (void)close(w->progress[1]); /* the shower reads what is left, and ends */
    if (!await_shower(w)) {
        err_leave();
        return false;
    }
    (void)eventfd_write(w->done, 1);
    (void)pthread_join(w->hearer, NULL);
    w->state->heard = w->heard;
    stop_listening(w);
    for (size_t i = 0; i < COUNT(ours); i++)
        (void)close(ours[i]);
    buf_free(&w->line);
    return true;
}
