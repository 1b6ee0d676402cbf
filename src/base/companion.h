/* SPDX-License-Identifier: Apache-2.0 */
/* companion.h: programs that are installed together with this one. */
#pragma once

#include "base/mem.h"

/* The path of a program, or NULL where it is not there. It is looked for
 *
 *     in the directory `given`, and nowhere else when one is given;
 *     beside this program and in ../libexec/FAMILY, when this program is of the same family: their
 *     names agree up to the first '-';
 *     in the directory the build installs it to.
 *
 * A stranger's program that uses the library has neighbours nobody vouches for: it may stand in
 * /tmp. Those are never run. */
const char *companion(const char *name, const char *given, struct arena *a);
