/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h: which walls this machine can build, found by building them.
 *
 * Each layer is made and used as a run would, by the code that a run goes through, in a process of
 * its own. Versions and settings are not asked: they tell what should work.
 */
#pragma once

#include "sandbox/finding.h"
#include "sandbox/jail.h"

/* Tries every layer for such a run: its command should do nothing and end well. What is found
 * lives in the arena. */
void probe(const struct jail_ask *ask, struct arena *a, struct finding out[FINDING_COUNT]);

/* What this version of Landlock does not hold yet, for messages; NULL: it holds all we ask for. */
const char *probe_landlock_gap(int version, struct arena *a);
