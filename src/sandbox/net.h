/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: a network of the run's own, with a loop and nothing else.
 *
 * Making one takes the kernel as long as everything else together, so it is made aside, by a second
 * process that borrows our memory, while the root is built. All of this runs in the new process:
 * only system calls. Each returns 0, or -1 and errno.
 */
#pragma once

int net_begin(void); /* starts making it */
int net_enter(void); /* waits for it and enters it */
