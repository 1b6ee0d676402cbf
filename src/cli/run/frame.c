/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c: paints a plan that runs. */
#include "cli/run_frame.h"

#include <inttypes.h>

#include "cli/entry_line.h"
#include "cli/lane_lines.h"
#include "cli/pretty.h"
#include "cli/units.h"

enum {
    GAP = 2,
    TIME = 8,
    MARK = 4,
    BELOW = 6,
    WORDS = 5,
    FOLDS = 3,
    WAITS_MOST = 3,
    NAMES_MOST = 2,
    ATTEMPT = sizeof "attempt 2 of 3 in 12.3 s" - 1,
    TIGHT = sizeof "2 of 3 in 12.3 s" - 1, /* and a time, a gap, "2 of 3" */
    ABOUT_LEAST = 8,
    NAME_LEAST = 4
};

static const char *const spinner[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" };

/* ---- parts of a line ---- */

static void add_gap(struct paint *p)
{
    paint_blanks(p, GAP);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How the columns of a line are given away: where they do not do for all, first the words about a
 * wait take the place of the time, which a step that waits has none of; then what a step does is
 * cut, and left out; then names are cut. */
struct layout {
    size_t name, about; /* about 0: it is left out */
    bool tight;
};

static struct layout layout_of(const struct run_state *s, const struct paint *p)
{
    struct layout l = { s->name_width, least(s->about_width, p->edge / 3), false };
    size_t behind = doc_first(s->retryable, DOC_LIST) ? TIGHT : TIME; /* nothing waits: no words */
    size_t used = MARK + l.name + GAP, rest = p->edge > used + behind ? p->edge - used - behind : 0;

    l.tight = used + l.about + GAP + TIME + GAP + ATTEMPT > p->edge;
    if (!l.tight)
        return l;
    l.about = least(l.about, rest > GAP ? rest - GAP : 0);
    if (l.about < least(s->about_width, ABOUT_LEAST))
        l.about = 0;
    if (used + behind > p->edge)
        l.name = p->edge > MARK + GAP + behind + NAME_LEAST ? p->edge - MARK - GAP - behind
                                                            : least(l.name, NAME_LEAST);
    return l;
}

static void add_name(const struct run_state *s, enum colour colour, struct str name,
                     struct paint *p)
{
    paint_cell(p, colour, name, layout_of(s, p).name);
}

/* Mark, name and what it does. */
static void add_step(const struct run_state *s, const struct run_step *step, const char *mark,
                     enum colour colour, struct paint *p)
{
    size_t about = layout_of(s, p).about;

    paint_blanks(p, GAP);
    paint_mark(p, colour, mark);
    add_name(s, PLAIN, step->name, p);
    add_gap(p);
    if (about == 0)
        return;
    paint_cell(p, DIM, step->about, about);
    add_gap(p);
}

static void add_time(struct paint *p, int64_t ms)
{
    char text[UNITS_TEXT];

    units_time(ms > 0 ? ms : 0, text);
    paint_right(p, PLAIN, str_of(text), TIME);
}

static void add_note(struct paint *p, enum colour colour, struct str note)
{
    if (note.n == 0)
        return;
    add_gap(p);
    paint_text(p, colour, note);
}

/* ---- what a step said ---- */

/* A line without what would only be noise: colours, tabs, what a carriage return overwrote. */
static void clean(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] == '\033' && i + 1 < text.n && text.s[i + 1] == '[') {
            for (i += 2; i < text.n && (text.s[i] < '@' || text.s[i] > '~'); i++)
                ;
            continue;
        }
        if (text.s[i] == '\r' && i + 1 < text.n)
            buf_reset(to);
        else if (text.s[i] != '\r')
            buf_addc(to, text.s[i] == '\t' ? ' ' : text.s[i]);
    }
}

void frame_words(const struct doc *failed, int most, void (*line)(void *self, struct str text),
                 void *self)
{
    struct str words = doc_text(failed, "last_words"), message = doc_text(failed, "message");
    size_t from = words.n;
    bool told;

    while (from > 0 && words.s[from - 1] == '\n')
        from--;
    words.n = from;
    for (; from > 0; from--)
        if (words.s[from - 1] == '\n' && --most == 0)
            break;
    /* The message tells the last line, too; where others come before it, it keeps its place. */
    told = from < words.n && !memchr(words.s + from, '\n', words.n - from);
    while (from < words.n) {
        const char *end = memchr(words.s + from, '\n', words.n - from);
        size_t n = end ? (size_t)(end - words.s) - from : words.n - from;
        _buf_ struct buf text = { .max = 1 << 20 };

        clean((struct str){ words.s + from, n }, &text);
        if (text.len && !(told && message.n && memmem(message.s, message.n, text.s, text.len)))
            line(self, buf_str(&text));
        from += n + 1;
    }
}

void frame_payload(const struct doc *payload, struct buf *to)
{
    if (!payload)
        return;
    if (payload->kind == DOC_MAP && payload->first && payload->first == payload->last &&
        str_is(payload->first->key, "text"))
        payload = payload->first;
    pretty_words(payload, to);
}

void frame_lane(const struct run_change *change, struct buf *to)
{
    const struct doc *said = doc_get(change->line, "said");
    struct str inner = doc_text(change->line, "inner");
    _buf_ struct buf words = { .max = 1 << 16 };

    if (change->event == RUN_HELD)
        lane_held_words(change->line, &words);
    else if (said && said->kind == DOC_MAP)
        lane_words(said, &words);
    if (words.len)
        buf_addf(to, "%.*s%s%s", STR_ARG(inner), inner.n ? ": " : "", words.s);
}

static void add_words(void *self, struct str text)
{
    struct paint *p = self;

    paint_blanks(p, BELOW);
    paint_word(p, DIM, "│ ");
    paint_text(p, DIM, text);
    paint_end(p);
}

/* ---- lines that stay ---- */

void frame_head(const struct run_state *s, struct paint *p)
{
    char limit[UNITS_TEXT];
    _buf_ struct buf text = { .max = 1 << 10 };

    buf_addf(&text, "  %zu step%s", s->count, s->count == 1 ? "" : "s");
    if (s->timeout_ms) {
        units_time(s->timeout_ms, limit);
        buf_addf(&text, " · at most %s", limit);
    }
    if (s->jobs > 1)
        buf_addf(&text, " · %" PRId64 " at a time", s->jobs);
    if (s->offline)
        buf_adds(&text, " · offline");
    paint_text(p, BOLD, s->name);
    paint_text(p, DIM, buf_str(&text));
    paint_end(p);
}

static void add_attempts(const struct run_step *step, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 10 };

    if (step->attempt <= 1)
        return;
    buf_addf(&text, "%" PRId64 " attempts", step->attempt);
    add_note(p, DIM, buf_str(&text));
}

static void paint_completed(const struct run_state *s, const struct run_change *c, struct paint *p)
{
    add_step(s, c->step, "✓", GREEN, p);
    add_time(p, doc_whole(c->line, "duration_ms"));
    add_note(p, PLAIN, doc_text(c->line, "note"));
    add_attempts(c->step, p);
    paint_end(p);
}

static void paint_failed(const struct run_state *s, const struct run_change *c, struct paint *p)
{
    struct str note = doc_text(c->line, "note"), code = doc_text(c->line, "code");
    struct str message = doc_text(c->line, "message");
    bool skip = run_goes_on(c->line);
    _buf_ struct buf text = { .max = 1 << 20 };

    add_step(s, c->step, skip ? "!" : "✗", skip ? YELLOW : RED, p);
    add_time(p, doc_whole(c->line, "duration_ms"));
    add_note(p, skip ? YELLOW : RED, note.n ? note : code);
    paint_word(p, DIM, skip ? " (skipped)" : " (halts)");
    add_attempts(c->step, p);
    paint_end(p);
    buf_addf(&text, "%.*s%s%.*s", STR_ARG(code), code.n && message.n ? ": " : "", STR_ARG(message));
    paint_folded(p, PLAIN, buf_str(&text), BELOW, FOLDS);
    frame_words(c->line, WORDS, add_words, p);
}

static void paint_notice(const struct run_state *s, const struct run_change *c, struct paint *p)
{
    const struct doc *payload = doc_get(c->line, "payload");
    struct str inner = doc_text(c->line, "inner"); /* the step of an inner plan that speaks */
    _buf_ struct buf text = { .max = 1 << 20 };

    if (inner.n)
        buf_addf(&text, "%.*s: ", STR_ARG(inner));
    frame_payload(payload, &text);
    paint_blanks(p, GAP);
    paint_mark(p, CYAN, "»");
    add_name(s, PLAIN, c->step->name, p);
    add_note(p, CYAN, buf_str(&text));
    paint_end(p);
}

static void paint_lane(const struct run_state *s, const struct run_change *c, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 17 };
    bool fits;

    frame_lane(c, &text);
    if (!text.len)
        return;
    paint_blanks(p, GAP);
    paint_mark(p, YELLOW, "!");
    add_name(s, PLAIN, c->step->name, p);
    fits = p->column + GAP + print_columns(buf_str(&text)) <= p->edge;
    if (fits)
        add_note(p, YELLOW, buf_str(&text));
    paint_end(p);
    if (!fits)
        paint_folded(p, YELLOW, buf_str(&text), BELOW, FOLDS);
}

void frame_change(const struct run_state *s, const struct run_change *change, struct paint *p)
{
    if (change->event == RUN_COMPLETED)
        paint_completed(s, change, p);
    else if (change->event == RUN_FAILED)
        paint_failed(s, change, p);
    else if (change->event == RUN_NOTICE)
        paint_notice(s, change, p);
    else if (change->event == RUN_LANE || change->event == RUN_HELD)
        paint_lane(s, change, p);
}

/* ---- the region ---- */

/* The same in fewer and fewer words: as many as there is room for. */
static void add_shorter(struct paint *p, struct buf texts[], size_t count)
{
    size_t room = p->edge > p->column ? p->edge - p->column : 0, i = 0;

    while (i + 1 < count && print_columns(buf_str(&texts[i])) > room)
        i++;
    paint_text(p, YELLOW, buf_str(&texts[i]));
}

/* Which attempt runs, where it is not the first. */
static void add_attempt(const struct run_step *step, struct paint *p)
{
    struct buf texts[] = { { .max = 1 << 10 }, { .max = 1 << 10 }, { .max = 1 << 10 } };

    if (step->attempt <= 1)
        return;
    add_gap(p);
    buf_addf(&texts[0], "attempt %" PRId64 " of %" PRId64, step->attempt, step->max_attempts);
    buf_addf(&texts[1], "%" PRId64 " of %" PRId64, step->attempt, step->max_attempts);
    buf_addf(&texts[2], "%" PRId64 "/%" PRId64, step->attempt, step->max_attempts);
    add_shorter(p, texts, COUNT(texts));
    for (size_t i = 0; i < COUNT(texts); i++)
        buf_free(&texts[i]);
}

/* Which attempt is next, and when. */
static void add_wait(const struct run_step *step, int64_t wait_ms, struct paint *p)
{
    struct buf texts[] = { { .max = 1 << 10 }, { .max = 1 << 10 }, { .max = 1 << 10 } };
    char wait[UNITS_TEXT];

    units_time(wait_ms > 0 ? wait_ms : 0, wait);
    buf_addf(&texts[0], "attempt %" PRId64 " of %" PRId64 " in %s", step->attempt + 1,
             step->max_attempts, wait);
    buf_addf(&texts[1], "%" PRId64 " of %" PRId64 " in %s", step->attempt + 1, step->max_attempts,
             wait);
    buf_addf(&texts[2], "in %s", wait);
    add_shorter(p, texts, COUNT(texts));
    for (size_t i = 0; i < COUNT(texts); i++)
        buf_free(&texts[i]);
}

static void paint_active(const struct run_state *s, const struct run_step *step, int64_t now_ms,
                         unsigned spin, struct paint *p)
{
    bool runs = step->state == STEP_RUNS;
    /* each step at its own place of the circle: they do not look like one */
    size_t turn = (spin + (size_t)(step - s->steps) * 3) % COUNT(spinner);

    add_step(s, step, runs ? spinner[turn] : "⟳", runs ? CYAN : YELLOW, p);
    if (runs) {
        add_time(p, now_ms - step->began_ms);
        add_attempt(step, p);
    } else {
        if (!layout_of(s, p).tight)
            paint_blanks(p, TIME + GAP);
        add_wait(step, step->next_ms - now_ms, p);
    }
    paint_end(p);
}

/* "waits for build, lint and 3 more" */
static void paint_waiting(const struct run_state *s, const struct run_step *step, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 16 };
    size_t more = 0, named = 0;

    for (size_t i = 0; i < step->after_count; i++) {
        const struct run_step *on = &s->steps[step->after[i]];

        if (on->state == STEP_DONE)
            continue;
        if (named == NAMES_MOST) {
            more++;
            continue;
        }
        buf_addf(&text, "%s%.*s", named++ ? ", " : "waits for ", STR_ARG(on->name));
    }
    if (more)
        buf_addf(&text, " and %zu more", more);
    if (named == 0)
        buf_adds(&text, "waits");
    paint_blanks(p, GAP);
    paint_mark(p, DIM, "·");
    add_name(s, DIM, step->name, p);
    add_note(p, DIM, buf_str(&text));
    paint_end(p);
}

static void paint_more(struct paint *p, size_t n, const char *what)
{
    _buf_ struct buf text = { .max = 1 << 10 };

    if (n == 0)
        return;
    buf_addf(&text, "and %zu more %s", n, what);
    paint_blanks(p, MARK);
    paint_text(p, DIM, buf_str(&text));
    paint_end(p);
}

/* How it stands as a whole: the last line. */
static void paint_foot(const struct run_state *s, int64_t now_ms, struct paint *p)
{
    _buf_ struct buf text = { .max = 1 << 10 };
    char took[UNITS_TEXT];

    units_time(now_ms > s->began_ms ? now_ms - s->began_ms : 0, took);
    buf_addf(&text, "%zu of %zu steps · %s", s->states[STEP_DONE], s->count, took);
    if (s->states[STEP_FAILED])
        buf_addf(&text, " · %zu failed", s->states[STEP_FAILED]);
    if (s->lost)
        buf_addf(&text, " · %" PRId64 " changes were missed", s->lost);
    paint_blanks(p, GAP);
    if (s->forced)
        paint_word(p, YELLOW, "stopping: its time is up · Ctrl-C leaves at once · ");
    paint_text(p, DIM, buf_str(&text));
    paint_end(p);
}

/* Shows at most `room` of the steps in these states, and says how many there are besides. */
static size_t paint_actives(const struct run_state *s, int64_t now_ms, size_t room, unsigned spin,
                            struct paint *p)
{
    size_t all = s->states[STEP_RUNS] + s->states[STEP_PAUSES], shown = 0;
    size_t most = all <= room ? all : room > 0 ? room - 1 : 0;

    for (size_t i = 0; i < s->count && shown < most; i++) {
        enum step_state state = s->steps[i].state;

        if (state != STEP_RUNS && state != STEP_PAUSES)
            continue;
        paint_active(s, &s->steps[i], now_ms, spin, p);
        shown++;
    }
    if (room > 0)
        paint_more(p, all - most, "running");
    return most + (all > most && room > 0);
}

static void paint_waits(const struct run_state *s, size_t room, struct paint *p)
{
    size_t all = s->states[STEP_WAITS], most = room < WAITS_MOST + 1 ? room : WAITS_MOST + 1;
    size_t shown = 0;

    most = all <= most ? all : most > 0 ? most - 1 : 0;
    for (size_t i = 0; i < s->count && shown < most; i++) {
        if (s->steps[i].state != STEP_WAITS)
            continue;
        paint_waiting(s, &s->steps[i], p);
        shown++;
    }
    if (room > shown)
        paint_more(p, all - shown, "waiting");
}

void frame_region(const struct run_state *s, int64_t now_ms, size_t rows, unsigned spin,
                  struct paint *p)
{
    size_t room = rows > 1 ? rows - 1 : 0, used;

    if (rows == 0)
        return;
    used = paint_actives(s, now_ms, room, spin, p);
    paint_waits(s, room - used, p);
    paint_foot(s, now_ms, p);
}
