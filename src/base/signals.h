/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h: every signal as at the beginning of a process. */
#pragma once

/* Before another program takes over: ends every handler, and what a caller ignores is not ignored.
 * The kernel is asked itself: a C library does not let go of the two signals that it keeps for
 * itself. For a child between clone and exec, too. */
void signals_reset(void);
