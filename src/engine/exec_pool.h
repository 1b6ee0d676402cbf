/* SPDX-License-Identifier: Apache-2.0 */
/* exec_pool.h: what a process that calls writ_exec() again and again keeps between the calls.
 *
 * The first call keeps nothing: a program that runs one command should not pay for others. What is
 * kept goes when the process ends. A process that was forked has none of it: its first call begins
 * anew.
 */
#pragma once

#include "sandbox/kept.h"

/* For one call, from any thread; NULL: nothing is kept. */
struct kept *exec_pool_enter(void);
void exec_pool_leave(struct kept *kept);
