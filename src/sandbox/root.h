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
int root_proc(const struct jail *jail, int root);    /* /proc */
int root_enter(const struct jail *jail, int root);   /* leaves the host's root behind */
