/* SPDX-License-Identifier: Apache-2.0 */
/* print.c: the only file that writes to the terminal.
 *
 * Names of files and texts of documents come from strangers. What would steer the terminal (ESC,
 * a line end in a name, text that runs backwards) is shown as an escape; only the line ends that
 * close a format are line ends.
 */
#include "cli/print.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

static bool colours[2]; /* of stdout, of stderr */
static size_t columns = 80;

static const char *const escapes[] = {
    [PLAIN] = "",         [BOLD] = "\033[1m",    [DIM] = "\033[2m",
    [GREEN] = "\033[32m", [YELLOW] = "\033[33m", [CYAN] = "\033[36m",
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

/* Characters a terminal obeys or hides instead of showing them: the controls, those that turn the
 * direction of writing, those without a width. */
static const struct {
    uint32_t first, last;
} steering[] = {
    { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },   { 0x200b, 0x200f },
    { 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
};

/* Does the character of n bytes steer? What is not UTF-8 (n is 0) may. */
static bool steers(const char *s, size_t n)
{
    uint32_t point = (unsigned char)*s & (n > 1 ? 0xffu >> (n + 1) : 0x7fu);

    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)s[i] & 0x3f);
    for (size_t i = 0; i < COUNT(steering); i++)
        if (point >= steering[i].first && point <= steering[i].last)
            return true;
    return n == 0;
}

/* Text as it can be shown: bytes that steer, or are not UTF-8, as \xNN. */
static void put_safe(FILE *to, struct str text)
{
    for (const char *p = text.s, *end = text.s + text.n; p < end;) {
        size_t n = utf8_step(p, end);
        bool bad = steers(p, n);

        for (n = n ? n : 1; n > 0; n--, p++) {
            if (bad)
                (void)fprintf(to, "\\x%02x", (unsigned char)*p);
            else
                (void)fputc(*p, to);
        }
    }
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

    if (n < 0) {
        text = NULL;
        return;
    }
    if (coloured)
        (void)fputs(escapes[colour], to);
    put_safe(to, (struct str){ text, (size_t)n - ends });
    if (coloured)
        (void)fputs("\033[0m", to);
    while (ends-- > 0)
        (void)fputc('\n', to);
}

void out_text(struct str text)
{
    (void)fwrite(text.s, 1, text.n, stdout);
}

void out_json(const char *json)
{
    out_text(str_of(json));
    (void)fputc('\n', stdout);
}

void out_person_end(void)
{
    if (columns < NO_EDGE)
        (void)fputc('\n', stdout);
}

void out_line(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put(stdout, PLAIN, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stdout);
}

void out(enum colour colour, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put(stdout, colour, fmt, ap);
    va_end(ap);
}

void say(const char *fmt, ...)
{
    va_list ap;

    (void)fputs("writ: ", stderr);
    va_start(ap, fmt);
    put(stderr, PLAIN, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
}

void err(enum colour colour, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put(stderr, colour, fmt, ap);
    va_end(ap);
}

/* How much of the text goes on a line with room for so many characters: up to a blank. */
static size_t line_of(struct str text, size_t room)
{
    size_t n = 0, chars = 0, blank = 0;

    for (; n < text.n && chars <= room; n++) {
        if (text.s[n] == ' ')
            blank = n;
        chars += ((unsigned char)text.s[n] & 0xc0) != 0x80;
    }
    if (chars <= room)
        return text.n;
    return blank > 0 ? blank : n - 1;
}

void out_folded(enum colour colour, struct str text, size_t column)
{
    size_t room = columns > column + 20 ? columns - column : 20;

    do {
        size_t n = line_of(text, room);

        out(colour, "%.*s\n", (int)n, text.s);
        for (text.s += n, text.n -= n; text.n > 0 && *text.s == ' '; text.n--)
            text.s++;
        if (text.n > 0)
            out(PLAIN, "%*s", (int)column, "");
    } while (text.n > 0);
}

bool print_flush(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}
