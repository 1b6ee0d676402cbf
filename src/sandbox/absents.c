/* SPDX-License-Identifier: Apache-2.0 */
/* absents.c: the list of names that are not there. */
#include "sandbox/absents.h"

void absents_add(struct absents *list, struct absent absent)
{
    list->v = arena_more(list->a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = absent;
}

bool absents_pin(const struct absents *list, struct grants *g, struct error *e)
{
    for (size_t i = 0; i < list->n; i++)
        if (!grants_pin_way(g, list->v[i].path, list->v[i].denied, e))
            return false;
    return true;
}
