/* SPDX-License-Identifier: Apache-2.0 */
/* net.h: a network of the run's own, with a loop and nothing else. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* The kernel's counters of a network, which stay open when all who were in it are dead. */
struct net_counters {
    int four, six; /* -1: not open */
};

/* Of the network that this process is in. */
struct net_counters net_counters_open(pid_t pid);

/* How often something was sent where no way leads; -1: nobody knows. Closes them. */
int64_t net_led_nowhere(struct net_counters *c);

/* In the new process: only system calls. `sysctls` is /proc/sys, whose part about networks is that
 * of whoever opens a file in it. 0, or -1 and errno. */
int net_enter(int sysctls);
