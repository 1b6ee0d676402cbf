/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere.h: has a process or a thread that we make begin on another processor.
 *
 * A scheduler may leave it behind its maker, who goes on working, while a processor beside has
 * nothing to do: it then begins when the maker sleeps, milliseconds later. Who is elsewhere already
 * stays there, and who has one processor only has nowhere to go.
 */
#pragma once

#include <pthread.h>
#include <sys/types.h>

/* One that has just been made. */
void elsewhere(pid_t process);

/* pthread_create(). */
int elsewhere_thread(pthread_t *out, void *(*run)(void *), void *self);
