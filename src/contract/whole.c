/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c: rules that several documents share: nothing in them is cut short or without effect. */
#include "contract/whole.h"

#include "contract/names.h"

/* execve() and open() end a text at its first NUL: the program would be given another one than was
 * checked. What goes through a stream is bytes and may hold any. */
void whole_texts(const struct doc *d, const void *decoded, struct report *r)
{
    static const char *const streams[] = { "stdin", "stdout", "stderr", NULL };

    if (d->key.s && name_at(streams, d->key) >= 0)
        return;
    if (d->kind == DOC_TEXT && d->text.n && memchr(d->text.s, '\0', d->text.n))
        report_add(r, ABOUT_VALUE, d, CODE_VALIDATION_ERROR,
                   "a NUL byte cannot be handed to a program or stand in a path");
    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return;
    for (const struct doc *c = d->first; c; c = c->next)
        whole_texts(c, decoded, r);
}

void whole_network(const struct doc *d, const void *decoded, struct report *r)
{
    const struct doc *enabled = doc_get(d, "enabled"), *allow = doc_get(d, "allow");

    (void)decoded;
    if (allow && allow->kind == DOC_LIST && allow->count > 0 &&
        !(enabled && enabled->kind == DOC_BOOL && enabled->truth))
        report_add(
            r, ABOUT_VALUE, allow, CODE_VALIDATION_ERROR,
            "hosts are allowed, but the network is off; it needs enabled: true, or --net with a level");
}
