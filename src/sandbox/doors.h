/* SPDX-License-Identifier: Apache-2.0 */
/* doors.h: the doors of a run's network: decided before it is made, opened in it, handed out. */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "sandbox/gate.h"
#include "sandbox/words.h"

/* The doors of a run that may reach these hosts; how many they are. The proxy, the resolver, ports
 * 80 and 443 for programs that know of no proxy; and for each name in the list that has a port of
 * its own, that port, at the address that stands for the name: that of its first entry, 127.53.0.1
 * for the first of the list. One in the loop stands for itself, and `localhost` is 127.0.0.1: there
 * its port leads to the host's. *left: how many entries there is no room for. */
size_t doors_plan(const struct hosts *hosts, struct door out[DOORS_MAX], size_t *left);

/* Is there a door for each? False: the message says how many there are, and may be. */
bool doors_do(const struct hosts *hosts, struct error *e) NODISCARD;

/* In the new process, and in its network: opens them, hands them over the line and closes them.
 * Only system calls. 0, or -1 and errno. */
int doors_open(const struct door *doors, size_t n, int line);

/* Waits until they are handed over; `init` is a pidfd. False: the new process has said *word
 * instead, or, where word->kind is WORD_ENDED, is gone. */
bool doors_take(struct door *doors, size_t n, int line, int init, struct word *word) NODISCARD;

void doors_close(struct door *doors, size_t n);
