/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: holds a schema against a document, and says what is wrong. */
#include "base/jsonschema.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/jsonschema/parts.h"

/* Schemas inside each other while one value is looked at. A document is at most 128 deep. */
enum { APPLY_MAX = 2048 };

void say_subject(const struct doc *d, struct buf *to)
{
    struct doc name = { .kind = DOC_TEXT, .text = d->key };
    uint32_t index = 0;

    if (d->key.s) {
        doc_say(&name, to);
        return;
    }
    if (!d->up) {
        buf_adds(to, "the document");
        return;
    }
    for (const struct doc *c = d->up->first; c && c != d; c = c->next)
        index++;
    buf_addf(to, "item %u", index);
}

static void count(struct tally *t, enum weighs weighs, const struct doc *d)
{
    t->errors++;
    if (weighs == WEIGHS_KIND && d == t->about)
        t->kinds++;
    if (weighs == WEIGHS_CHOICE && (d == t->about || d->up == t->about))
        t->choices++;
}

bool refuse(struct run *c, enum about about, const struct doc *d, const char *fmt, ...)
{
    char msg[ERROR_MSG];
    va_list ap;

    if (c->w->over || c->quick)
        return false;
    if (c->tally) {
        count(c->tally, WEIGHS_LITTLE, d);
        return false;
    }
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    report_add(c->r, about, d, c->schema->code, "%s%s", msg, c->note ? c->note : "");
    return false;
}

/* A rule of a value alone did not hold. */
COLD static void tell(struct run *c, const struct rule *rule, const struct doc *d)
{
    _buf_ struct buf text = { .max = ERROR_MSG };

    if (c->tally) {
        count(c->tally, rule->row->weighs, d);
        return;
    }
    if (!is_quiet(c)) {
        say_subject(d, &text);
        buf_addc(&text, ' ');
        rule->row->say(rule, d, &text);
    }
    (void)refuse(c, ABOUT_VALUE, d, "%s", buf_str(&text).s);
}

COLD static bool too_deep(struct run *c, const struct doc *d)
{
    if (c->r && !c->w->over)
        report_add(c->r, ABOUT_VALUE, d, ERROR_CEILING,
                   "more than %d schemas inside each other are held against this", APPLY_MAX);
    c->w->over = true;
    return false;
}

void words_take(struct run *c, size_t n, size_t *at)
{
    *at = c->used;
    if (c->room - c->used < n) {
        size_t room = 2 * (c->used + n);
        uint64_t *words = arena_alloc(c->a, room * sizeof *words);

        if (c->used > 0)
            memcpy(words, c->words, c->used * sizeof *words);
        c->words = words;
        c->room = room;
    } else if (n > 0) {
        memset(c->words + c->used, 0, n * sizeof *c->words);
    }
    c->used += n;
}

struct marks marks_new(struct run *c, const struct doc *d)
{
    struct marks m = { .count =
                           d->kind == DOC_LIST || d->kind == DOC_MAP ? (d->count + 63) / 64 : 0 };

    if (!work_do(c->w, m.count))
        m.count = 0;
    words_take(c, m.count, &m.at);
    return m;
}

void marks_join(struct run *c, struct marks *to, const struct marks *from)
{
    if (!work_do(c->w, to->count) || to->count != from->count)
        return;
    for (uint32_t i = 0; i < to->count; i++)
        c->words[to->at + i] |= c->words[from->at + i];
}

static bool rules_hold(struct run *c, const struct node *n, const struct doc *d, struct marks *m)
{
    const struct rule *rule = n->rules, *end = rule + n->count;
    uint32_t kind = 1U << d->kind;
    bool ok = true;

    if (rule < end && rule->check == check_type && rule->number & kind)
        rule++; /* it comes first, and most values are of the right kind */
    for (; rule < end; rule++) {
        if (!(rule->kinds & kind) || rule->check(c, rule, d, m))
            continue;
        if (c->quick)
            return false;
        ok = false;
        if (rule->row->say)
            tell(c, rule, d);
        if (rule->row->weighs == WEIGHS_KIND)
            return false; /* what else is wrong with a value of another kind does not help */
    }
    return ok;
}

static bool keep_and_hold(struct run *c, const struct node *n, const struct doc *d, struct marks *m)
{
    struct marks own = marks_new(c, d);
    bool ok = rules_hold(c, n, d, &own);

    if (ok && m)
        marks_join(c, m, &own);
    c->used = own.at;
    return ok;
}

bool schema_apply(struct run *c, const struct node *n, const struct doc *d, struct marks *m)
{
    struct scope scope = { n->home, c->scope };
    bool entered = !c->scope || c->scope->home != n->home, ok;

    if (n->always)
        return true;
    if (!work_do(c->w, 1 + (uint32_t)n->count))
        return false;
    if (n->never)
        return refuse(c, ABOUT_VALUE, d, "nothing is allowed here");
    if (n->plain)
        return rules_hold(c, n, d, NULL); /* nothing lies deeper */
    if (c->depth == APPLY_MAX)
        return too_deep(c, d);
    c->depth++;
    if (entered)
        c->scope = &scope; /* cppcheck-suppress autoVariables ; taken away below */
    ok = n->keeps ? keep_and_hold(c, n, d, m) : rules_hold(c, n, d, m);
    if (entered)
        c->scope = scope.up;
    c->depth--;
    return ok;
}

bool jsonschema_check(const struct jsonschema *s, const struct doc *d, struct arena *a,
                      struct work *w, struct report *r)
{
    struct run c = { .schema = s, .a = a, .w = w, .r = r, .quick = true };
    bool ok = schema_apply(&c, s->root, d, NULL) && !w->over;

    if (!ok && r && !w->over) { /* most documents are right: only others are asked for words */
        c.quick = false;
        c.used = 0;
        (void)schema_apply(&c, s->root, d, NULL);
    }
    arena_free(&c.scratch);
    return ok;
}
