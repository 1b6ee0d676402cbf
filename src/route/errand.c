/* SPDX-License-Identifier: Apache-2.0 */
/* errand.c: one errand in its own thread: sent, permitted, passed on, stopped, answered. */
#include "route/channel.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/cancel.h"
#include "base/json_write.h"
#include "base/onward.h"
#include "base/quiet.h"
#include "contract/codes.h"
#include "route/channel_parts.h"
#include "route/errand_answer.h"

enum watched { WATCH_NEWS, WATCH_CANCEL, WATCH_OUT, WATCH_ERR, WATCHES };

enum {
    GIVE_UP_MS = 10000, /* after a worker was told to kill it, and nothing more comes of it, */
    COMES_MS = 120000,  /* or it is that what is on its way comes no faster, */
    LEAVE_MS = 2000,    /* or to leave what never began, if nothing else is lost with it */
    TURN_MS = 60000,
};

/* How far stopping it has come. */
enum stage { STAGE_RUNS, STAGE_ASKED, STAGE_KILLED, STAGE_GIVEN_UP };

/* What is being passed on to somebody who looks on. */
struct passing {
    struct onward live;
    struct buf bytes;
    size_t sent;
};

struct going {
    struct channel *c;
    struct errand *errand;
    struct underway u;
    struct passing passing[STREAMS];
    enum stage stage;
    bool decided; /* about the permit */
    bool over;    /* it was answered, or the channel is dead */
    int cancel;
    struct cancel_calls calls;
    int64_t act_at, late_at, went_at;
    bool called;         /* somebody wanted it to end */
    int64_t leave_at;    /* then: leave its readers alone */
    uint64_t written;    /* by the channel, when it was last looked at */
    int64_t came;        /* of what it left, likewise */
    int64_t comes_until; /* of one that was killed: no more of that is waited for then */
};

static int64_t now(const struct going *g)
{
    return g->errand->world->mono_ms(g->errand->world->self);
}

static void tell(const struct going *g, enum pace_news news, enum cause cause)
{
    if (g->errand->pace.news)
        g->errand->pace.news(g->errand->pace.self, news, cause);
}

static void hold(const struct going *g)
{
    (void)pthread_mutex_lock(&g->c->lock);
}

static void release(const struct going *g)
{
    (void)pthread_mutex_unlock(&g->c->lock);
}

static void send_frame(struct going *g, enum frame_kind kind, struct str body)
{
    const struct frame f = { kind, g->u.number, body };

    wire_send(g->c, &f);
}

/* ---- the request ---- */

static void describe(const struct errand *errand, struct buf *to)
{
    json_open(to, '{');
    json_key(to, "request");
    buf_add(to, errand->request.s, errand->request.n);
    json_put_bool(to, "person", errand->person);
    json_put_int(to, "attempt", errand->attempt);
    json_put_int(to, "timeout_ms", errand->timeout_ms);
    json_put_int(to, "grace_ms", errand->pace.grace_ms ? errand->pace.grace_ms : GRACE_MS);
    json_put(to, "cwd", errand->cwd);
    json_put_bool(to, "live",
                  errand->live[0] >= 0 || errand->live[1] >= 0 || errand->pace.printed != NULL);
    json_key(to, "weak");
    json_open(to, '[');
    for (const char *const *name = errand->weak; name && *name; name++)
        json_outside(to, str_of(*name));
    json_close(to, ']');
    json_close(to, '}');
}

/* Under the lock. */
static void send_input(struct going *g)
{
    struct str rest = g->errand->input;

    while (rest.n > 0) {
        size_t n = rest.n < FRAME_PIECE ? rest.n : FRAME_PIECE;

        send_frame(g, FRAME_INPUT, (struct str){ rest.s, n });
        rest = (struct str){ rest.s + n, rest.n - n };
    }
}

static bool begin(struct going *g, struct error *e)
{
    _buf_ struct buf run = { .max = FRAME_MAX };
    bool open;

    g->u.news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (g->u.news < 0)
        return error_sys(e, CODE_IO, "nothing can be waited for");
    describe(g->errand, &run);
    if (!buf_ok(&run))
        return error_set(e, CODE_CEILING, "the request is larger than a worker takes");
    hold(g);
    open = !g->c->dead;
    if (open) {
        g->u.number = ++g->c->last;
        g->u.next = g->c->underway;
        g->c->underway = &g->u;
        send_input(g);
        send_frame(g, FRAME_RUN, buf_str(&run));
    } else {
        *e = g->c->why;
    }
    release(g);
    g->act_at = now(g) + g->c->patience_ms;
    g->late_at = INT64_MAX;
    return open;
}

/* It waits for a slot of the worker as long as nobody calls it off: those who have one are held to
 * their time. */
static bool enter(struct going *g, struct error *e)
{
    if (!turn_take(&g->c->slots, g->errand->cancel))
        return error_set(e, CODE_RCH_UNAVAILABLE, "%s was not waited for: cancelled", g->c->who);
    if (begin(g, e))
        return true;
    turn_give(&g->c->slots);
    return false;
}

/* ---- stopping ---- */

static void send_stop(struct going *g)
{
    hold(g);
    if (!g->u.stopped)
        g->c->hurrying++;
    g->u.stopped = true;
    send_frame(g, FRAME_STOP, (struct str){ "", 0 });
    (void)pthread_cond_broadcast(&g->c->room);
    release(g);
}

static int64_t grace(const struct going *g)
{
    return g->errand->pace.grace_ms ? g->errand->pace.grace_ms : GRACE_MS;
}

static void kill_it(struct going *g, enum cause cause)
{
    g->stage = STAGE_KILLED;
    g->act_at = now(g) + GIVE_UP_MS;
    g->comes_until = now(g) + COMES_MS;
    g->errand->forced = true;
    tell(g, PACE_KILLED, cause);
    send_stop(g);
}

static bool is_alone(const struct going *g)
{
    bool alone;

    hold(g);
    alone = !g->c->underway || !g->c->underway->next;
    release(g);
    return alone;
}

/* What was never told to go has no grace, and is not killed. */
static void leave_it(struct going *g)
{
    g->stage = STAGE_KILLED;
    g->act_at = now(g) + (is_alone(g) ? LEAVE_MS : GIVE_UP_MS);
    send_stop(g);
    send_stop(g);
}

static void ask(struct going *g)
{
    g->stage = STAGE_ASKED;
    g->act_at = now(g) + grace(g);
    send_stop(g);
}

static void give_up(struct going *g)
{
    hold(g);
    wire_fail(g->c, "%s did not answer", g->c->who);
    release(g);
    g->stage = STAGE_GIVEN_UP;
}

/* The next step of stopping it. The cause is set before anything is sent. */
static void stop(struct going *g, enum cause cause)
{
    g->decided = true; /* it will not go any more */
    if (g->stage == STAGE_RUNS) {
        g->errand->stopped_for = cause;
        if (cause != CAUSE_EXITED)
            tell(g, PACE_ASKED, cause);
        if (!g->u.go_end) {
            leave_it(g);
            return;
        }
        ask(g);
        if (g->errand->at_once && (cause != CAUSE_TIMEOUT || !g->errand->pace.asks))
            kill_it(g, cause);
    } else if (g->stage == STAGE_ASKED) {
        kill_it(g, cause);
    } else if (cause == CAUSE_TIMEOUT) {
        give_up(g);
    }
}

static bool is_passing(const struct passing *p)
{
    return p->live.to >= 0 && p->sent < p->bytes.len;
}

/* Whoever looks on is not waited for any longer. */
static void leave_readers(struct going *g)
{
    for (int i = 0; i < STREAMS; i++) {
        if (is_passing(&g->passing[i]))
            g->passing[i].live.lost = ECANCELED;
        g->passing[i].live.to = -1;
    }
}

static void take_cancel(struct going *g)
{
    if (!cancel_heard(&g->cancel, &g->calls, g->errand->world))
        return;
    if (!g->called)
        g->leave_at = now(g) + READER_MS;
    g->called = true;
    if (!g->over) {
        stop(g, CAUSE_CANCELLED);
        return;
    }
    /* Somebody waits, and somebody else does not read. */
    leave_readers(g);
}

/* A worker that takes long to get ready is left; while our input is on its way, it is not. */
static bool is_slow_to_take(struct going *g)
{
    bool moves;

    hold(g);
    moves = g->c->written != g->written && g->c->written != g->c->queued;
    g->written = g->c->written;
    release(g);
    if (moves)
        g->act_at = now(g) + g->c->patience_ms;
    return !moves;
}

static void mind_time(struct going *g)
{
    if (now(g) >= g->late_at) {
        g->late_at = INT64_MAX;
        tell(g, PACE_LATE, CAUSE_EXITED);
    }
    if (now(g) < g->act_at)
        return;
    if (g->u.go_end || g->stage != STAGE_RUNS) {
        stop(g, CAUSE_TIMEOUT);
    } else if (is_slow_to_take(g)) {
        (void)error_set(&g->errand->why, CODE_RCH_UNAVAILABLE, "%s did not get ready", g->c->who);
        stop(g, CAUSE_EXITED);
    }
}

/* ---- going ---- */

static void go(struct going *g)
{
    hold(g);
    send_frame(g, FRAME_GO, (struct str){ "", 0 });
    g->u.go_end = g->c->queued;
    release(g);
    g->went_at = now(g);
    g->act_at = now(g) + g->errand->timeout_ms;
    g->late_at = g->errand->pace.soft_ms ? now(g) + g->errand->pace.soft_ms : INT64_MAX;
}

/* The permit may have taken long: who wanted it ended meanwhile is heard before it goes. */
static void decide(struct going *g)
{
    g->decided = true;
    if (!g->errand->permit(g->errand->permit_self, &g->errand->why)) {
        g->errand->forbidden = true;
        leave_it(g);
        return;
    }
    if (cancel_asked(g->cancel))
        take_cancel(g);
    if (g->stage == STAGE_RUNS)
        go(g);
}

/* Whoever called it off waits. Its end comes behind what it has printed: who reads none of that for
 * so long keeps it away. */
static void mind_readers(struct going *g)
{
    if (!is_passing(&g->passing[0]) && !is_passing(&g->passing[1]) && !g->over)
        g->leave_at = now(g) + READER_MS;
    if (now(g) >= g->leave_at)
        leave_readers(g);
}

/* Under the lock. On a slow line its end comes long behind what it had printed: a worker that sends
 * that does answer. */
static void mind_coming(struct going *g)
{
    int64_t came = g->u.streams[0].bytes + g->u.streams[1].bytes + g->u.filing.all;
    int64_t until = now(g) + GIVE_UP_MS;

    if (g->stage == STAGE_KILLED && came != g->came)
        g->act_at = until < g->comes_until ? until : g->comes_until;
    g->came = came;
}

/* What has changed. Output is taken over to be passed on, so that the reader may go on. */
static void look(struct going *g)
{
    bool ready;

    hold(g);
    g->over = g->u.answer != ANSWER_NONE || g->c->dead;
    ready = g->u.ready;
    mind_coming(g);
    for (int i = 0; i < STREAMS; i++) {
        struct passing *p = &g->passing[i];
        struct stream *s = &g->u.streams[i];

        if (g->errand->pace.printed && s->head.len > s->seen)
            g->errand->pace.printed(g->errand->pace.self, i + 1, s->head.s + s->seen,
                                    s->head.len - s->seen);
        s->seen = s->head.len;
        s->live = s->live && p->live.to >= 0;
        if (p->sent < p->bytes.len || !s->waiting.len)
            continue;
        struct buf taken = s->waiting;

        s->waiting = p->bytes;
        s->waiting.max = taken.max;
        buf_reset(&s->waiting);
        p->bytes = taken;
        p->sent = 0;
        (void)pthread_cond_broadcast(&g->c->room);
    }
    release(g);
    if (ready && !g->decided && !g->over)
        decide(g);
}

/* ---- passing on ---- */

static void pass_on(struct going *g, struct passing *p)
{
    size_t n = onward_pass(&p->live, p->bytes.s + p->sent, p->bytes.len - p->sent);

    p->sent += n;
    if (g->called && !g->over && n)
        g->leave_at = now(g) + READER_MS;
}

/* Who wants it at once does not wait for somebody who reads slowly either. */
static bool has_more(const struct going *g)
{
    if (!g->over)
        return true;
    if (g->errand->stopped_for != CAUSE_EXITED && g->errand->at_once)
        return false;
    return is_passing(&g->passing[0]) || is_passing(&g->passing[1]);
}

/* ---- one turn after the other ---- */

static int time_left(const struct going *g)
{
    int64_t next = g->leave_at;

    if (!g->over && g->act_at < next)
        next = g->act_at;
    if (!g->over && g->late_at < next)
        next = g->late_at;
    return next == INT64_MAX ? TURN_MS : poll_ms(next - now(g));
}

static void turn(struct going *g)
{
    struct pollfd fds[WATCHES] = {
        [WATCH_NEWS] = { .fd = g->over ? -1 : g->u.news, .events = POLLIN },
        [WATCH_CANCEL] = { .fd = g->cancel, .events = POLLIN },
    };
    eventfd_t times;

    for (int i = 0; i < STREAMS; i++) {
        fds[WATCH_OUT + i].fd = is_passing(&g->passing[i]) ? g->passing[i].live.to : -1;
        fds[WATCH_OUT + i].events = POLLOUT;
    }
    if (poll(fds, WATCHES, time_left(g)) < 0)
        return;
    if (fds[WATCH_NEWS].revents)
        (void)eventfd_read(g->u.news, &times);
    for (int i = 0; i < STREAMS; i++)
        if (fds[WATCH_OUT + i].revents)
            pass_on(g, &g->passing[i]);
    look(g); /* what the worker did counts before what the clock says */
    if (fds[WATCH_CANCEL].revents)
        take_cancel(g);
    if (g->called)
        mind_readers(g);
    if (!g->over)
        mind_time(g);
}

static void leave(struct going *g)
{
    hold(g);
    for (struct underway **at = &g->c->underway; *at; at = &(*at)->next) {
        if (*at == &g->u) {
            *at = g->u.next;
            break;
        }
    }
    g->c->hurrying -= g->u.stopped;
    while (g->c->dead && !g->c->ended) /* what is left of it is told with why it is dead */
        (void)pthread_cond_wait(&g->c->room, &g->c->lock);
    release(g);
    turn_give(&g->c->slots);
}

static void prepare(struct going *g)
{
    for (int i = 0; i < STREAMS; i++)
        onward_begin(&g->passing[i].live, g->errand->live[i]);
    intake_begin(&g->u, g->errand);
}

void channel_run(struct channel *c, struct errand *errand, struct arena *a)
{
    struct going g = { .c = c,
                       .errand = errand,
                       .cancel = errand->cancel,
                       .leave_at = INT64_MAX,
                       .u = { .news = -1 } };
    sigset_t before = quiet_begin();
    struct error e = { 0 };

    errand->stopped_for = CAUSE_EXITED;
    errand->why = e;
    errand->forbidden = errand->forced = false;
    prepare(&g);
    if (enter(&g, &e)) {
        while (has_more(&g))
            turn(&g);
        leave_readers(&g);
        leave(&g);
    } else {
        errand->why = e;
    }
    answer_judge(c, &g.u, errand, a);
    errand->ran_ms = g.u.go_end ? now(&g) - g.went_at : 0;
    errand->out.lost = g.passing[0].live.lost;
    errand->err.lost = g.passing[1].live.lost;
    for (int i = 0; i < STREAMS; i++)
        buf_free(&g.passing[i].bytes);
    intake_end(&g.u);
    own_close(&g.u.news);
    quiet_end(&before);
}
