/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c: listens to what a legacy server says beside its answers: it may ask, and waits.
 *
 * By GET, in a thread, for as long as the connection is open. A server that has no such stream says
 * so, and that is that.
 */
#include <poll.h>
#include <sys/eventfd.h>

#include "adapter/mcp/http.h"

enum {
    DAY_MS = 24 * 3600 * 1000,
    AGAIN_MS = 1000, /* where the server names no time */
    AGAINS = 1000,   /* that a stream that ended is taken up */
    BEGIN_MS = 500,  /* that a call waits for the stream, at most */
};

struct listener {
    pthread_t thread;
    struct mcp *m;
    int stop, begun; /* eventfds */
};

/* Waits, at most so long, until it is told. */
static bool is_told(int fd, int64_t ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, (int)ms) > 0;
}

static void *listen_main(void *self)
{
    const struct listener *l = self;
    _arena_ struct arena a = { 0 };
    struct mcp_exchange x = { .method = "", .cancel = l->stop, .wake = -1, .a = &a };
    struct post p = post_of(l->m, &x);

    p.begun = l->begun;
    for (int i = 0; i < AGAINS; i++) {
        struct str last;

        x.end_ms = mcp_now(l->m) + DAY_MS;
        last = (struct str){ arena_text(&a, buf_str(&p.sse.last_id)), p.sse.last_id.len };
        post_ask(&p, "GET", last);
        if (!p.streams || x.end == MCP_CANCELLED || sse_full(&p.sse) ||
            is_told(l->stop, p.sse.retry_ms ? p.sse.retry_ms : AGAIN_MS))
            break;
        x.done = false;
        p.odd = NULL;
        arena_reset(&a);
    }
    post_free(&p);
    (void)eventfd_write(l->begun, 1);
    return NULL;
}

static void free_listener(struct listener *l)
{
    if (l->stop >= 0)
        (void)close(l->stop);
    if (l->begun >= 0)
        (void)close(l->begun);
    free(l);
}

void listen_end(struct mcp *m)
{
    struct listener *l = m->own;

    if (!l)
        return;
    m->own = NULL;
    (void)eventfd_write(l->stop, 1);
    (void)pthread_join(l->thread, NULL);
    free_listener(l);
}

/* A server that asks before the stream is there asks nobody: it is waited for, within reason. */
void listen_begin(struct mcp *m)
{
    struct listener *l = mem_zeroed(sizeof *l);

    l->m = m;
    l->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->begun = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->stop < 0 || l->begun < 0 || pthread_create(&l->thread, NULL, listen_main, l) != 0) {
        free_listener(l);
        return;
    }
    m->own = l;
    (void)is_told(l->begun, BEGIN_MS);
}
