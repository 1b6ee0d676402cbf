/* SPDX-License-Identifier: Apache-2.0 */
/* cow_mount.h: layers over writable trees, made between clone and exec.
 *
 * All of this runs in the new process: only system calls. Each returns 0 or a descriptor, or -1 and
 * errno.
 */
#pragma once

#include "base/error.h"
#include "sandbox/jail.h"

/* Makes a layer over each covered mount, and puts that in place of its tree. */
int cow_make(struct jail *jail, int root);

/* Holds the place of names that must not come into being, and hands the layers over. */
int cow_hold(struct jail *jail, int root);
