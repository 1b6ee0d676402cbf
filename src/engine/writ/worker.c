/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c: the public function that serves as a worker: hears frames, and runs errands. */
#include <writ/plans.h>
#include <writ/routes.h>

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_write.h"
#include "contract/codes.h"
#include "contract/inputs.h"
#include "engine/serving.h"

/* An errand has its slot for a moment longer than its caller waits for it: more than a plan runs at
 * the same time. */
enum { SLOTS = 4 * WRIT_JOBS_MAX };

bool serving_say(struct serving *s, uint32_t errand, enum frame_kind kind, struct str body)
{
    struct frame f = { kind, errand, body };
    struct error e = { 0 };
    bool said;

    (void)pthread_mutex_lock(&s->out_lock);
    said = !atomic_load(&s->gone) && frame_write(s->out, s->stop, &f, &e);
    (void)pthread_mutex_unlock(&s->out_lock);
    if (!said && e.code != CODE_CEILING)
        atomic_store(&s->gone, true);
    return said;
}

static bool say_hello(struct serving *s)
{
    _buf_ struct buf to = { .max = 4096 };
    struct utsname host;

    json_open(&to, '{');
    json_put(&to, "protocol", FRAME_PROTOCOL);
    json_put(&to, "version", WRIT_VERSION);
    json_put(&to, "host", uname(&host) == 0 ? host.nodename : "unknown");
    json_put_int(&to, "slots", SLOTS);
    json_close(&to, '}');
    return serving_say(s, 0, FRAME_HELLO, buf_str(&to));
}

/* ---- errands ---- */

static struct served *find(const struct serving *s, uint32_t number)
{
    struct served *e = s->first;

    while (e && e->number != number)
        e = e->next;
    return e;
}

static struct served *add(struct serving *s, uint32_t number)
{
    struct served *e;

    if (s->count == SLOTS)
        return NULL;
    e = mem_zeroed(sizeof *e);
    *e = (struct served){ .s = s,
                          .number = number,
                          .next = s->first,
                          .input = { .max = (size_t)input_sizes[INPUT_STDIN].bytes + 1 },
                          .cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE) };
    s->first = e;
    s->count++;
    return e;
}

static void drop(struct served *e)
{
    struct serving *s = e->s;
    struct served **at = &s->first;

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    s->count--;
    (void)pthread_cond_broadcast(&s->heard);
    (void)close(e->cancel);
    buf_free(&e->input);
    arena_free(&e->a);
    free(e);
}

static struct served *waiting(const struct serving *s)
{
    struct served *e = s->first;

    while (e && !e->waits)
        e = e->next;
    return e;
}

/* With the lock. NULL: there will be none. */
static struct served *next_errand(struct serving *s)
{
    struct served *e;

    s->idle++;
    while (!(e = waiting(s)) && !s->closing)
        (void)pthread_cond_wait(&s->called, &s->lock);
    if (e)
        e->waits = false;
    return e;
}

static void *run(void *served)
{
    struct served *e = served;
    struct serving *s = e->s;

    while (e) {
        served_run(e);
        (void)pthread_mutex_lock(&s->lock);
        drop(e);
        e = next_errand(s);
        if (!e) {
            s->threads--;
            (void)pthread_cond_broadcast(&s->heard);
        }
        (void)pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void stop(struct served *e)
{
    uint64_t once = 1;

    e->stops++;
    (void)!write(e->cancel, &once, sizeof once);
    (void)pthread_cond_broadcast(&e->s->heard);
}

/* One that is idle, or a new one. With the lock. */
static bool give_thread(struct served *e)
{
    struct serving *s = e->s;
    pthread_attr_t alone;
    pthread_t thread;
    bool begun;

    if (s->idle > 0) {
        s->idle--;
        e->waits = true;
        (void)pthread_cond_signal(&s->called);
        return true;
    }
    (void)pthread_attr_init(&alone);
    (void)pthread_attr_setdetachstate(&alone, PTHREAD_CREATE_DETACHED);
    begun = pthread_create(&thread, &alone, run, e) == 0;
    (void)pthread_attr_destroy(&alone);
    s->threads += begun;
    return begun;
}

/* Why an errand is not taken, as the body of REFUSED; NULL: it is. */
static const char *start(struct served *e, struct str body)
{
    if (!buf_ok(&e->input)) {
        drop(e);
        return "{\"status\":77,\"code\":\"INPUT_TOO_LARGE\",\"message\":\"standard input is "
               "longer than the worker takes\"}";
    }
    e->run = (struct str){ arena_text(&e->a, body), body.n };
    e->running = true;
    if (e->cancel >= 0 && give_thread(e))
        return NULL;
    drop(e);
    return "{\"status\":69,\"code\":\"IO\",\"message\":\"the worker has no thread left\"}";
}

/* ---- what is heard ---- */

/* An errand has one answer: what else comes of one that was refused is not looked at. All of it
 * comes before another errand does. */
static const char *hear_new(struct serving *s, const struct frame *f)
{
    struct served *e = find(s, f->errand);

    if (f->errand == s->refused)
        return NULL;
    if (!e)
        e = add(s, f->errand);
    s->refused = e ? 0 : f->errand;
    if (!e)
        return "{\"status\":69,\"code\":\"IO\",\"message\":\"the worker runs as much as it "
               "can\"}";
    if (f->kind == FRAME_RUN && !e->running)
        return start(e, f->body);
    if (e->running) /* its number is taken */
        stop(e);
    else
        buf_add(&e->input, f->body.s, f->body.n);
    return NULL;
}

/* What is heard of an errand that has ended came too late. */
static void hear_old(const struct serving *s, const struct frame *f)
{
    struct served *e = find(s, f->errand);

    if (e && f->kind == FRAME_GO)
        e->go = true;
    if (e && f->kind == FRAME_STOP)
        stop(e);
}

/* Nothing is said under the lock: whoever does not listen must not keep us from hearing. */
static void hear(struct serving *s, const struct frame *f)
{
    const char *refusal = NULL;

    (void)pthread_mutex_lock(&s->lock);
    if (f->kind == FRAME_INPUT || f->kind == FRAME_RUN)
        refusal = hear_new(s, f);
    else
        hear_old(s, f);
    (void)pthread_cond_broadcast(&s->heard);
    (void)pthread_mutex_unlock(&s->lock);
    if (refusal)
        (void)serving_say(s, f->errand, FRAME_REFUSED, str_of(refusal));
}

/* We are there. It is not waited for: who does not read hears us anyway when it does. */
static void echo(struct serving *s)
{
    struct pollfd room = { .fd = s->out, .events = POLLOUT };
    struct frame f = { .kind = FRAME_ECHO };
    struct error e;

    if (pthread_mutex_trylock(&s->out_lock) != 0)
        return;
    if (poll(&room, 1, 0) > 0 && !frame_write(s->out, s->stop, &f, &e))
        atomic_store(&s->gone, true);
    (void)pthread_mutex_unlock(&s->out_lock);
}

/* Hears until the stream ends, or nothing has come for so long that there is nobody. */
static bool listen(struct serving *s, struct frame_reader *reader, struct error *e)
{
    struct pollfd in = { .fd = reader->fd, .events = POLLIN };
    bool whole, answered = false; /* the first piece of a frame that is not whole yet */
    struct frame f;

    while (!atomic_load(&s->gone)) {
        if (!frame_take(reader, &f, &whole, e))
            return e->code == CODE_NONE;
        if (whole ? f.kind == FRAME_BEAT : s->eager && frame_has_part(reader) && !answered)
            echo(s);
        else if (whole && f.kind != FRAME_ACK)
            hear(s, &f);
        answered = !whole && frame_has_part(reader);
        if (!whole && poll(&in, 1, SILENCE_MS) == 0)
            return true;
    }
    return true;
}

/* Nobody is left who wants to know: everything ends, at once. */
static void end_all(struct serving *s)
{
    atomic_store(&s->gone, true);
    (void)eventfd_write(s->stop, 1);
    (void)pthread_mutex_lock(&s->lock);
    for (struct served *e = s->first, *next; e; e = next) {
        next = e->next;
        stop(e);
        stop(e);
        if (!e->running)
            drop(e);
    }
    while (s->count)
        (void)pthread_cond_wait(&s->heard, &s->lock);
    s->closing = true;
    (void)pthread_cond_broadcast(&s->called);
    while (s->threads)
        (void)pthread_cond_wait(&s->heard, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

int writ_worker(int in, int out, bool eager, const char *const *environment)
{
    struct serving s = {
        .environment = environment, .world = world_real(), .out = out, .eager = eager
    };
    struct frame_reader reader;
    int flags = fcntl(out, F_GETFL);
    struct error e = { 0 };
    bool understood;

    if (flags < 0 || fcntl(in, F_GETFL) < 0)
        return WRIT_USAGE;
    (void)pthread_mutex_init(&s.out_lock, NULL);
    (void)pthread_mutex_init(&s.lock, NULL);
    (void)pthread_cond_init(&s.heard, NULL);
    (void)pthread_cond_init(&s.called, NULL);
    s.stop = eventfd(0, EFD_CLOEXEC);
    (void)fcntl(out, F_SETFL, flags | O_NONBLOCK); /* a wait for room can be given up */
    s.kept = kept_new();
    registries_open(&s.registries);
    frame_reader_open(&reader, in, SIDE_CALLER);
    understood = !say_hello(&s) || listen(&s, &reader, &e);
    end_all(&s);
    (void)fcntl(out, F_SETFL, flags);
    own_close(&s.stop);
    frame_reader_close(&reader);
    kept_free(s.kept);
    registries_close(&s.registries);
    (void)pthread_cond_destroy(&s.called);
    (void)pthread_cond_destroy(&s.heard);
    (void)pthread_mutex_destroy(&s.lock);
    (void)pthread_mutex_destroy(&s.out_lock);
    return understood ? WRIT_OK : WRIT_UNAVAILABLE;
}
