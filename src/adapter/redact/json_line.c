/* SPDX-License-Identifier: Apache-2.0 */
/* json_line.c: tells a line of JSON by its tokens alone, and goes through its texts.
 *
 * JSON has no text that goes over the end of a line: so a line can be read by itself, of a document
 * that is written over many, too.
 */
#include "adapter/redact/json_line.h"

#include "base/json_scan.h"
#include "base/mem.h"

/* From behind the opening quote to the closing one; `end` where there is none, and one more where
 * what is there is no text of JSON. */
static size_t closing_quote(struct str t, size_t at, size_t end)
{
    const char *p = t.s + at, *stop = t.s + end;

    for (;;) {
        p = json_skip(p, stop, false);
        if (p >= stop)
            return end;
        if (*p == '"')
            return (size_t)(p - t.s);
        if (*p != '\\')
            return end + 1;
        p += 2;
    }
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || is_one_of(c, "-+.E");
}

/* A number, by its characters, or one of the three words. */
static size_t bare_end(struct str t, size_t at, size_t end)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t to = at;
    struct str word;

    while (to < end && is_bare(t.s[to]))
        to++;
    word = (struct str){ t.s + at, to - at };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_is(word, words[i]))
            return to;
    for (size_t i = 0; i < word.n; i++)
        if (!is_one_of(word.s[i], "-+.eE0123456789"))
            return 0;
    return word.n ? to : 0;
}

/* Two that are neither signs nor blanks do not touch. */
static bool is_json(struct str t, size_t at, size_t end)
{
    while (at < end) {
        if (is_one_of(t.s[at], " \t\r{}[],:")) {
            at++;
            continue;
        }
        if (t.s[at] == '"')
            at = closing_quote(t, at + 1, end) + 1;
        else
            at = bare_end(t, at, end);
        if (at > end)
            return at == end + 1 && end == t.n; /* the rest of it was cut off */
        if (at == 0 || (at < end && !is_one_of(t.s[at], " \t\r]},:")))
            return false;
    }
    return true;
}

static void read_line(struct json_line *line, struct str t, size_t at)
{
    const char *end = memchr(t.s + at, '\n', t.n - at);

    line->end = end ? (size_t)(end - t.s) : t.n;
    for (line->at = at; line->at && t.s[line->at - 1] != '\n';)
        line->at--;
    line->text_end = 0;
    line->json = is_json(t, line->at, line->end);
}

size_t json_text_end(struct json_line *line, struct str t, size_t at)
{
    if (at >= line->end)
        read_line(line, t, at);
    while (line->json && line->at <= at) {
        if (t.s[line->at] != '"') {
            line->at++;
            continue;
        }
        if (!line->text_end)
            line->text_end = closing_quote(t, line->at + 1, line->end);
        if (at <= line->text_end)
            return at > line->at ? line->text_end : 0;
        line->at = line->text_end + 1;
        line->text_end = 0;
    }
    return 0;
}
