/* SPDX-License-Identifier: Apache-2.0 */
/* trees.h: parts of the host's disk, taken as detached trees of mounts. */
#pragma once

#include "sandbox/jail.h"

/* One tree, with its rights set. Only system calls: the new process of an ordinary caller opens its
 * trees itself. The descriptor, or -1 and errno; ESTALE: it is not what was looked at. */
int trees_take(const struct jail_mount *m);

/* All of them: a privileged caller can reach what the new process cannot. */
bool trees_open(struct jail *jail, struct error *e) NODISCARD;

void trees_close(struct jail *jail);

/* Whether a path that cannot be opened for that, an errno, is not what was looked at any more. */
bool trees_gone(int sys);

/* The first path that is not what was looked at when it was decided; NULL: all are, or it does not
 * matter. For when a mount failed, and `sys` says of what: where a path that changed can be the
 * cause it is, and not the machine. */
const char *trees_changed(const struct jail *jail, int sys);

/* CODE_PATH_CHANGED. */
bool trees_refuse(const char *changed, struct error *e);

/* Maps the owners of the trees, so that what belongs to the caller belongs to the command. */
bool trees_map(const struct jail *jail, int userns, struct error *e) NODISCARD;
