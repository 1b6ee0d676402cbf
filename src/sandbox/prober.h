/* SPDX-License-Identifier: Apache-2.0 */
/* prober.h: what the files of a probe share. */
#pragma once

#include "sandbox/finding.h"
#include "sandbox/jail.h"
#include "sandbox/mend.h"

struct prober {
    struct arena *a;
    const struct jail_ask *ask;
    struct jail *jail;
    struct surroundings around;
    struct finding *out;
    unsigned absent; /* layers */
};

/* The finding that speaks for a layer. */
enum finding_of prober_finding(enum layer layer);

void prober_passes(struct prober *p, enum finding_of which, const char *detail);
void prober_fails(struct prober *p, enum finding_of which, const struct ailment *ill,
                  const char *detail);

/* Was this layer found to be absent? */
bool prober_lacks(const struct prober *p, enum layer layer);

/* Walks the stages of a launch, up to the command. */
void probe_stages(struct prober *p);
