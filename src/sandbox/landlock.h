/* SPDX-License-Identifier: Apache-2.0 */
/* landlock.h: the paths once more, as a list that the process carries with it. */
#pragma once

#include "sandbox/jail.h"

/* In the new process, after its root was entered: only system calls. 0, or -1 and errno. */
int landlock_enter(const struct jail *jail);

/* In the same: from now on its signals, and those of who comes after it, reach nobody but who comes
 * after it. Version 6. 0, or -1 and errno. */
int landlock_hold_signals(void);

/* The version of Landlock this kernel has; 0 where it has none. */
int landlock_version(void);
