/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.c: a pattern of paths, matched name by name on the way down.
 *
 * A part `**` makes several parts possible at once, so that a set of them is carried along; going
 * back and trying again would take exponential time.
 */
#include "sandbox/collect/pattern.h"

static bool is_deep(struct str part)
{
    return str_is(part, "**");
}

static bool is_plain(struct str part)
{
    return !memchr(part.s, '*', part.n) && !memchr(part.s, '?', part.n);
}

bool pattern_read(struct str text, struct pattern *out)
{
    size_t end;

    *out = (struct pattern){ 0 };
    for (size_t at = 0; at < text.n; at = end + 1) {
        struct str part = { text.s + at, 0 };

        for (end = at; end < text.n && text.s[end] != '/'; end++)
            ;
        part.n = end - at;
        if (part.n == 0 || str_is(part, "."))
            continue;
        if (out->n == PATTERN_PARTS || str_is(part, ".."))
            return false;
        out->plain += out->plain == out->n && is_plain(part);
        out->parts[out->n++] = part;
    }
    return true;
}

/* One name: a star takes as little as it can, and one byte more whenever the rest does not fit. */
static bool name_fits(struct str part, struct str name)
{
    size_t p = 0, n = 0, star = part.n, from = 0;

    while (n < name.n) {
        if (p < part.n && part.s[p] == '*') {
            star = p++;
            from = n;
        } else if (p < part.n && (part.s[p] == '?' || part.s[p] == name.s[n])) {
            p++;
            n++;
        } else if (star < part.n) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    while (p < part.n && part.s[p] == '*')
        p++;
    return p == part.n;
}

/* `**` may also stand for no directory at all. */
static uint64_t with_skipped(const struct pattern *p, uint64_t places)
{
    for (size_t i = 0; i < p->n; i++) {
        if ((places >> i & 1) && is_deep(p->parts[i]))
            places |= UINT64_C(1) << (i + 1);
    }
    return places & ((UINT64_C(1) << p->n) - 1);
}

uint64_t pattern_start(const struct pattern *p)
{
    return with_skipped(p, UINT64_C(1) << p->plain);
}

uint64_t pattern_below(const struct pattern *p, uint64_t places, struct str name)
{
    uint64_t below = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (!(places >> i & 1))
            continue;
        if (is_deep(p->parts[i]))
            below |= UINT64_C(1) << i;
        else if (name_fits(p->parts[i], name))
            below |= UINT64_C(1) << (i + 1);
    }
    return with_skipped(p, below);
}

bool pattern_fits(const struct pattern *p, uint64_t places, struct str name)
{
    size_t last = p->n - 1;

    return p->n && (places >> last & 1) && name_fits(p->parts[last], name);
}
