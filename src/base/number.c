/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: decimal text to a number, exactly or not at all.
 *
 * I-JSON numbers are doubles. A fraction is rounded to the nearest one, as everywhere; a whole
 * number is somebody's id or count and must survive, so one that a double cannot hold is refused
 * instead of being changed. A whole number in the form RFC 8785 gives it (2^60 is written
 * 1152921504606847000) reads back as the double it came from.
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/shortest.h"

enum { DIGITS_SAFE = 18, EXPONENT_MAX = 100000 };

/* What the text says, before it becomes a double. */
struct decimal {
    int64_t digits; /* all digits as one number, while they are at most DIGITS_SAFE */
    int count;      /* digits read, leading zeros left out */
    int exponent;   /* of ten */
    bool minus, whole;
};

static int read_exponent(const char *p, const char *end)
{
    bool minus = *p == '-';
    int n = 0;

    if (*p == '-' || *p == '+')
        p++;
    for (; p < end; p++)
        if (n < EXPONENT_MAX)
            n = n * 10 + (*p - '0');
    return minus ? -n : n;
}

static struct decimal take_apart(struct str text)
{
    const char *p = text.s, *end = text.s + text.n;
    struct decimal d = { .whole = true };

    if (*p == '-') {
        d.minus = true;
        p++;
    }
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            d.whole = false;
            continue;
        }
        d.count += d.count > 0 || *p != '0';
        if (d.count <= DIGITS_SAFE)
            d.digits = d.digits * 10 + (*p - '0');
        d.exponent -= !d.whole;
    }
    if (p < end) {
        d.whole = false;
        d.exponent += read_exponent(p + 1, end);
    }
    return d;
}

/* strtod() rounds rightly but reads the decimal point of the process's locale; this one never. */
static double slow_double(struct str text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL); /* glibc's own constant: not freed */
    char copy[NUMBER_MAX + 1];

    memcpy(copy, text.s, text.n);
    copy[text.n] = '\0';
    return strtod_l(copy, NULL, plain);
}

/* Both factors are exact, so the one division or multiplication rounds once, and rightly. */
static double to_double(const struct decimal *d, struct str text)
{
    int e = d->exponent;
    double v = (double)d->digits;

    if (d->count > DIGITS_SAFE || d->digits > WHOLE_MAX || e < -TEN_EXACT || e > TEN_EXACT)
        return slow_double(text);
    v = e < 0 ? v / tens[-e] : v * tens[e];
    return d->minus ? -v : v;
}

static bool survives(double v, struct str text)
{
    char exact[NUMBER_MAX], canonical[SHORTEST_MAX];
    int n = snprintf(exact, sizeof exact, "%.0f", v);
    size_t m = shortest_double(v, canonical);

    return str_eq(text, (struct str){ exact, (size_t)n }) ||
           str_eq(text, (struct str){ canonical, m });
}

bool number_read(struct str text, struct doc *d, const char **why)
{
    struct decimal parts = take_apart(text);
    double v;

    if (parts.whole && parts.count <= DIGITS_SAFE && parts.digits <= WHOLE_MAX) {
        d->kind = DOC_INT;
        d->whole = parts.minus ? -parts.digits : parts.digits;
        return true;
    }
    v = to_double(&parts, text);
    *why = "is beyond the range of a double (about 1.8e308)";
    if (isinf(v))
        return false;
    *why = "is too small for a double and would become 0";
    if (v == 0 && parts.count > 0)
        return false;
    *why = "cannot be held exactly by a double; write it as text";
    if (parts.whole && !survives(v, text))
        return false;
    d->kind = DOC_NUMBER;
    d->number = v;
    d->written = NULL;
    return true;
}

void number_keep(struct str text, struct arena *a, struct doc *d)
{
    struct decimal parts = take_apart(text);
    char canonical[SHORTEST_MAX] = "";
    double v;

    if (parts.whole && parts.count <= DIGITS_SAFE && parts.digits <= WHOLE_MAX) {
        d->kind = DOC_INT;
        d->whole = parts.minus ? -parts.digits : parts.digits;
        return;
    }
    v = to_double(&parts, text);
    d->kind = DOC_NUMBER;
    d->number = v;
    d->written = NULL;
    if (isinf(v) || number_cmp(text, (struct str){ canonical, shortest_double(v, canonical) }) != 0)
        d->written = arena_text(a, text);
}

/* ---- in order ---- */

void figure_of(struct str text, struct figure *f)
{
    const char *p = text.s, *end = text.s + text.n;
    bool whole = true;

    f->n = 0;
    f->before = 0;
    f->minus = *p == '-';
    p += f->minus;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        bool leads = f->n == 0 && *p == '0';

        if (*p == '.') {
            whole = false;
            continue;
        }
        f->before += leads ? -!whole : whole;
        if (!leads && f->n < sizeof f->digits)
            f->digits[f->n++] = *p;
    }
    if (p < end)
        f->before += read_exponent(p + 1, end);
    while (f->n > 0 && f->digits[f->n - 1] == '0')
        f->n--;
}

/* Of their sizes, whatever the sign. */
static int size_cmp(const struct figure *x, const struct figure *y)
{
    int order;

    if (x->n == 0 || y->n == 0)
        return (x->n > 0) - (y->n > 0);
    if (x->before != y->before)
        return x->before < y->before ? -1 : 1;
    order = str_cmp((struct str){ x->digits, x->n }, (struct str){ y->digits, y->n });
    return (order > 0) - (order < 0);
}

int number_cmp(struct str a, struct str b)
{
    struct figure x, y;

    figure_of(a, &x);
    figure_of(b, &y);
    if (x.n == 0)
        x.minus = y.minus; /* zero has no sign */
    if (y.n == 0)
        y.minus = x.minus;
    if (x.minus != y.minus)
        return x.minus ? -1 : 1;
    return x.minus ? -size_cmp(&x, &y) : size_cmp(&x, &y);
}
