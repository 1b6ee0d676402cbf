/* SPDX-License-Identifier: Apache-2.0 */
/* pure.h: a program in a jailed worker, called many times.
 *
 * A worker that dies, hangs or says what is no answer is replaced, and only the call that it was at
 * is concerned: those after it, and answers it had not yet sent, are computed by the next worker.
 */
#pragma once

#include "executor/kind.h"

struct pure;

/* Starts the first worker; a program that cannot be read or compiled is an error here. Lives in the
 * arena, which must outlive it. */
bool pure_start(const char *kind, const struct call_program *program, struct arena *a,
                struct pure **out, struct error *e) NODISCARD;

/* Answers each call, in order. Many at once are far cheaper than one after the other. */
void pure_calls(struct pure *p, struct call *calls, size_t n, struct arena *a);

/* Ends the worker, and waits until it is gone. */
void pure_stop(struct pure *p);
