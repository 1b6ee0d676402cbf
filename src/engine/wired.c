/* SPDX-License-Identifier: Apache-2.0 */
/* wired.c: starts a run beside us, with pipes to it, and sees to it that it ends. */
#include "engine/wired.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "contract/codes.h"

enum { LEAVE_MS = 3000 };

static void *run(void *self)
{
    struct wired *w = self;

    w->run(w->self, w->inner);
    own_close(&w->inner[0]);
    own_close(&w->inner[1]);
    return NULL;
}

bool wired_open(struct wired *w, struct error *e)
{
    w->inner[0] = w->inner[1] = w->stop[0] = w->stop[1] = -1;
    return pipe2(w->stop, O_CLOEXEC) == 0 || error_sys(e, CODE_IO, "no pipe to a server");
}

static bool make_lines(struct wired *w, int ours[2], struct error *e)
{
    int down[2], up[2];

    if (pipe2(down, O_CLOEXEC) != 0)
        return error_sys(e, CODE_IO, "no pipe to a server");
    if (pipe2(up, O_CLOEXEC) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return error_sys(e, CODE_IO, "no pipe to a server");
    }
    w->inner[0] = down[0];
    w->inner[1] = up[1];
    ours[0] = up[0];
    ours[1] = down[1];
    return true;
}

bool wired_start(struct wired *w, int ours[2], struct error *e)
{
    if (!make_lines(w, ours, e))
        return false;
    w->runs = pthread_create(&w->thread, NULL, run, w) == 0;
    if (w->runs)
        return true;
    own_close(&ours[0]);
    own_close(&ours[1]);
    return error_set(e, CODE_RESOURCE_EXHAUSTED, "no thread for a server");
}

bool wired_ended(struct wired *w, int64_t most_ms)
{
    int64_t ms = w->world->mono_ms(w->world->self) + most_ms;
    struct timespec until = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

    if (w->runs)
        w->runs = pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC, &until) != 0;
    if (w->runs && w->left)
        w->runs = pthread_join(w->thread, NULL) != 0;
    return !w->runs;
}

void wired_end(struct wired *w)
{
    if (wired_ended(w, w->deaf ? 0 : w->hurried ? WIRED_SOON_MS : LEAVE_MS))
        return;
    (void)!write(w->stop[1], "!", 1);
    (void)pthread_join(w->thread, NULL);
    w->runs = false;
}

void wired_close(struct wired *w)
{
    wired_end(w);
    own_close(&w->inner[0]);
    own_close(&w->inner[1]);
    own_close(&w->stop[0]);
    own_close(&w->stop[1]);
}
