/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: the public function that calls a pure function. */
#include <pthread.h>
#include <string.h>

#include <writ/writ.h>

#include "base/elsewhere.h"
#include "base/json_write.h"
#include "engine/approval.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/keeping.h"
#include "engine/record.h"
#include "executor/shelf.h"

enum { CALLS = 1000, HANDS = 2 }; /* calls that are recorded at once */

struct applying {
    const struct writ_action *asked;
    const struct executor *executor;
    struct auditor auditor;
    struct keeping keeping;
    writ_line line;
    void *self;

    /* of all hands, under the lock */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    struct str left;        /* of the payload */
    int64_t lines;          /* of it that were read */
    size_t taken, answered; /* batches */
    int status;
    bool unheard;
};

/* Takes batches by turns with another: while one waits for the disk the other computes. */
struct hand {
    struct applying *x;
    struct pipeline pipeline;
    struct action *actions;
    struct arena a, held;
    struct buf out;
    size_t n; /* actions in hand */
};

/* ---- answers ---- */

/* The worst of all calls is what the caller is told; the order of these is from bad to worse. */
static void note_status(struct applying *x, const struct action *action)
{
    static const int by_status[] = {
        [ACTION_SUCCESS] = WRIT_OK, [ACTION_FAILED] = WRIT_NO, [ACTION_BLOCKED] = WRIT_REFUSED
    };
    int status = by_status[action->result.status];

    if (x->status != WRIT_UNRECORDED && status > x->status)
        x->status = status;
}

static void put_raw(struct buf *to, const char *key, struct str json)
{
    json_key(to, key);
    if (json.s)
        buf_add(to, json.s, json.n); /* JSON already */
    else
        json_nil(to);
}

static void answer(struct applying *x, const struct action *action, struct buf *out)
{
    note_status(x, action);
    if (x->unheard)
        return;
    buf_reset(out);
    json_open(out, '{');
    if (action->line)
        json_put_int(out, "line", action->line);
    json_key(out, "result");
    shape_json(&action_result_shape, &action->result, out);
    json_put(out, "detail", action->detail);
    put_raw(out, "output", action->output);
    json_key(out, "words");
    if (action->words.s)
        json_outside(out, action->words);
    else
        json_nil(out);
    json_close(out, '}');
    x->unheard = !x->line(x->self, out->s, out->len);
}

/* ---- calls ---- */

/* The next line that is not blank. */
static bool next_line(struct applying *x, struct action *action)
{
    struct str *left = &x->left;

    while (left->n) {
        const char *end = memchr(left->s, '\n', left->n);
        size_t n = end ? (size_t)(end - left->s) : left->n;

        action->payload = (struct str){ left->s, n };
        action->line = ++x->lines;
        n += end ? 1 : 0;
        *left = (struct str){ left->s + n, left->n - n };
        if (!str_only(action->payload, " \t\r"))
            return true;
    }
    return false;
}

static size_t next_actions(struct applying *x, struct action *actions)
{
    size_t n = 0;

    memset(actions, 0, CALLS * sizeof *actions);
    if (x->asked->lines) {
        while (n < CALLS && next_line(x, &actions[n]))
            n++;
        return n;
    }
    if (x->taken > 0)
        return 0;
    actions[0].payload = x->left;
    if (x->asked->trace_id)
        actions[0].trace_id = str_of(x->asked->trace_id);
    return 1;
}

/* The batch that is next, and its number. False: there is none, or no more are wanted. */
static bool take_batch(struct hand *h, size_t *number)
{
    struct applying *x = h->x;

    (void)pthread_mutex_lock(&x->lock);
    h->n = x->unheard || x->status == WRIT_UNRECORDED ? 0 : next_actions(x, h->actions);
    *number = x->taken;
    x->taken += h->n > 0;
    (void)pthread_mutex_unlock(&x->lock);
    return h->n > 0;
}

/* Answers come in the order of the calls, whoever made them. */
static void answer_batch(struct hand *h, size_t number, bool recorded)
{
    struct applying *x = h->x;

    (void)pthread_mutex_lock(&x->lock);
    while (x->answered != number)
        (void)pthread_cond_wait(&x->turned, &x->lock);
    if (!recorded)
        x->status = WRIT_UNRECORDED;
    for (size_t i = 0; i < h->n; i++)
        answer(x, &h->actions[i], &h->out);
    x->answered++;
    (void)pthread_cond_broadcast(&x->turned);
    (void)pthread_mutex_unlock(&x->lock);
}

/* Batch after batch: recorded, called, recorded, answered. */
static void *work(void *self)
{
    struct hand *h = self;
    size_t number;

    while (take_batch(h, &number)) {
        struct error e;
        bool recorded = pipeline_apply(&h->pipeline, h->actions, h->n, &h->a, &e);

        for (size_t i = 0; !recorded && i < h->n; i++)
            h->actions[i].detail = arena_text(&h->a, str_of(e.msg));
        answer_batch(h, number, recorded);
        arena_wipe(&h->a);
        if (h->out.s)
            explicit_bzero(h->out.s, h->out.cap);
    }
    return NULL;
}

static bool hand_open(struct hand *h, struct applying *x, const char *worker, struct error *e)
{
    h->x = x;
    h->out.max = ANSWER_MAX;
    h->actions = arena_alloc(&h->held, CALLS * sizeof *h->actions);
    h->pipeline = (struct pipeline){ .executor = x->executor,
                                     .auditor = &x->auditor,
                                     .world = world_real(),
                                     .worker = worker,
                                     .deliver = x->asked->output };
    return pipeline_open(&h->pipeline, e);
}

static void hand_close(struct hand *h)
{
    pipeline_close(&h->pipeline);
    arena_free(&h->a);
    arena_free(&h->held);
    buf_free(&h->out);
}

/* Few calls need one hand; the second one is not there for the sake of a thread. */
static bool apply_all(struct applying *x, const char *worker, struct error *e)
{
    size_t least = x->asked->lines ? CALLS * sizeof "1\n" : SIZE_MAX;
    struct hand hands[HANDS] = { 0 };
    pthread_t second;
    bool beside = x->left.n > least, ok = hand_open(&hands[0], x, worker, e);

    if (ok && beside) {
        ok = hand_open(&hands[1], x, worker, e);
        beside = ok && elsewhere_thread(&second, work, &hands[1]) == 0;
        if (ok)
            (void)work(&hands[0]);
        if (beside)
            (void)pthread_join(second, NULL);
    } else if (ok) {
        (void)work(&hands[0]);
    }
    for (size_t i = 0; i < HANDS; i++)
        hand_close(&hands[i]);
    return ok;
}

/* ---- the executor ---- */

static int unknown(struct applying *x, const char *shelf, struct arena *a)
{
    struct executors all;
    const char **names, *near;
    struct error e;

    if (!shelf_list(shelf, a, &all, &e))
        return record_fail(&e, WRIT_REFUSED, x->line, x->self);
    names = arena_alloc(a, (all.n + 1) * sizeof *names);
    for (size_t i = 0; i < all.n; i++)
        names[i] = arena_text(a, all.v[i].id);
    near = str_nearest(str_of(x->asked->executor), names, all.n);
    if (x->asked->version && near && strcmp(near, x->asked->executor) == 0)
        (void)error_set(&e, CODE_EXECUTOR_UNKNOWN, "%s has no version %s; see writ executors", near,
                        x->asked->version);
    else
        (void)error_set(&e, CODE_EXECUTOR_UNKNOWN,
                        "there is no executor %s%s%s%s; see writ executors",
                        said(str_of(x->asked->executor), a), near ? " (did you mean " : "",
                        near ? near : "", near ? "?)" : "");
    return record_fail(&e, WRIT_USAGE, x->line, x->self);
}

/* WRIT_OK: it is there, and what it was when it was approved. */
static int find(struct applying *x, struct arena *a)
{
    const char *shelf = home_executors(x->asked->environment, a), *version = x->asked->version;
    struct error e;

    if (!shelf_find(shelf, str_of(x->asked->executor),
                    version ? str_of(version) : (struct str){ 0 }, a, &x->executor, &e))
        return record_fail(&e, WRIT_REFUSED, x->line, x->self);
    if (!x->executor)
        return unknown(x, shelf, a);
    if (x->keeping.open && x->executor->approval.s &&
        !approval_holds(&x->keeping.ledger, x->executor, a, &e))
        return record_fail(&e, WRIT_REFUSED, x->line, x->self);
    return WRIT_OK;
}

static int apply(struct applying *x, struct arena *a)
{
    struct error e;
    int status;

    if (x->keeping.why.code == CODE_USAGE)
        return record_fail(&x->keeping.why, WRIT_USAGE, x->line, x->self);
    status = find(x, a);
    if (status != WRIT_OK)
        return status;
    if (x->asked->trace_id && !uuid_v4(str_of(x->asked->trace_id), NULL)) {
        (void)error_set(&e, CODE_USAGE, "the trace id %s is not a UUID of version 4",
                        said(str_of(x->asked->trace_id), a));
        return record_fail(&e, WRIT_USAGE, x->line, x->self);
    }
    if (!input_bytes(x->asked->payload, ceiling_rows[CEILING_BYTES].value, a, &x->left, &e)) {
        (void)error_wrap(&e, "%s", x->asked->payload->name);
        return record_fail(&e, WRIT_WRONG, x->line, x->self);
    }
    if (!apply_all(x, home_program("writ-pure", x->asked->environment, a), &e))
        return record_fail(&e, WRIT_UNAVAILABLE, x->line, x->self);
    return x->status;
}

int writ_apply(const struct writ_action *action, writ_line line, void *self)
{
    struct applying x = { .asked = action, .line = line, .self = self };
    struct arena a = { 0 };
    int status;

    if (!given_to(action->executor, "executor", line, self) ||
        !given_to(action->payload, "payload", line, self) ||
        !given_to(action->payload->name, "payload's name", line, self))
        return WRIT_USAGE;
    x.auditor = (struct auditor){ keeping_write, &x.keeping };
    (void)pthread_mutex_init(&x.lock, NULL);
    (void)pthread_cond_init(&x.turned, NULL);
    keeping_open(&x.keeping, action->ledger, action->environment, world_real(), -1);
    status = apply(&x, &a);
    keeping_close(&x.keeping);
    (void)pthread_cond_destroy(&x.turned);
    (void)pthread_mutex_destroy(&x.lock);
    arena_wipe(&a); /* the payload was in it */
    arena_free(&a);
    return status;
}
