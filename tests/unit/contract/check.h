/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: runs a shape over a text and holds what is found against what should be.
 *
 * Include it after cmocka.h. A text that is JSON is read as JSON, any other as YAML.
 */
#pragma once

#include <string.h>

#include "base/doc_read.h"
#include "contract/shape.h"

/* One document, read and decoded; checked_free() lets go of all of it. */
struct checked {
    struct arena a;
    const struct document *document;
    struct report report;
    bool good;
};

static inline void checked_free(struct checked *c)
{
    arena_free(&c->a);
}

#define _checked_ _cleanup_(checked_free)

/* Returns the decoded struct; the text must outlive it. */
static inline const void *check_str(struct checked *c, const struct shape *shape, struct str text)
{
    struct ceilings max = ceilings_default();
    struct error e = { 0 };
    void *decoded;

    if (!doc_read("text", text, &max, &c->a, &c->document, &e))
        fail_msg("%d:%d: %s", e.at.line, e.at.col, e.msg);
    decoded = arena_alloc(&c->a, shape->size);
    c->report = report_new(&c->a, "text", text);
    c->good = shape_decode(shape, &c->document->root, &c->report, decoded);
    report_finish(&c->report);
    return decoded;
}

static inline const void *check_text(struct checked *c, const struct shape *shape, const char *text)
{
    return check_str(c, shape, str_of(text));
}

/* No error and no warning. */
static inline void check_clean(const struct checked *c)
{
    for (const struct problem *p = c->report.first; p; p = p->next)
        print_error("%d:%d: %s: %s\n", p->line, p->col, p->pointer, p->msg);
    assert_int_equal(c->report.errors + c->report.warnings, 0);
    assert_true(c->good);
}

/* What must be said of a document in which the first `from` is replaced by `to`. */
struct refusal {
    const char *from, *to;
    const char *pointer;
    enum code code;
    const char *msg;
};

static inline const char *check_swap(struct arena *a, const char *text, const char *from,
                                     const char *to)
{
    const char *place = strstr(text, from);

    if (!place) {
        fail_msg("the document has no '%s'", from);
        return text;
    }
    return arena_printf(a, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
}

/* It has exactly one problem, and that is the row's. */
static inline void check_refusal(const struct shape *shape, const char *text,
                                 const struct refusal *row)
{
    _checked_ struct checked c = { 0 };
    const struct problem *p;

    (void)check_text(&c, shape, check_swap(&c.a, text, row->from, row->to));
    p = c.report.first;
    if (!p) {
        fail_msg("nothing is said about '%s'", row->to);
        return;
    }
    assert_string_equal(p->msg, row->msg);
    assert_string_equal(p->pointer, row->pointer);
    assert_string_equal(codes[p->code].name, codes[row->code].name);
    assert_int_equal(c.report.errors + c.report.warnings, 1);
    assert_int_equal(c.good, p->warning);
}

/* It has exactly these problems, in the order of the text; `from` and `to` do not count. */
static inline void check_problems(const struct checked *c, const struct refusal *rows, size_t count)
{
    const struct problem *p = c->report.first;

    for (size_t i = 0; i < count; i++, p = p->next) {
        if (!p) {
            fail_msg("nothing is said about '%s'", rows[i].pointer);
            return;
        }
        assert_string_equal(p->msg, rows[i].msg);
        assert_string_equal(p->pointer, rows[i].pointer);
        assert_string_equal(codes[p->code].name, codes[rows[i].code].name);
    }
    if (p)
        fail_msg("too much is said: %s: %s", p->pointer, p->msg);
}

static inline void check_refusals(const struct shape *shape, const char *text,
                                  const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_refusal(shape, text, &rows[i]);
}

/* It has no problem at all after the swap. */
static inline void check_accepts(const struct shape *shape, const char *text, const char *from,
                                 const char *to)
{
    _checked_ struct checked c = { 0 };

    (void)check_text(&c, shape, check_swap(&c.a, text, from, to));
    check_clean(&c);
}

static inline void check_is(struct str found, const char *wanted)
{
    if (!str_is(found, wanted))
        fail_msg("'%.*s' is not '%s'", STR_ARG(found), wanted);
}

static inline void check_texts(const struct items *items, const char *const *wanted, size_t count)
{
    assert_int_equal(items->n, count);
    for (size_t i = 0; i < count; i++)
        check_is(((const struct str *)items->v)[i], wanted[i]);
}

static inline void check_pairs(const struct items *items, const struct pair *wanted, size_t count)
{
    const struct pair *pairs = items->v;

    assert_int_equal(items->n, count);
    for (size_t i = 0; i < count; i++)
        assert_true(str_eq(pairs[i].key, wanted[i].key) && str_eq(pairs[i].text, wanted[i].text));
}
