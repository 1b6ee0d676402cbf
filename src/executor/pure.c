/* SPDX-License-Identifier: Apache-2.0 */
/* pure.c: sends calls to a worker and takes its answers, whatever becomes of it. */
#include "executor/pure.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "executor/pure_worker.h"

enum {
    CHUNK = 64 * 1024,
    START_MS = 10000, /* for reading and compiling a program */
    BARREN_MAX = 3,   /* workers in a row that die before they begin a call */
    WORDS_MAX = 512,  /* of what a program says about its exception */
};

struct pure {
    const char *kind;
    struct call_program program;
    struct worker worker;
    struct buf out, in; /* what is not yet sent; what is not yet taken */
    size_t sent;        /* bytes of out */
};

/* Calls from `done` to `end`, of which those before `asked` are on their way; the worker at hand
 * was first given `first`. */
struct batch {
    struct call *calls;
    size_t first, done, asked, end;
    struct arena *a;
    struct watch watch;
    int64_t heard_ms; /* when the last answer came, or the first call was sent */

    /* of a worker that could not go on */
    bool broken, nobody; /* nobody: no call is to blame */
    enum call_end blame;
    const char *detail; /* NULL: how it ended */
};

static void no_more(struct batch *b, enum call_end blame, const char *detail)
{
    b->broken = true;
    b->blame = blame;
    b->detail = detail;
}

/* Payloads and outputs do not stay in memory longer than they must. */
static void forget(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->len);
    buf_reset(b);
}

/* ---- answers ---- */

static const char *detail_of(enum call_end end)
{
    return end == CALL_LIMIT ? "more output, or deeper, than a call may have"
                             : "the program raised an exception";
}

static void take(struct batch *b, enum call_end end, struct str text)
{
    struct call *call = &b->calls[b->done++];

    call->end = end;
    call->output = NULL;
    call->text = (struct str){ "", 0 };
    call->detail = NULL;
    if (end == CALL_OUTPUT)
        call->text = (struct str){ arena_text(b->a, text), text.n };
    else if (end != CALL_NO_OUTPUT)
        call->detail = detail_of(end);
    if (end == CALL_EXCEPTION)
        call->words =
            (struct str){ arena_text(b->a, text), text.n < WORDS_MAX ? text.n : WORDS_MAX };
}

static int64_t now_ms(const struct pure *p)
{
    return p->program.world->mono_ms(p->program.world->self);
}

/* Answers that came together share the time they took. */
static void share_time(const struct pure *p, struct batch *b, size_t from)
{
    int64_t now = now_ms(p);

    for (size_t i = from; i < b->done; i++)
        b->calls[i].took_ms = (now - b->heard_ms) / (int64_t)(b->done - from);
    if (b->done > from)
        b->heard_ms = now;
}

/* The number of the call whose answer is the next to come. */
static uint32_t expected(const struct pure *p, const struct batch *b)
{
    return p->worker.answered + (uint32_t)(b->done - b->first) + 1;
}

/* One answer off the front of what has come, from *at; false where it is not there yet, or is none.
 * Only the pipeline's own timer says timeout. */
static bool take_next(struct pure *p, struct batch *b, size_t *at)
{
    struct pure_answer head;
    size_t have = p->in.len - *at;

    if (b->broken || have < sizeof head)
        return false;
    memcpy(&head, p->in.s + *at, sizeof head);
    /* A call that had its answer left another one behind. */
    b->nobody = head.call > 0 && head.call < expected(p, b);
    if (head.call != expected(p, b) || b->done == b->asked || head.end > CALL_LIMIT ||
        head.end == CALL_TIMEOUT ||
        (head.end != CALL_OUTPUT && head.end != CALL_EXCEPTION && head.bytes > 0)) {
        no_more(b, CALL_EXCEPTION, "it said what is no answer");
        return false;
    }
    if (head.bytes > p->program.bounds.output_bytes) {
        no_more(b, CALL_LIMIT, detail_of(CALL_LIMIT));
        return false;
    }
    if (have - sizeof head < head.bytes)
        return false;
    take(b, (enum call_end)head.end, (struct str){ p->in.s + *at + sizeof head, head.bytes });
    *at += sizeof head + head.bytes;
    return true;
}

static void take_all(struct pure *p, struct batch *b)
{
    size_t at = 0, from = b->done;

    while (take_next(p, b, &at))
        ;
    share_time(p, b, from);
    if (at == 0)
        return;
    memmove(p->in.s, p->in.s + at, p->in.len - at);
    p->in.len -= at;
    explicit_bzero(p->in.s + p->in.len, at);
}

/* ---- the channel ---- */

/* False: the worker is gone. */
static bool receive(struct pure *p)
{
    ssize_t n;

    if (!buf_reserve(&p->in, CHUNK))
        return false;
    n = recv(p->worker.channel, p->in.s + p->in.len, p->in.cap - p->in.len - 1, MSG_DONTWAIT);
    if (n > 0)
        p->in.len += (size_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void fill(struct pure *p, struct batch *b)
{
    if (p->sent < p->out.len)
        return;
    forget(&p->out);
    p->sent = 0;
    while (b->asked < b->end && p->out.len < CHUNK) {
        struct str payload = b->calls[b->asked].payload;
        struct pure_ask head = { .bytes = (uint32_t)payload.n };

        assert(payload.n <= UINT32_MAX);
        buf_add(&p->out, &head, sizeof head);
        buf_add(&p->out, payload.s, payload.n);
        b->asked++;
    }
    if (!buf_ok(&p->out))
        mem_end();
}

/* A worker that takes nothing any more is met again when its answers are read. */
static void send_some(struct pure *p)
{
    ssize_t n = send(p->worker.channel, p->out.s + p->sent, p->out.len - p->sent,
                     MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n > 0)
        p->sent += (size_t)n;
}

/* The call that the worker is at. What it says of itself is believed within bounds, and never
 * backwards: it cannot win time by it. */
static size_t running(const struct pure *p, const struct batch *b)
{
    size_t begun = worker_begun(&p->worker);
    size_t at = begun > 0 && begun <= b->asked - b->first ? b->first + begun - 1 : b->done;

    if (b->watch.begun && at < b->watch.call)
        at = b->watch.call;
    return at < b->done ? b->done : at;
}

static struct pollfd cancel_of(const struct pure *p)
{
    return (struct pollfd){ .fd = p->program.cancel ? *p->program.cancel : -1, .events = POLLIN };
}

/* Waits until there is something to do, or it is time to look at the clock. */
static void step(struct pure *p, struct batch *b)
{
    int64_t timeout_ms = p->program.bounds.timeout_ms;
    struct pollfd fds[] = { { .fd = p->worker.channel, .events = POLLIN }, cancel_of(p) };
    int n;

    fill(p, b);
    if (p->sent < p->out.len)
        send_some(p);
    if (p->sent < p->out.len)
        fds[0].events |= POLLOUT;
    n = poll(fds, COUNT(fds), watch_pause_ms(timeout_ms));
    if (n > 0 && fds[1].revents) {
        no_more(b, CALL_TIMEOUT, "it was stopped");
        return;
    }
    if (n <= 0) {
        if (watch_over(&b->watch, &p->worker, running(p, b), &p->program, timeout_ms))
            no_more(b, CALL_TIMEOUT, "its time was over");
        return;
    }
    if (!(fds[0].revents & ~POLLOUT))
        return;
    bool there = receive(p);

    take_all(p, b);
    if (!there && !b->broken)
        no_more(b, CALL_EXCEPTION, NULL);
}

/* ---- a worker ---- */

/* The first answer, once it is there. */
static bool take_hello(struct pure *p, struct pure_answer *head)
{
    if (p->in.len < sizeof *head)
        return false;
    memcpy(head, p->in.s, sizeof *head);
    return p->in.len - sizeof *head >= head->bytes;
}

static bool hear_hello(struct pure *p, struct arena *a, struct error *e)
{
    struct watch watch = { 0 };
    struct pure_answer head;

    while (!take_hello(p, &head)) {
        struct pollfd fds[] = { { .fd = p->worker.channel, .events = POLLIN }, cancel_of(p) };
        int n = poll(fds, COUNT(fds), watch_pause_ms(START_MS));

        if (n > 0 && fds[1].revents)
            return error_set(e, ERROR_IO, "it was stopped");
        if (n > 0 && !receive(p))
            return error_set(e, ERROR_IO, "its worker %s", worker_end(&p->worker, a));
        if (n <= 0 && watch_over(&watch, &p->worker, 0, &p->program, START_MS))
            return error_set(e, ERROR_IO, "its worker takes more than %d s to begin",
                             START_MS / 1000);
    }
    if (head.end != PURE_READY)
        return error_set(e, head.end == PURE_FAILED ? ERROR_SYNTAX : ERROR_IO, "%.*s",
                         (int)head.bytes, p->in.s + sizeof head);
    buf_reset(&p->in);
    return true;
}

static void let_go(struct pure *p)
{
    _arena_ struct arena a = { 0 };

    if (p->worker.pid)
        (void)worker_end(&p->worker, &a);
    forget(&p->in);
    forget(&p->out);
    p->sent = 0;
}

static bool begin(struct pure *p, struct error *e)
{
    _arena_ struct arena a = { 0 };

    if (!worker_start(p->kind, &p->program, &p->worker, e))
        return false;
    if (hear_hello(p, &a, e))
        return true;
    let_go(p);
    return false;
}

/* Between two batches a worker has nothing to say. One that does, or is gone, is replaced: no call
 * was made to it, so none is to blame. */
static void look_first(struct pure *p)
{
    char byte;

    if (!p->worker.pid)
        return;
    if (recv(p->worker.channel, &byte, 1, MSG_DONTWAIT | MSG_PEEK) >= 0 || errno != EAGAIN)
        let_go(p);
}

/* Until all are answered, or the worker can not go on; then b->end is the call to blame, if it
 * began any. */
static void run(struct pure *p, struct batch *b)
{
    const char *how;

    b->first = b->asked = b->done;
    b->watch = (struct watch){ 0 };
    b->broken = b->nobody = false;
    while (b->done < b->end && !b->broken)
        step(p, b);
    if (!b->broken && p->in.len == 0) {
        p->worker.answered += (uint32_t)(b->end - b->first);
        return;
    }
    if (b->done < b->end && !b->nobody && worker_begun(&p->worker) > 0)
        b->end = running(p, b);
    how = worker_end(&p->worker, b->a);
    let_go(p);
    b->detail = b->detail ? b->detail : how;
}

/* ---- the seam ---- */

bool pure_start(const char *kind, const struct call_program *program, struct arena *a,
                struct pure **out, struct error *e)
{
    struct pure *p = arena_new(a, struct pure);
    _free_ char *file = realpath(program->file, NULL);

    if (!file)
        return error_sys(e, ERROR_IO, "%s cannot be found", program->file);
    p->kind = kind;
    p->program = *program;
    p->program.file = arena_text(a, str_of(file));
    p->program.worker = arena_text(a, str_of(program->worker));
    p->in.max = program->bounds.output_bytes + 4 * CHUNK;
    p->out.max = SIZE_MAX / 2;
    if (!begin(p, e)) {
        pure_stop(p);
        return false;
    }
    *out = p;
    return true;
}

/* The call to blame has its end; those after it go on. */
static void settle(const struct pure *p, struct batch *b, size_t n)
{
    take(b, b->blame, (struct str){ "", 0 });
    share_time(p, b, b->done - 1);
    b->calls[b->done - 1].detail = b->detail;
    b->end = n;
}

static void fail_rest(const struct pure *p, struct batch *b, size_t n, const char *detail)
{
    no_more(b, CALL_EXCEPTION, detail);
    while (b->done < n)
        settle(p, b, n);
}

/* Each turn answers calls, or finds one to blame; else it was barren. */
void pure_calls(struct pure *p, struct call *calls, size_t n, struct arena *a)
{
    struct batch b = { .calls = calls, .end = n, .a = a, .heard_ms = now_ms(p) };
    struct error e = { 0 };
    int barren = 0;

    look_first(p);
    while (b.done < n && barren < BARREN_MAX) {
        size_t before = b.done, end = b.end;

        if (!p->worker.pid && !begin(p, &e))
            break;
        run(p, &b);
        barren = b.done > before || b.end < end ? 0 : barren + 1;
        if (b.done == b.end && b.done < n)
            settle(p, &b, n);
    }
    fail_rest(p, &b, n,
              e.code ? arena_text(a, str_of(e.msg)) : "its workers end before they begin");
    forget(&p->out);
    p->sent = 0;
}

void pure_stop(struct pure *p)
{
    let_go(p);
    buf_free(&p->in);
    buf_free(&p->out);
}
