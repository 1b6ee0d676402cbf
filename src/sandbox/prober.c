/* SPDX-License-Identifier: Apache-2.0 */
/* prober.c: notes what a probe finds. */
#include "sandbox/prober.h"

enum finding_of prober_finding(enum layer layer)
{
    enum finding_of i = 0;

    while (finding_rows[i].layer != layer)
        i++;
    return i;
}

void prober_passes(struct prober *p, enum finding_of which, const char *detail)
{
    p->out[which] = (struct finding){ .state = FINDING_PASS, .detail = detail };
}

/* The first word about a layer is its cause; what comes after follows from it. */
void prober_fails(struct prober *p, enum finding_of which, const struct ailment *ill,
                  const char *detail)
{
    if (p->out[which].state == FINDING_ABSENT)
        return;
    p->out[which] = (struct finding){ .state = FINDING_ABSENT,
                                      .detail = detail,
                                      .mend = mend_for(ill, &p->around, p->a) };
    if (which != FINDING_OWNERS) /* only this directory is not for commands */
        p->absent |= 1U << finding_rows[which].layer;
}

bool prober_lacks(const struct prober *p, enum layer layer)
{
    return p->absent & (1U << layer);
}
