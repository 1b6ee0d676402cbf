/* SPDX-License-Identifier: Apache-2.0 */
/* tool_version.c: compares versions of tools number by number. */
#include "contract/tool_version.h"

enum { PARTS = 3 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits at the beginning of *t, without the zeros that lead them. */
static struct str take_number(struct str *t)
{
    struct str number = { t->s, 0 };

    while (number.n < t->n && is_digit(t->s[number.n]))
        number.n++;
    *t = (struct str){ t->s + number.n, t->n - number.n };
    while (number.n > 1 && *number.s == '0')
        number = (struct str){ number.s + 1, number.n - 1 };
    return number;
}

/* Numbers of any length; the longer one is the greater. */
static int number_cmp(struct str a, struct str b)
{
    return a.n != b.n ? (a.n > b.n) - (a.n < b.n) : str_cmp(a, b);
}

/* Up to three numbers between dots; how many there are. *t is what follows them. */
static size_t take_numbers(struct str *t, struct str out[PARTS])
{
    size_t n = 0;

    while (n < PARTS && t->n && is_digit(*t->s)) {
        out[n++] = take_number(t);
        if (n == PARTS || t->n < 2 || *t->s != '.' || !is_digit(t->s[1]))
            break;
        *t = (struct str){ t->s + 1, t->n - 1 };
    }
    for (size_t i = n; i < PARTS; i++)
        out[i] = str_of("0");
    return n;
}

bool tool_version_fits(struct str wanted, struct str found)
{
    struct str want[PARTS], have[PARTS];
    size_t given;

    if (!wanted.n)
        return true;
    given = take_numbers(&wanted, want);
    if (!given || !take_numbers(&found, have))
        return false;
    for (size_t i = 0; i < given; i++) {
        int order = number_cmp(have[i], want[i]);

        if (order != 0)
            return order > 0 && wanted.n && *wanted.s == '+';
    }
    return true;
}

struct str tool_version_in(struct str printed)
{
    for (size_t i = 0; i < printed.n; i++) {
        struct str rest = { printed.s + i, printed.n - i }, numbers[PARTS];

        if (!is_digit(*rest.s) || (i > 0 && (is_digit(rest.s[-1]) || rest.s[-1] == '.')))
            continue;
        if (take_numbers(&rest, numbers) > 1)
            return (struct str){ printed.s + i, (size_t)(rest.s - printed.s) - i };
    }
    return (struct str){ printed.s, 0 };
}
