/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c: what is wrong with a field, in words: what was found, and what is allowed. */
#include "contract/shape/problem.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "base/number.h"
#include "contract/forms.h"
#include "contract/range.h"

enum { SAY = 256, LIST_SAY = 1024, FIELDS_MAX = 64, FIELDS_SAID = 10 };

void problem_kind(const struct spot *s, const struct doc *d, const char *should)
{
    _buf_ struct buf found = { .max = SAY }, allowed = { .max = SAY };
    int64_t min = field_min(s->field), max = field_max(s->field);

    doc_say(d, &found);
    if (s->field->limit && (min || max))
        say_range(min, max, &allowed);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s is %s, must be %s%s%s",
               s->field->name, found.s, should, allowed.len ? ", allowed " : "",
               buf_str(&allowed).s);
}

void problem_beyond(const struct spot *s, const struct doc *d)
{
    _buf_ struct buf found = { .max = SAY };

    doc_say(d, &found);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s is %s, must be at %s%" PRId64,
               s->field->name, found.s, d->number < 0 ? "least -" : "most ", WHOLE_MAX);
}

/* Of a command line in one text: its words as the list that it should be. What has quotes or is
 * long is for its writer to take apart. */
static void words_of(struct str text, struct buf *to)
{
    const char *p = text.s, *end = p + text.n;

    if (text.n == 0 || text.n > SAY / 4)
        return;
    for (size_t i = 0; i < text.n; i++)
        if (is_one_of(p[i], "\"'\\\n"))
            return;
    json_open(to, '[');
    while (p < end) {
        const char *stop = memchr(p, ' ', (size_t)(end - p));

        stop = stop ? stop : end;
        if (stop > p)
            json_text(to, (struct str){ p, (size_t)(stop - p) });
        p = stop + 1;
    }
    json_close(to, ']');
}

void problem_list(const struct spot *s, const struct doc *d, const char *should)
{
    _buf_ struct buf example = { .max = SAY }, whole = { .max = 2 * SAY };

    if (s->field->many == LIST && s->field->kind == F_TEXT && d->kind == DOC_TEXT)
        words_of(d->text, &example);
    buf_addf(&whole, "%s%s%s", should, example.len ? ", as " : "", buf_str(&example).s);
    problem_kind(s, d, whole.s);
}

/* Where the bound is that of whole numbers, it goes without saying until something is above it. */
void problem_range(const struct spot *s, const struct doc *d, int64_t min, int64_t max)
{
    _buf_ struct buf found = { .max = SAY }, allowed = { .max = SAY };

    doc_say(d, &found);
    if (max == WHOLE_MAX && d->kind == DOC_NUMBER && d->number > (double)max)
        buf_addf(&allowed, "%" PRId64 "..%" PRId64, min, max);
    else
        say_range(min, max, &allowed);
    report_add(s->report, ABOUT_VALUE, d, s->field->limit ? CODE_LIMIT_RANGE : s->shape->code,
               "%s is %s, allowed %s", s->field->name, found.s, allowed.s);
}

void problem_length(const struct spot *s, const struct doc *d, size_t chars)
{
    _buf_ struct buf allowed = { .max = SAY };

    say_range(s->field->min, s->field->max, &allowed);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s has %zu characters, allowed %s",
               s->field->name, chars, allowed.s);
}

void problem_count(const struct spot *s, const struct doc *d)
{
    _buf_ struct buf allowed = { .max = SAY };

    say_range(s->field->least, s->field->most, &allowed);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s has %u entries, allowed %s",
               s->field->name, d->count, allowed.s);
}

void problem_form(const struct spot *s, const struct doc *d, const char *why)
{
    const struct form_row *form = &forms[s->field->form];
    _buf_ struct buf found = { .max = SAY };

    if (s->field->form == FORM_URL && url_has_login(d->text)) {
        report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s", url_login_told);
        return;
    }
    doc_say(d, &found);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s is not %s such as %s%s%s", found.s,
               form->name, form->example, why ? ": " : "", why ? why : "");
}

/* " (did you mean 'x'?)", or nothing. */
static void suggest(struct str typed, const char *const *names, size_t n, struct buf *to)
{
    const char *near = str_nearest(typed, names, n);

    if (near)
        buf_addf(to, " (did you mean '%s'?)", near);
}

void problem_choice(const struct spot *s, const struct doc *d)
{
    const char *const *choices = s->field->choices;
    _buf_ struct buf found = { .max = SAY }, allowed = { .max = LIST_SAY };
    size_t n = 0;

    doc_say(d, &found);
    for (; choices[n]; n++)
        buf_addf(&allowed, "%s%s", n ? ", " : "", choices[n]);
    if (n == 1) {
        report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s is %s, must be '%s'",
                   s->field->name, found.s, choices[0]);
        return;
    }
    if (d->kind == DOC_TEXT)
        suggest(d->text, choices, n, &allowed);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s is not one of %s", found.s,
               allowed.s);
}

static const char *article(const struct shape *shape)
{
    return strchr("aeiou", shape->name[0]) ? "an" : "a";
}

void problem_missing(const struct spot *s, const struct doc *d)
{
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s %s needs '%s'", article(s->shape),
               s->shape->name, s->field->name);
}

/* The name that is nearly this one; where none is, all of them, if they are few. */
static void say_known(const struct spot *s, struct str name, struct buf *to)
{
    const char *names[FIELDS_MAX];
    size_t n = s->shape->count;

    for (size_t i = 0; i < n; i++)
        names[i] = s->shape->fields[i].name;
    suggest(name, names, n, to);
    if (to->len || n > FIELDS_SAID)
        return;
    for (size_t i = 0; i < n; i++)
        buf_addf(to, "%s%s", i ? ", " : "; it has ", names[i]);
}

void problem_unknown(const struct spot *s, const struct doc *d)
{
    _buf_ struct buf known = { .max = LIST_SAY };

    if (!report_full(s->report))
        say_known(s, d->key, &known);
    report_add(s->report, ABOUT_KEY, d, s->shape->code, "%s %s has no field %s%s",
               article(s->shape), s->shape->name, said(d->key, s->report->a), buf_str(&known).s);
}

void problem_no_map(const struct spot *s, const struct doc *d)
{
    _buf_ struct buf found = { .max = SAY };

    doc_say(d, &found);
    report_add(s->report, ABOUT_VALUE, d, s->shape->code, "%s %s must be a map, not %s",
               article(s->shape), s->shape->name, found.s);
}
