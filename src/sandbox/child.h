/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: what happens between clone and exec, as one list of named stages.
 *
 * The new process becomes the first of its tree (`init`): it builds the walls, starts the command
 * and waits for it. It says everything it has to say in words of a fixed size over one socket; the
 * other end of that socket closing is its order to die, and its tree with it. Each stage says who
 * walks through it. Runs without namespaces have a list of their own (process/init.c).
 */
#pragma once

#include "base/error.h"
#include "sandbox/jail.h"
#include "sandbox/words.h"

/* How long the kernel may take to end the tree: a process in a state that nothing ends (D) keeps
 * the rest of it. Then nobody waits any longer. */
enum { END_MS = 6000 };

/* Runs the stages. Never returns. */
_Noreturn void child_main(struct jail *jail);

/* In a new berth: builds what its runs have in common, and serves them. Never returns. */
_Noreturn void child_berth(struct jail *jail, void (*serve)(void *self), void *self);

/* In init of a run in a berth, made by the berth: builds the rest. Never returns. */
_Noreturn void child_main_in_berth(struct jail *jail);

/* The stage of a WORD_FAILED, and the layer it belongs to. */
const char *child_stage(const struct word *word, enum layer *layer);

/* Turns a WORD_FAILED into an error: LAYER_MISSING:<layer>: stage: why. */
bool child_failure(const struct word *word, struct error *e);

/* Whether it was the command that could not be started; else the sandbox could not be built. */
bool child_failed_at_exec(const struct word *word);

/* Whether it was something that the caller chose, and may do without. */
bool child_failed_at_choice(const struct word *word);
