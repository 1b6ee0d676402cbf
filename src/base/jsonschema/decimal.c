/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c: exact arithmetic on the digits of numbers. */
#include "base/jsonschema/decimal.h"

#include <math.h>

#include "base/doc_same.h"
#include "base/number.h"

enum { DIGITS = 18 };

static int exponent_of(const struct figure *f)
{
    return f->before - (int)f->n;
}

/* The digits as one number, of which the rest is kept; by is 0: all of it. */
static uint64_t number_of_digits(const struct figure *f, uint64_t by)
{
    unsigned __int128 v = 0;

    for (size_t i = 0; i < f->n; i++) {
        v = v * 10 + (unsigned)(f->digits[i] - '0');
        v = by ? v % by : v;
    }
    return (uint64_t)v;
}

bool decimal_of(const struct doc *d, struct decimal *out)
{
    char room[SHORTEST_MAX];
    struct figure f;

    figure_of(doc_digits(d, room), &f);
    if (f.n > DIGITS && d->kind == DOC_NUMBER && isfinite(d->number))
        figure_of((struct str){ room, shortest_double(d->number, room) }, &f);
    if (f.minus || f.n == 0 || f.n > DIGITS)
        return false;
    *out = (struct decimal){ number_of_digits(&f, 0), exponent_of(&f) };
    return true;
}

/* 10^power mod by. */
static uint64_t ten_to_the(unsigned power, uint64_t by)
{
    unsigned __int128 out = 1 % by, ten = 10 % by;

    for (; power > 0; power /= 2) {
        out = power % 2 ? out * ten % by : out;
        ten = ten * ten % by;
    }
    return (uint64_t)out;
}

/* The last digit of a figure is no 0: no multiple of ten is what it divides. */
bool decimal_divides(const struct decimal *by, const struct doc *v)
{
    char room[SHORTEST_MAX];
    struct figure f;
    unsigned __int128 rest;
    int power;

    figure_of(doc_digits(v, room), &f);
    power = exponent_of(&f) - by->exponent;
    if (f.n == 0 || power < 0)
        return f.n == 0;
    rest = number_of_digits(&f, by->digits);
    return rest * ten_to_the((unsigned)power, by->digits) % by->digits == 0;
}

bool decimal_whole(const struct doc *v)
{
    char room[SHORTEST_MAX];
    struct figure f;

    if (v->kind != DOC_NUMBER || !v->written)
        return v->kind == DOC_INT || (v->kind == DOC_NUMBER && floor(v->number) == v->number);
    figure_of(doc_digits(v, room), &f);
    return f.n == 0 || exponent_of(&f) >= 0;
}
