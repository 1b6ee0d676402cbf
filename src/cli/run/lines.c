/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c: tells of a plan in plain lines, for logs and for terminals that cannot draw; and
 * passes its progress on as it is, for programs. */
#include "cli/run/view.h"
#include "cli/run_lines.h"

#include <inttypes.h>
#include <string.h>

#include "cli/run_frame.h"
#include "cli/units.h"

enum { BEAT_MS = 15000, WORDS = 5, NAMES_MOST = 3 };

/* ---- parts of a line ---- */

static void add(struct paint *p, struct str text)
{
    paint_text(p, PLAIN, text);
}

static void begin_line(const struct run_state *s, const struct run_step *step, struct paint *p)
{
    add(p, s->name);
    paint_word(p, PLAIN, ": ");
    if (!step)
        return;
    add(p, step->name);
    paint_word(p, PLAIN, ": ");
}

static void add_time(struct paint *p, int64_t ms)
{
    char text[UNITS_TEXT];

    units_time(ms, text);
    paint_word(p, PLAIN, text);
}

static void add_note(struct paint *p, struct str note)
{
    if (note.n == 0)
        return;
    paint_word(p, PLAIN, ", ");
    add(p, note);
}

/* ---- what changes ---- */

static void completed(const struct run_change *c, struct paint *p)
{
    paint_word(p, PLAIN, "succeeded ");
    add_time(p, doc_whole(c->line, "duration_ms"));
    add_note(p, doc_text(c->line, "note"));
}

static void failed(const struct run_change *c, struct paint *p)
{
    struct str message = doc_text(c->line, "message");
    _buf_ struct buf text = { .max = 1 << 10 };

    paint_word(p, PLAIN, c->step->attempt ? "failed " : "not run");
    if (c->step->attempt)
        add_time(p, doc_whole(c->line, "duration_ms"));
    add_note(p, doc_text(c->line, "code"));
    if (message.n) {
        paint_word(p, PLAIN, ": ");
        add(p, message);
    }
    if (c->event == RUN_STUMBLED || c->step->attempt > 1)
        buf_addf(&text, " (attempt %" PRId64 " of %" PRId64 ")", c->step->attempt,
                 c->step->max_attempts);
    if (c->event == RUN_FAILED)
        buf_adds(&text, run_goes_on(c->line) ? " (skipped)" : " (halts)");
    add(p, buf_str(&text));
}

static void retries(const struct run_change *c, struct paint *p)
{
    paint_word(p, PLAIN, "tries again in ");
    add_time(p, doc_whole(c->line, "wait_ms"));
}

static void notice(const struct run_change *c, struct paint *p)
{
    const struct doc *payload = doc_get(c->line, "payload");
    struct str inner = doc_text(c->line, "inner"); /* the step of an inner plan that speaks */
    _buf_ struct buf text = { .max = 1 << 20 };

    frame_payload(payload, &text);
    if (inner.n) {
        add(p, inner);
        paint_word(p, PLAIN, " ");
    }
    paint_word(p, PLAIN, "says ");
    add(p, buf_str(&text));
}

static void lane(const struct run_change *c, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 17 };

    frame_lane(c, &text);
    add(p, buf_str(&text));
}

static void forced(const struct run_change *c, struct paint *p)
{
    (void)c;
    paint_word(p, PLAIN, "stopping: its time is up; once more leaves at once");
}

/* A start is no line: what runs is named now and then, and its end is. */
static void (*const tell[RUN_EVENTS])(const struct run_change *c, struct paint *p) = {
    [RUN_COMPLETED] = completed, [RUN_FAILED] = failed, [RUN_STUMBLED] = failed,
    [RUN_RETRIES] = retries,     [RUN_NOTICE] = notice, [RUN_FORCED] = forced,
    [RUN_LANE] = lane,           [RUN_HELD] = lane,
};

/* Most lanes run where they were meant to and are held as usual. */
static bool is_quiet(const struct run_change *c)
{
    _buf_ struct buf text = { .max = 1 << 17 };

    if (c->event != RUN_LANE && c->event != RUN_HELD)
        return !tell[c->event];
    frame_lane(c, &text);
    return text.len == 0;
}

/* What a step said, each line below its name. */
struct said {
    const struct run_state *state;
    const struct run_step *step;
    struct paint *paint;
};

static void add_words(void *self, struct str text)
{
    const struct said *said = self;

    begin_line(said->state, said->step, said->paint);
    paint_word(said->paint, PLAIN, "| ");
    add(said->paint, text);
    paint_end(said->paint);
}

void run_lines_change(const struct run_state *s, const struct run_change *change, struct paint *p)
{
    struct said said = { s, change->step, p };
    const struct doc *line = change->line;
    int64_t lost = line && line->kind == DOC_MAP ? doc_whole(line, "lost") : 0;

    if (lost > 0) {
        _buf_ struct buf text = { .max = 1 << 8 };

        buf_addf(&text, "%" PRId64 " change%s missed here", lost, lost == 1 ? " was" : "s were");
        begin_line(s, NULL, p);
        add(p, buf_str(&text));
        paint_end(p);
    }
    if (is_quiet(change))
        return;
    begin_line(s, change->step, p);
    tell[change->event](change, p);
    paint_end(p);
    if (change->event == RUN_FAILED || change->event == RUN_STUMBLED)
        frame_words(change->line, WORDS, add_words, &said);
}

/* "audit: 3 of 7 steps, 2 running (flaky, build), 45.0 s" */
void run_lines_beat(const struct run_state *s, int64_t now_ms, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 16 };
    size_t running = s->states[STEP_RUNS] + s->states[STEP_PAUSES], named = 0;
    char took[UNITS_TEXT];

    units_time(now_ms > s->began_ms ? now_ms - s->began_ms : 0, took);
    buf_addf(&text, "%zu of %zu steps, %zu running", s->states[STEP_DONE], s->count, running);
    for (size_t i = 0; i < s->count && named < NAMES_MOST; i++)
        if (s->steps[i].state == STEP_RUNS || s->steps[i].state == STEP_PAUSES)
            buf_addf(&text, "%s%.*s", named++ ? ", " : " (", STR_ARG(s->steps[i].name));
    if (named)
        buf_adds(&text, running > named ? ", ..)" : ")");
    buf_addf(&text, ", %s", took);
    if (s->lost)
        buf_addf(&text, ", %" PRId64 " changes were missed", s->lost);
    begin_line(s, NULL, p);
    add(p, buf_str(&text));
    paint_end(p);
}

/* ---- the view ---- */

static void write_lines(struct run_lines *l)
{
    err_frame(buf_str(&l->lines.text));
    paint_reset(&l->lines);
}

static void begin(void *self, const struct run_state *s)
{
    struct run_lines *l = self;

    *l = (struct run_lines){ .lines = { .text.max = PAINT_MAX, .edge = NO_EDGE },
                             .beat_ms = s->began_ms };
}

static void take(void *self, const struct run_state *s, const struct run_change *change)
{
    struct run_lines *l = self;

    run_lines_change(s, change, &l->lines);
}

static int tick(void *self, const struct run_state *s, int64_t now_ms)
{
    struct run_lines *l = self;

    if (now_ms - l->beat_ms >= BEAT_MS || now_ms < l->beat_ms) {
        run_lines_beat(s, now_ms, &l->lines);
        l->beat_ms = now_ms;
    }
    write_lines(l);
    return (int)(l->beat_ms + BEAT_MS - now_ms);
}

static void leave(void *self)
{
    write_lines(self);
}

void run_lines_free(struct run_lines *lines)
{
    buf_free(&lines->lines.text);
}

void run_lines_view(struct run_lines *lines, struct run_view *out)
{
    *out = (struct run_view){
        .begin = begin, .take = take, .tick = tick, .leave = leave, .self = lines
    };
}

/* ---- for programs, and for nobody ---- */

static void pass_on(void *self, struct str line)
{
    (void)self;
    out_json_line(line);
}

static int flush(void *self, const struct run_state *s, int64_t now_ms)
{
    (void)self;
    (void)s;
    (void)now_ms;
    (void)!print_flush(); /* what did not get out main() asks for at the end */
    return -1;
}

void run_json_view(struct run_view *out)
{
    *out = (struct run_view){ .raw = pass_on, .tick = flush };
}
