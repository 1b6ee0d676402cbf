/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.h: nobody reads what is passed on: the command is told, and our caller does not die of it.
 */
#pragma once

#include <signal.h>

/* The signals as they were, for quiet_end(). */
sigset_t quiet_begin(void);
void quiet_end(const sigset_t *before);
