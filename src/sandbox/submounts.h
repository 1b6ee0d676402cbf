/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.h: mounts inside of what is granted that show the kernel's own, not files.
 *
 * A granted directory comes with what is mounted in it: that is what a person sees there, too. But
 * a /proc of the host in the root of some other system below it would show every process.
 */
#pragma once

#include "sandbox/grants.h"

/* Denies them. False: the list of mounts cannot be read. */
bool submounts_deny(struct grants *g, struct error *e) NODISCARD;
