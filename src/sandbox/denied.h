/* SPDX-License-Identifier: Apache-2.0 */
/* denied.h: what is denied stays denied under another name.
 *
 * A mask covers a name. A run that may write around it can rename a directory above it, and the
 * next run would find the secret under the new name; and a file may have several names from the
 * start. So it is remembered which files a denied name has meant, and where one of them is not in
 * its place, or has other names, it is looked for in all that is granted and masked there too.
 */
#pragma once

#include "sandbox/protect.h"

/* Adds entries for the other names. `state` is the directory where it is remembered; NULL where
 * there is none. False: it cannot be remembered although it has to be. */
bool denied_follow(struct grants *g, const struct absents *absent, const char *state,
                   struct error *e) NODISCARD;
