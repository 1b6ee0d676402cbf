/* SPDX-License-Identifier: Apache-2.0 */
/* apply_hunks.h: does what a unified diff says, as strictly as can be: every line it names must be
 * where it says, and counts must be right. */
#pragma once

#include <stdio.h>

#include "base/buf.h"

static inline struct str hunks_line(struct str *text)
{
    const char *feed = text->n ? memchr(text->s, '\n', text->n) : NULL;
    struct str line = { text->s, feed ? (size_t)(feed - text->s) + 1 : text->n };

    text->s += line.n;
    text->n -= line.n;
    return line;
}

/* The lines of one hunk; counts say how many are left. `changed` counts lines with a sign. */
static inline bool hunks_one(struct str *diff, struct str *before, unsigned count[2],
                             struct buf *to, size_t *changed)
{
    while (count[0] || count[1]) {
        struct str line = hunks_line(diff), body, old;
        char sign = line.n ? line.s[0] : '\0';

        body = (struct str){ line.s + 1, line.n ? line.n - 1 : 0 };
        if (diff->n && diff->s[0] == '\\') {
            body.n--;
            (void)hunks_line(diff);
        }
        *changed += sign != ' ';
        if (sign != ' ' && sign != '-' && sign != '+')
            return false;
        if (sign != '+') {
            old = hunks_line(before);
            if (!count[0]-- || !str_eq(old, body))
                return false;
        }
        if (sign != '-') {
            if (!count[1]--)
                return false;
            buf_add(to, body.s, body.n);
        }
    }
    return true;
}

/* False: the diff is not one of this text. */
static inline bool hunks_apply(struct str before, struct str diff, struct buf *to, size_t *changed)
{
    unsigned done = 0;

    *changed = 0;
    while (diff.n) {
        struct str head = hunks_line(&diff);
        unsigned from, to_line, count[2];
        char text[96];

        (void)snprintf(text, sizeof text, "%.*s", STR_ARG(head));
        if (sscanf(text, "@@ -%u,%u +%u,%u @@", &from, &count[0], &to_line, &count[1]) != 4)
            return false;
        if (count[0])
            from--;
        if (from < done)
            return false;
        for (; done < from; done++) {
            struct str line = hunks_line(&before);

            buf_add(to, line.s, line.n);
        }
        done += count[0];
        if (!hunks_one(&diff, &before, count, to, changed))
            return false;
    }
    buf_add(to, before.s, before.n);
    return true;
}
