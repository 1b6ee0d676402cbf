/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: shows the engine's answers to people. */
#include "cli/answer.h"

#include <assert.h>
#include <inttypes.h>

#include "base/json_read.h"
#include "cli/print.h"

enum { COLUMNS_MAX = 16, GAP = 2 };

const struct doc *answer_read(const char *answer, struct arena *a)
{
    struct ceilings any;
    const struct document *document;
    struct error e;
    bool ok;

    for (size_t i = 0; i < CEILING_COUNT; i++)
        any.v[i] = UINT32_MAX;
    ok = json_read("answer", str_of(answer), &any, a, &document, &e);
    assert(ok);
    return &document->root;
}

struct str answer_text(const struct doc *map, const char *key)
{
    const struct doc *d = doc_get(map, key);

    return d && d->kind == DOC_TEXT ? d->text : str_of("");
}

static int64_t number(const struct doc *map, const char *key)
{
    const struct doc *d = doc_get(map, key);

    return d && d->kind == DOC_INT ? d->whole : 0;
}

static void show_problem(struct str file, const struct doc *p,
                         void (*print)(enum colour, const char *, ...))
{
    int64_t line = number(p, "line");
    struct str pointer = answer_text(p, "pointer");
    bool warning = str_is(answer_text(p, "severity"), "warning");

    print(BOLD, "%.*s:", STR_ARG(file));
    if (line > 0)
        print(BOLD, "%" PRId64 ":%" PRId64 ":", line, number(p, "column"));
    print(PLAIN, " ");
    if (pointer.n > 0)
        print(CYAN, "%.*s: ", STR_ARG(pointer));
    if (warning)
        print(YELLOW, "warning: ");
    print(PLAIN, "%.*s ", STR_ARG(answer_text(p, "message")));
    print(DIM, "[%.*s]", STR_ARG(answer_text(p, "code")));
    print(PLAIN, "\n");
}

struct str answer_file(const struct doc *report)
{
    struct str file = answer_text(report, "file");

    return str_is(file, "-") ? str_of("standard input") : file;
}

int64_t answer_problems(const struct doc *report, bool to_stdout)
{
    void (*print)(enum colour, const char *, ...) = to_stdout ? out : err;
    const struct doc *problems = doc_get(report, "problems");
    struct str file = answer_file(report);
    int64_t errors = number(report, "errors"), more = errors + number(report, "warnings");

    for (const struct doc *p = problems->first; p; p = p->next, more--)
        show_problem(file, p, print);
    if (more > 0)
        print(PLAIN, "%.*s: %" PRId64 " more problems\n", STR_ARG(file), more);
    return errors;
}

void answer_no_kind(const char *answer)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);
    struct str near = answer_text(d, "near");

    say("'%.*s' is not a kind of document%s%.*s%s", STR_ARG(answer_text(d, "topic")),
        near.n ? " (did you mean '" : "", STR_ARG(near), near.n ? "'?)" : "");
    say("the kinds are %.*s", STR_ARG(answer_text(d, "known")));
}

static void cell(const struct doc *d, struct buf *to)
{
    if (d->kind == DOC_TEXT)
        buf_add(to, d->text.s, d->text.n);
    else if (d->kind == DOC_BOOL)
        buf_adds(to, d->truth ? "yes" : "no");
    else
        doc_say(d, to);
}

static void show_card(const struct doc *row)
{
    bool first = true;

    for (const struct doc *d = row->first; d; d = d->next, first = false) {
        _buf_ struct buf text = { .max = 1 << 16 };

        cell(d, &text);
        if (text.len == 0)
            continue;
        out(DIM, "  %-*.*s ", 12, STR_ARG(d->key));
        out(first ? BOLD : PLAIN, "%s\n", text.s);
    }
}

static void measure(const struct doc *rows, size_t widths[COLUMNS_MAX])
{
    for (const struct doc *row = rows->first; row; row = row->next) {
        size_t i = 0;

        for (const struct doc *d = row->first; d && i < COLUMNS_MAX; d = d->next, i++) {
            _buf_ struct buf text = { .max = 1 << 16 };
            size_t name = str_chars(d->key), n;

            cell(d, &text);
            n = str_chars(buf_str(&text));
            n = n > name ? n : name;
            widths[i] = n > widths[i] ? n : widths[i];
        }
    }
}

static void show_cell(struct str text, size_t width, bool last, enum colour colour)
{
    out(colour, "%.*s", STR_ARG(text));
    if (!last)
        out(PLAIN, "%*s", (int)(width - str_chars(text) + GAP), "");
}

static void show_row(const struct doc *row, const size_t widths[COLUMNS_MAX], bool head)
{
    size_t i = 0;

    out(PLAIN, "  ");
    for (const struct doc *d = row->first; d && i < COLUMNS_MAX; d = d->next, i++) {
        _buf_ struct buf text = { .max = 1 << 16 };

        cell(d, &text);
        show_cell(head ? d->key : buf_str(&text), widths[i], !d->next,
                  head     ? DIM
                  : i == 0 ? BOLD
                           : PLAIN);
    }
    out(PLAIN, "\n");
}

/* Columns where they fit, else one card a row. */
static void show_rows(const struct doc *rows)
{
    size_t widths[COLUMNS_MAX] = { 0 }, total = 0;

    measure(rows, widths);
    for (size_t i = 0; i < COLUMNS_MAX; i++)
        total += widths[i] ? widths[i] + GAP : 0;
    if (total > print_width()) {
        for (const struct doc *row = rows->first; row; row = row->next) {
            show_card(row);
            if (row->next)
                out(PLAIN, "\n");
        }
        return;
    }
    show_row(rows->first, widths, true);
    for (const struct doc *row = rows->first; row; row = row->next)
        show_row(row, widths, false);
}

void answer_table(const struct doc *table)
{
    const struct doc *rows = doc_get(table, "rows");

    out(BOLD, "%.*s", STR_ARG(answer_text(table, "table")));
    out(DIM, "  %.*s\n", STR_ARG(answer_text(table, "about")));
    if (rows->count == 1)
        show_card(rows->first);
    else if (rows->count > 1)
        show_rows(rows);
}
