/* SPDX-License-Identifier: Apache-2.0 */
/* hosts_meet.c: narrows one list of hosts by another (A01-8: the intersection of what is allowed).
 */
#include "contract/hosts_meet.h"

#include <string.h>

/* Does every name that b means fall under a? */
static bool covers(const struct host_entry *a, const struct host_entry *b)
{
    if (!b->below)
        return host_entry_names(a, b->name);
    if (!a->below)
        return false;
    return host_entry_names(a, b->name) ||
           (a->name.n == b->name.n && strncasecmp(a->name.s, b->name.s, a->name.n) == 0);
}

static bool meet_ports(uint16_t a, uint16_t b, enum bare_port bare, uint16_t *out)
{
    *out = a ? a : b;
    return a == b || ((!a || !b) && (bare == BARE_IS_ANY || *out == 80 || *out == 443));
}

static struct str text_of(const struct host_entry *e, uint16_t port, struct arena *arena)
{
    bool six = e->is_address && e->address.six;
    const char *text = arena_printf(arena, "%s%s%.*s%s", e->below ? "*." : "", six ? "[" : "",
                                    STR_ARG(e->name), six ? "]" : "");

    return str_of(port ? arena_printf(arena, "%s:%u", text, port) : text);
}

static void add(struct items *to, struct str text)
{
    struct str *all = to->v;

    for (size_t i = 0; i < to->n; i++)
        if (str_eq(all[i], text))
            return;
    all[to->n++] = text;
}

struct items hosts_meet(const struct items *a, const struct items *b, enum bare_port bare,
                        struct arena *arena)
{
    const struct str *ours = a->v, *theirs = b->v;
    struct items out = { arena_alloc(arena, a->n * b->n * sizeof *ours), 0 };

    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < b->n; k++) {
            struct host_entry one, two;
            uint16_t port;

            if (!host_entry_read(ours[i], &one) || !host_entry_read(theirs[k], &two) ||
                !meet_ports(one.port, two.port, bare, &port))
                continue;
            if (covers(&one, &two))
                add(&out, text_of(&two, port, arena));
            else if (covers(&two, &one))
                add(&out, text_of(&one, port, arena));
        }
    }
    return out;
}
