/* SPDX-License-Identifier: Apache-2.0 */
/* channel_intake.c: what a worker sends of an errand: output, files, an answer. */
#include <errno.h>
#include <sys/eventfd.h>

#include "contract/codes.h"
#include "route/channel_parts.h"

static bool broken(struct error *e, const struct frame *f, const char *why)
{
    return error_set(e, CODE_SYNTAX, "it sent a frame '%s' %s", frames[f->kind].name, why);
}

/* Nobody knows what a worker did that tells of a command before it was told to go. */
static bool too_early(struct underway *u, const struct frame *f, struct error *e)
{
    u->lied = true;
    return broken(e, f, "of a command that was not told to go");
}

static bool take_ready(struct channel *c, struct underway *u, const struct frame *f,
                       struct error *e)
{
    (void)c;
    if (u->ready)
        return broken(e, f, "twice");
    u->ready = true;
    buf_add(&u->admitted, f->body.s, f->body.n);
    return true;
}

/* ---- output ---- */

/* A reader that does not keep up slows the command down; but somebody who wants an end to an errand
 * does not wait for it. False: the channel is dead, and the errand may be gone. */
static bool make_room(struct channel *c, struct stream *s)
{
    while (!c->dead && !c->closing && !c->hurrying && s->live && s->waiting.len > WAITING_MAX) {
        int64_t at = c->world->mono_ms(c->world->self) + BEAT_MS;
        struct timespec until = { at / 1000, at % 1000 * 1000000 };

        if (pthread_cond_clockwait(&c->room, &c->lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
            wire_beat(c); /* nobody takes us for dead while somebody reads slowly, */
        c->heard_ms = c->world->mono_ms(c->world->self); /* nor we who could not be heard */
    }
    if (c->dead)
        return false;
    if (s->waiting.len > WAITING_MAX)
        s->live = false;
    return true;
}

static bool take_output(struct channel *c, struct underway *u, const struct frame *f,
                        struct error *e)
{
    struct stream *s = &u->streams[f->kind == FRAME_ERR];
    size_t room = s->head.max - s->head.len, first = f->body.n < room ? f->body.n : room;

    if (!u->go_end)
        return too_early(u, f, e);
    sha256_add(&s->sum, f->body.s, f->body.n);
    s->bytes += (int64_t)f->body.n;
    buf_add(&s->head, f->body.s, first);
    if (first && u->told)
        (void)eventfd_write(u->news, 1);
    if (first < f->body.n)
        last_add(&s->tail, f->body.s + first, f->body.n - first);
    if (make_room(c, s) && s->live)
        buf_add(&s->waiting, f->body.s, f->body.n);
    return true;
}

/* ---- files ---- */

/* That our store does not take it is no fault of the worker's, which goes on. What follows of the
 * file is counted, and kept nowhere. */
static void not_kept(struct filing *filing, const struct error *why)
{
    if (!filing->unkept.code)
        filing->unkept = *why;
}

static bool take_file(struct channel *c, struct underway *u, const struct frame *f, struct error *e)
{
    struct filing *filing = &u->filing;
    struct error why;

    (void)c;
    if (!u->go_end)
        return too_early(u, f, e);
    if (!filing->open) {
        if (!keep_begin(&filing->keeping, u->store, &why))
            not_kept(filing, &why);
        filing->open = true;
        filing->bytes = 0;
        sha256_begin(&filing->sum);
    }
    filing->bytes += (int64_t)f->body.n;
    filing->all += (int64_t)f->body.n;
    if (filing->all > outputs[OUTPUT_FILES].bytes + outputs[OUTPUT_ARTIFACTS].bytes)
        return error_set(e, CODE_CEILING, "it sent more files than are kept of a run");
    sha256_add(&filing->sum, f->body.s, f->body.n);
    if (!keep_add(&filing->keeping, f->body.s, f->body.n, &why))
        not_kept(filing, &why);
    return true;
}

/* A file without bytes has no piece: its end alone comes. */
static bool take_file_end(struct channel *c, struct underway *u, const struct frame *f,
                          struct error *e)
{
    const struct frame nothing = { FRAME_FILE, f->errand, { "", 0 } };
    struct filing *filing = &u->filing;
    struct digest told, is;
    struct error why;

    if (!filing->open && !take_file(c, u, &nothing, e))
        return false;
    is = sha256_end(&filing->sum);
    if (!digest_parse(f->body, &told) || memcmp(&told, &is, sizeof is) != 0)
        return broken(e, f, "whose digest is not that of the file");
    filing->open = false;
    if (!keep_end(&filing->keeping, &is, filing->bytes, &why))
        not_kept(filing, &why);
    return true;
}

/* ---- answers ---- */

/* It is not under way any more: another frame for it would be for nobody. */
static bool answered(struct channel *c, struct underway *u, const struct frame *f,
                     enum answer answer)
{
    struct underway **at = &c->underway;

    while (*at != u)
        at = &(*at)->next;
    *at = u->next;
    buf_add(&u->record, f->body.s, f->body.n);
    u->answer = answer;
    return true;
}

static bool take_result(struct channel *c, struct underway *u, const struct frame *f,
                        struct error *e)
{
    if (!u->go_end && !u->stopped)
        return too_early(u, f, e);
    if (u->filing.open)
        return broken(e, f, "before the end of a file");
    return answered(c, u, f, ANSWER_RESULT);
}

/* Nothing ran, it says: so nothing can have come of it. */
static bool take_refused(struct channel *c, struct underway *u, const struct frame *f,
                         struct error *e)
{
    if (u->streams[0].bytes || u->streams[1].bytes || u->filing.open || u->filing.all)
        return broken(e, f, "although the command ran");
    return answered(c, u, f, ANSWER_REFUSED);
}

/* ---- all of it ---- */

static bool is_news(const struct underway *u, enum frame_kind kind)
{
    if (kind == FRAME_OUT || kind == FRAME_ERR)
        return u->streams[kind == FRAME_ERR].live;
    return kind == FRAME_READY || kind == FRAME_REFUSED || kind == FRAME_RESULT;
}

static bool (*const takers[FRAME_KINDS])(struct channel *c, struct underway *u,
                                         const struct frame *f, struct error *e) = {
    [FRAME_READY] = take_ready,   [FRAME_REFUSED] = take_refused, [FRAME_OUT] = take_output,
    [FRAME_ERR] = take_output,    [FRAME_FILE] = take_file,       [FRAME_FILE_END] = take_file_end,
    [FRAME_RESULT] = take_result,
};

/* The errand is told after its answer was taken, and still under the lock: it is there until it
 * has looked. Output that nobody looks at does not wake it. */
bool intake(struct channel *c, struct underway *u, const struct frame *f, struct error *e)
{
    bool ok;

    if (!takers[f->kind])
        return broken(e, f, "again");
    ok = takers[f->kind](c, u, f, e);
    if (ok && !c->dead && is_news(u, f->kind))
        (void)eventfd_write(u->news, 1);
    return ok;
}

void intake_begin(struct underway *u, const struct errand *errand)
{
    static const enum output rows[STREAMS] = { OUTPUT_STDOUT, OUTPUT_STDERR };

    u->store = errand->store;
    u->filing.keeping.fd = -1;
    u->admitted.max = u->record.max = FRAME_MAX;
    for (int i = 0; i < STREAMS; i++) {
        struct stream *s = &u->streams[i];

        s->head.max = (size_t)outputs[rows[i]].bytes;
        s->waiting.max = WAITING_MAX + 2 * (size_t)FRAME_PIECE;
        s->live = errand->live[i] >= 0;
        u->told = errand->pace.printed != NULL;
        sha256_begin(&s->sum);
    }
}

void intake_end(struct underway *u)
{
    if (u->filing.open)
        keep_drop(&u->filing.keeping);
    buf_free(&u->admitted);
    buf_free(&u->record);
    for (int i = 0; i < STREAMS; i++) {
        buf_free(&u->streams[i].head);
        buf_free(&u->streams[i].waiting);
    }
}
