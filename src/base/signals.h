/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h: signals that are heard, and every signal as at the beginning of a process. */
#pragma once

/* A descriptor to which these come from now on, up to a 0, and to nobody else; -1: there is none.
 * Who started us with one of them ignored (nohup, a shell its background) wants it ignored: it is
 * left out, for one that is blocked would come all the same. */
int signals_listen(const int *signals);

/* Before another program takes over: ends every handler, and what a caller ignores is not ignored.
 * The kernel is asked itself: a C
 * library does not let go of the two signals that it keeps for itself. For a child between clone
 * and exec, too. */
void signals_reset(void);
