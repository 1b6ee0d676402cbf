/* SPDX-License-Identifier: Apache-2.0 */
/* root.h: the private root: a small disk in memory, with the granted trees mounted into it.
 *
 * All of this runs in the new process: only system calls. Each returns 0, or -1 and errno.
 */
#pragma once

#include "sandbox/jail.h"

int root_make(const struct jail *jail, int *root);   /* the disk, its directories and files */
int root_mount(const struct jail *jail, int root);   /* the trees and the masks */
int root_devices(const struct jail *jail, int root); /* /dev */
int root_proc(int root);                             /* /proc */
int root_enter(int root);                            /* leaves the host's root behind */

/* A root that runs share holds nothing that a run may write; each mounts what it writes on top. */
int root_no_proc(int root);                    /* a /proc that shows nobody */
int root_lock(int root);                       /* the disk cannot be written any more */
int root_scratch(struct jail *jail, int root); /* the directories every run has for itself */
bool root_is_scratch(const char *to);          /* is it one of those, or in one? */
bool root_is_in_scratch(const char *to);       /* does it lie in one of those? */
