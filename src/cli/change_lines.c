/* SPDX-License-Identifier: Apache-2.0 */
/* change_lines.c: what a run changed, as people read it. */
#include "cli/change_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/print.h"
#include "cli/units.h"

static const struct {
    const char *change, *sign;
    enum colour colour;
} signs[] = {
    { "changed", "M", YELLOW },
    { "added", "A", GREEN },
    { "deleted", "D", RED },
};

void change_words(const struct doc *list, char out[CHANGE_WORDS])
{
    int64_t counts[COUNT(signs)] = { 0 };
    int n = 0;

    for (const struct doc *d = doc_first(list, DOC_LIST); d; d = d->next)
        for (size_t i = 0; i < COUNT(signs); i++)
            counts[i] += str_is(doc_text(d, "change"), signs[i].change);
    (void)snprintf(out, CHANGE_WORDS, "nothing changed");
    for (size_t i = 0; i < COUNT(signs); i++)
        if (counts[i])
            n += snprintf(out + n, (size_t)(CHANGE_WORDS - n), "%s%" PRId64 " %s", n ? ", " : "",
                          counts[i], signs[i].change);
}

/* The next line of a text, without its end. */
static struct str next_line(struct str *text)
{
    const char *end = memchr(text->s, '\n', text->n);
    struct str line = { text->s, end ? (size_t)(end - text->s) : text->n };

    *text = (struct str){ line.s + line.n + !!end, text->n - line.n - !!end };
    return line;
}

/* Before the first hunk of a file there are its names. */
struct within {
    bool hunk;
};

static enum colour colour_of(struct within *at, struct str line)
{
    if (str_begins(line, "diff --git ") || str_begins(line, "writ: ")) {
        at->hunk = false;
        return BOLD;
    }
    if (line.n && line.s[0] == '@') {
        at->hunk = true;
        return CYAN;
    }
    if (!at->hunk)
        return BOLD;
    return !line.n ? PLAIN : line.s[0] == '-' ? RED : line.s[0] == '+' ? GREEN : PLAIN;
}

/* How many lines a diff adds and removes. */
static void count_lines(struct str diff, int64_t *added, int64_t *removed)
{
    struct within at = { 0 };

    *added = *removed = 0;
    while (diff.n) {
        enum colour colour = colour_of(&at, next_line(&diff));

        *added += colour == GREEN;
        *removed += colour == RED;
    }
}

void change_show_diff(struct str diff)
{
    struct within at = { 0 };

    if (!print_person()) {
        out_text(diff);
        return;
    }
    while (diff.n) {
        struct str line = next_line(&diff);

        out(colour_of(&at, line), "%.*s\n", STR_ARG(line));
    }
}

/* Of a path that stays what it is. */
static void show_mode(const struct doc *change)
{
    const struct doc *before = doc_get(change, "before");
    struct str now = doc_text(change, "mode"), was = { "", 0 };

    if (before && before->kind == DOC_MAP &&
        str_eq(doc_text(before, "kind"), doc_text(change, "kind")))
        was = doc_text(before, "mode");
    if (was.n && now.n && !str_eq(was, now))
        out(YELLOW, "  mode %.*s -> %.*s", STR_ARG(was), STR_ARG(now));
}

void change_show(const struct doc *change, struct str diff)
{
    struct str kind = doc_text(change, "kind");
    int64_t added, removed;
    char size[UNITS_TEXT];

    for (size_t i = 0; i < COUNT(signs); i++)
        if (str_is(doc_text(change, "change"), signs[i].change))
            out(signs[i].colour, "%s ", signs[i].sign);
    out(PLAIN, "%.*s", STR_ARG(doc_text(change, "path")));
    if (kind.n && !str_is(kind, "file"))
        out(DIM, "  %.*s", STR_ARG(kind));
    show_mode(change);
    if (doc_get(change, "changed_meanwhile"))
        out(RED, "  changed by somebody while the run lasted");
    if (diff.n) {
        count_lines(diff, &added, &removed);
        if (added)
            out(GREEN, "  +%" PRId64, added);
        if (removed)
            out(RED, "  -%" PRId64, removed);
    } else if (doc_get(change, "bytes")) {
        units_bytes(doc_whole(change, "bytes"), size);
        out(DIM, "  %s", size);
    }
    out(PLAIN, "\n");
}
