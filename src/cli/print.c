/* SPDX-License-Identifier: Apache-2.0 */
/* print.c: the only file that writes to the terminal.
 *
 * Names of files and texts of documents come from strangers. What would steer the terminal (ESC,
 * a line end in a name, text that runs backwards) is shown as an escape; only the line ends that
 * close a format are line ends.
 */
#include "cli/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/utf8.h"

enum { SAID_MOST = 1000, FOLD_LEAST = 20, HANG = 4 };

static bool colours[2]; /* of stdout, of stderr */
static size_t columns = 80;
static atomic_bool err_left, has_said, has_data;
static atomic_int lost; /* why something did not get out on stdout, as errno has it */
static char said[SAID_MOST + sizeof "…"]; /* what was said first */

static const char *const escapes[] = {
    [PLAIN] = "",          [BOLD] = "\033[1m",  [DIM] = "\033[2m",  [GREEN] = "\033[32m",
    [YELLOW] = "\033[33m", [CYAN] = "\033[36m", [RED] = "\033[31m",
};

void print_setup(bool colour_out, bool colour_err, size_t width)
{
    colours[0] = colour_out;
    colours[1] = colour_err;
    columns = width;
}

size_t print_width(void)
{
    return columns;
}

bool print_person(void)
{
    return columns < NO_EDGE;
}

size_t print_room(size_t column)
{
    if (!print_person())
        return SIZE_MAX;
    return columns > column ? columns - column : 0;
}

/* ---- characters ---- */

struct points {
    uint32_t first, last;
};

/* Characters a terminal obeys or hides instead of showing them: the controls, those that turn the
 * direction of writing, those without a width. */
static const struct points steering[] = {
    { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },       { 0x61c, 0x61c },
    { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
    { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

/* Those that take two columns. Where a terminal takes one, a text is cut a little early. */
static const struct points wide[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec }, { 0x25fd, 0x25fe },
    { 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x267f, 0x27bf }, { 0x2b1b, 0x2b55 },
    { 0x2e80, 0xa4cf },   { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
    { 0xfe10, 0xfe6b },   { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 }, { 0x16fe0, 0x1b2fb },
    { 0x1f000, 0x1faff }, { 0x20000, 0x3fffd },
};

static bool is_among(uint32_t point, const struct points *points, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (point >= points[i].first && point <= points[i].last)
            return true;
    return false;
}

/* The character of n bytes. */
static uint32_t point_of(const char *s, size_t n)
{
    uint32_t point = (unsigned char)*s & (n > 1 ? 0xffu >> (n + 1) : 0x7fu);

    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)s[i] & 0x3f);
    return point;
}

/* Does the character of n bytes steer? What is not UTF-8 (n is 0) may. */
static bool steers(const char *s, size_t n)
{
    return n == 0 || is_among(point_of(s, n), steering, COUNT(steering));
}

size_t print_measure(struct str text, size_t room, size_t *bytes)
{
    size_t used = 0;
    const char *p = text.s, *end = text.s + text.n;

    while (p < end) {
        size_t n = utf8_step(p, end), step = n ? n : 1, more = 1;

        if (steers(p, n))
            more = step * 4; /* as \xNN */
        else if (is_among(point_of(p, n), wide, COUNT(wide)))
            more = 2;
        if (more > room - used)
            break;
        used += more;
        p += step;
    }
    *bytes = (size_t)(p - text.s);
    return used;
}

size_t print_columns(struct str text)
{
    size_t bytes;

    return print_measure(text, SIZE_MAX, &bytes);
}

/* ---- writing ---- */

/* How many characters of ASCII that all terminals show lead the text. */
static size_t plain_run(const char *p, const char *end)
{
    size_t n = 0;

    while (p + n < end && p[n] >= ' ' && p[n] <= '~')
        n++;
    return n;
}

void print_safe(struct buf *to, struct str text)
{
    for (const char *p = text.s, *end = text.s + text.n; p < end;) {
        size_t plain = plain_run(p, end), n, step;

        buf_add(to, p, plain);
        p += plain;
        if (p == end)
            break;
        n = utf8_step(p, end);
        step = n ? n : 1;
        if (!steers(p, n))
            buf_add(to, p, step);
        else
            for (size_t i = 0; i < step; i++)
                buf_addf(to, "\\x%02x", (unsigned char)p[i]);
        p += step;
    }
}

/* Blanks wait until something follows them in their line, so that no line ends with blanks. */
static _Thread_local size_t blanks;
static _Thread_local bool begun; /* is anything else in this line? */

static void put_blanks(void)
{
    if (blanks)
        (void)fprintf(stdout, "%*s", (int)blanks, "");
    blanks = 0;
}

static void put_end(FILE *to)
{
    if (to == stdout) {
        blanks = 0;
        begun = false;
    }
    (void)fputc('\n', to);
}

static void put_bytes(FILE *to, struct str bytes)
{
    if (to == stdout)
        atomic_store(&has_data, true);
    if (to == stdout && bytes.n > 0) {
        put_blanks();
        begun = bytes.s[bytes.n - 1] != '\n';
    }
    if (bytes.n > 0 && fwrite(bytes.s, 1, bytes.n, to) < bytes.n && to == stdout)
        atomic_store(&lost, errno);
}

static void put_safe(FILE *to, struct str text)
{
    _buf_ struct buf safe = { .max = SIZE_MAX / 2 };

    print_safe(&safe, text);
    put_bytes(to, buf_str(&safe));
}

/* The line ends that close a format. */
static size_t line_ends(const char *fmt)
{
    size_t n = strlen(fmt), kept = n;

    while (kept > 0 && fmt[kept - 1] == '\n')
        kept--;
    return n - kept;
}

PRINTF(3, 0)
static void put(FILE *to, enum colour colour, const char *fmt, va_list ap)
{
    bool coloured = colours[to == stderr] && colour != PLAIN;
    _free_ char *text = NULL;
    int n = vasprintf(&text, fmt, ap);
    size_t ends = line_ends(fmt);
    struct str shown;

    if (n < 0) {
        text = NULL;
        return;
    }
    shown = (struct str){ text, (size_t)n - ends };
    if (to == stdout && ends == 0 && colour == PLAIN)
        shown = str_trim_end(shown, " ");
    if (to == stdout && shown.n > 0)
        put_blanks();
    if (coloured && shown.n > 0)
        (void)fputs(escapes[colour], to);
    put_safe(to, shown);
    if (coloured && shown.n > 0)
        (void)fputs("\033[0m", to);
    if (to == stdout)
        blanks += (size_t)n - ends - shown.n;
    while (ends-- > 0)
        put_end(to);
}

void out_text(struct str text)
{
    put_bytes(stdout, text);
}

void out_shown(struct str text)
{
    while (print_person() && text.n > 0) {
        size_t n = 0;

        while (n < text.n && text.s[n] != '\n' && text.s[n] != '\t')
            n++;
        put_safe(stdout, (struct str){ text.s, n });
        if (n < text.n)
            (void)fputc(text.s[n++], stdout);
        text = str_from(text, n);
    }
    out_text(text);
}

void out_json(const char *json)
{
    out_json_line(str_of(json));
}

void out_json_line(struct str json)
{
    if (print_person())
        put_safe(stdout, json);
    else
        out_text(json);
    (void)fputc('\n', stdout);
}

void out_person_end(void)
{
    if (print_person())
        (void)fputc('\n', stdout);
}

void out_line(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put(stdout, PLAIN, fmt, ap);
    va_end(ap);
    put_end(stdout);
}

void out(enum colour colour, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put(stdout, colour, fmt, ap);
    va_end(ap);
}

static size_t cut(enum colour colour, struct str text, size_t room)
{
    size_t bytes, used = print_measure(text, room, &bytes);
    bool short_of = bytes < text.n;

    if (room == 0)
        return 0;
    if (short_of)
        used = print_measure(text, room - 1, &bytes) + 1;
    out(colour, "%.*s%s", (int)bytes, text.s, short_of ? "…" : "");
    return used;
}

void out_cut(enum colour colour, struct str text, size_t room)
{
    (void)cut(colour, text, room);
}

void out_cell(enum colour colour, struct str text, size_t width)
{
    size_t used = cut(colour, text, width);

    blanks += width - used;
}

/* Not the first byte of a character. */
static bool is_inner(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* What was typed may be of any length. What is wrong with it stands before or behind it: of a long
 * message the middle is left out. */
static void shorten(char *text)
{
    static const char gap[] = "…";
    size_t n = strlen(text), head = SAID_MOST / 2, tail = n - SAID_MOST / 2;

    if (n <= SAID_MOST)
        return;
    while (is_inner(text[head]))
        head--;
    while (is_inner(text[tail]))
        tail++;
    memcpy(text + head, gap, sizeof gap - 1);
    memmove(text + head + sizeof gap - 1, text + tail, n - tail + 1);
}

void say(const char *fmt, ...)
{
    _free_ char *text = NULL;
    va_list ap;
    int n;

    if (atomic_load(&err_left))
        return;
    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) {
        text = NULL;
        return;
    }
    shorten(text);
    if (!atomic_exchange(&has_said, true))
        (void)snprintf(said, sizeof said, "%s", text);
    (void)fputs("writ: ", stderr);
    put_safe(stderr, str_of(text));
    (void)fputc('\n', stderr);
}

const char *print_only_said(void)
{
    return atomic_load(&has_said) && !atomic_load(&has_data) ? said : NULL;
}

const char *err_colour(enum colour colour)
{
    return colours[1] ? escapes[colour] : "";
}

void err_frame(struct str frame)
{
    while (frame.n > 0 && !atomic_load(&err_left)) {
        ssize_t n = write(STDERR_FILENO, frame.s, frame.n);

        if (n < 0 && errno != EINTR)
            return;
        frame.s += n > 0 ? n : 0;
        frame.n -= n > 0 ? (size_t)n : 0;
    }
}

void err(enum colour colour, const char *fmt, ...)
{
    va_list ap;

    if (atomic_load(&err_left))
        return;
    va_start(ap, fmt);
    put(stderr, colour, fmt, ap);
    va_end(ap);
}

void err_leave(void)
{
    atomic_store(&err_left, true);
}

size_t print_fold(struct str text, size_t room)
{
    size_t n, step;

    (void)print_measure(text, room, &n);
    if (n == text.n)
        return n;
    for (size_t blank = n; blank > 0; blank--) /* that behind what fits ends the line, too */
        if (text.s[blank] == ' ')
            return blank;
    step = n ? n : utf8_step(text.s, text.s + text.n);
    return step ? step : 1;
}

void out_folded(enum colour colour, struct str text, size_t column)
{
    size_t room = print_room(column);

    /* On a narrow terminal: a text that has too little room beside a name goes below the name. */
    if (room < FOLD_LEAST && column > 2 * HANG && print_columns(text) > room) {
        if (begun)
            put_end(stdout);
        blanks = column = HANG;
        room = print_room(column);
    }
    if (room < FOLD_LEAST)
        room = FOLD_LEAST;
    do {
        size_t n = print_fold(text, room);

        struct str line = str_trim_end((struct str){ text.s, n }, " "); /* it may end at several */

        out(colour, "%.*s\n", STR_ARG(line));
        text = str_trim_start(str_from(text, n), " ");
        if (text.n > 0)
            out(PLAIN, "%*s", (int)column, "");
    } while (text.n > 0);
}

bool print_flush(void)
{
    if (fflush(stdout) != 0)
        atomic_store(&lost, errno);
    return !ferror(stdout);
}

int print_lost(void)
{
    return atomic_load(&lost);
}

static atomic_bool recorded;

void print_is_recorded(void)
{
    atomic_store(&recorded, true);
}

bool print_reader_gone(void)
{
    return atomic_load(&recorded) && print_lost() == EPIPE;
}
