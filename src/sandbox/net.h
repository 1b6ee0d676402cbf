/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: a network of the run's own, with a loop and nothing else. */
#pragma once

/* In the new process: only system calls. `sysctls` is /proc/sys, whose part about networks is that
 * of whoever opens a file in it. 0, or -1 and errno. */
int net_enter(int sysctls);
