/* SPDX-License-Identifier: Apache-2.0 */
/* live.c: draws frames over each other, each with one write and only where something changed.
 *
 * The cursor rests below the region. A frame goes up to the region's first row, writes the lines
 * that stay over it, and the region below them; each row is cleared behind its text, not before, so
 * that nothing flickers.
 */
#include "cli/run/view.h"
#include "cli/run_live.h"

#include <sys/ioctl.h>

#include "cli/run_frame.h"

enum { FRAME_MS = 90, IDLE_MS = 1000, ROWS = 24, COLUMNS = 80, ROWS_MOST = 40 };

#define HIDE       "\033[?25l"
#define UNHIDE     "\033[?25h"
#define SYNC       "\033[?2026h" /* one picture; terminals that do not know it ignore it */
#define SYNC_END   "\033[?2026l"
#define CLEAR_LINE "\033[K"
#define CLEAR_REST "\033[J"

/* ---- frames ---- */

/* Columns of a row as it was written: colours take none. */
static size_t row_columns(struct str row)
{
    size_t columns = 0, from = 0;

    for (size_t i = 0; i <= row.n; i++) {
        if (i < row.n && row.s[i] != '\033')
            continue;
        columns += print_columns((struct str){ row.s + from, i - from });
        while (i < row.n && row.s[i] != 'm')
            i++;
        from = i + 1;
    }
    return columns;
}

size_t run_live_rows(const struct run_live *live, size_t columns)
{
    struct str text = buf_str(&live->shown);
    size_t rows = 0;

    while (text.n > 0) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t n = end ? (size_t)(end - text.s) : text.n;
        size_t width = row_columns((struct str){ text.s, n });

        rows += width > columns && columns > 0 ? (width + columns - 1) / columns : 1;
        n += end ? 1 : 0;
        text.s += n;
        text.n -= n;
    }
    return rows;
}

/* To the first row of the region. A terminal that got narrower has broken its rows. */
static void go_up(const struct run_live *live, struct buf *out)
{
    size_t rows = run_live_rows(live, live->columns);

    buf_adds(out, "\r");
    if (rows >= live->rows && live->rows > 0)
        rows = live->rows - 1;
    if (rows > 0)
        buf_addf(out, "\033[%zuA", rows);
}

static void add_rows(struct str text, struct buf *out)
{
    while (text.n > 0) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t n = end ? (size_t)(end - text.s) : text.n;

        buf_add(out, text.s, n);
        buf_adds(out, CLEAR_LINE "\n");
        n += end ? 1 : 0;
        text.s += n;
        text.n -= n;
    }
}

void run_live_frame(struct run_live *live, struct buf *out)
{
    struct str region = buf_str(&live->region.text);

    if (live->stays.text.len == 0 && str_eq(region, buf_str(&live->shown)))
        return;
    buf_adds(out, SYNC);
    if (!live->hidden)
        buf_adds(out, HIDE);
    live->hidden = true;
    go_up(live, out);
    add_rows(buf_str(&live->stays.text), out);
    add_rows(region, out);
    buf_adds(out, CLEAR_REST SYNC_END);
    paint_reset(&live->stays);
    buf_reset(&live->shown);
    buf_add(&live->shown, region.s, region.n);
}

void run_live_clear(struct run_live *live, struct buf *out)
{
    if (live->stays.text.len || live->shown.len) {
        go_up(live, out);
        add_rows(buf_str(&live->stays.text), out);
        buf_adds(out, CLEAR_REST);
    }
    if (live->hidden)
        buf_adds(out, UNHIDE);
    live->hidden = false;
    paint_reset(&live->stays);
    buf_reset(&live->shown);
}

void run_live_free(struct run_live *live)
{
    buf_free(&live->stays.text);
    buf_free(&live->region.text);
    buf_free(&live->shown);
}

/* ---- the view ---- */

/* One column is left free: a row that is full to the edge would be broken by some terminals. */
static void measure(void *self)
{
    struct run_live *live = self;
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;

    live->rows = known ? size.ws_row : ROWS;
    live->columns = known ? size.ws_col : COLUMNS;
    live->stays.edge = live->columns > 1 ? live->columns - 1 : 1;
    live->region.edge = live->stays.edge;
}

static void begin(void *self, const struct run_state *s)
{
    struct run_live *live = self;

    *live = (struct run_live){ .stays.text.max = PAINT_MAX,
                               .region.text.max = PAINT_MAX,
                               .shown.max = PAINT_MAX,
                               .drawn_ms = s->began_ms };
    measure(live);
    frame_head(s, &live->stays);
}

static void take(void *self, const struct run_state *s, const struct run_change *change)
{
    struct run_live *live = self;

    frame_change(s, change, &live->stays);
    if (change->event == RUN_FORCED)
        live->drawn_ms = 0; /* who pressed a key sees it at once */
}

static int tick(void *self, const struct run_state *s, int64_t now_ms)
{
    struct run_live *live = self;
    _buf_ struct buf frame = { .max = 2 * PAINT_MAX };
    int64_t passed = now_ms - live->drawn_ms;
    size_t rows = live->rows > 1 ? live->rows - 1 : 1;

    if (passed >= 0 && passed < FRAME_MS)
        return (int)(FRAME_MS - passed);
    paint_reset(&live->region);
    frame_region(s, now_ms, rows < ROWS_MOST ? rows : ROWS_MOST, (unsigned)(now_ms / FRAME_MS),
                 &live->region);
    run_live_frame(live, &frame);
    err_frame(buf_str(&frame));
    live->drawn_ms = now_ms;
    return s->states[STEP_RUNS] + s->states[STEP_PAUSES] > 0 ? FRAME_MS : IDLE_MS;
}

static void leave(void *self)
{
    _buf_ struct buf frame = { .max = 2 * PAINT_MAX };

    run_live_clear(self, &frame);
    err_frame(buf_str(&frame));
}

void run_live_view(struct run_live *live, struct run_view *out)
{
    *out = (struct run_view){
        .begin = begin, .take = take, .tick = tick, .resize = measure, .leave = leave, .self = live
    };
}
