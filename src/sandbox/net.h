/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: a network of the run's own, with a loop and nothing else. */
#pragma once

/* In the new process: only system calls. 0, or -1 and errno. */
int net_enter(void);
