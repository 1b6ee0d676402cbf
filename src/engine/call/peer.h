/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h: attempts that somebody else makes for us: what a service and a server have in
 * common.
 */
#pragma once

#include "engine/call.h"

/* How it ended, in the words of a command's outcome. */
struct peer_end {
    enum cause cause;
    int exit_code;  /* of the record; 0: it is well */
    enum code code; /* CODE_NONE: it is well */
    const char *message;
    struct str printed; /* what came, as bytes */
    int64_t duration_ms;
    const struct doc *peer; /* who did it */
};

/* The outcome of x, and why it failed. */
void peer_ended(struct exec *x, const struct peer_end *end);

/* What to do about a command that is not there, where node_modules or the caller's PATH have one of
 * that name; NULL: neither has. */
const char *call_passed_over(const struct exec *x);

/* Of what has been freed of secrets before it became an outcome. */
void call_nothing_to_clean(void *self, struct exec *x);

/* Words of a stranger without the call's secrets; NULL stays NULL. */
const char *call_redacted(const struct tool_call *c, const char *words);

/* What a stranger said, as one line of at most `most` bytes, between ''; it has no secrets any
 * more. */
const char *call_quoted(struct str text, size_t most, struct arena *a);

/* "; it may take 5000 ms (..)": of what took too long. */
const char *call_time_said(int64_t ms, struct arena *a);

/* Where secrets are looked for. */
struct secret_places call_places(struct tool_call *c);

/* Is none of the call's secrets in its parameters? False: it says in which, not what. */
bool call_keeps_secrets(const struct tool_call *c, struct error *e) NODISCARD;

/* Finds the secrets the adapter names. False: *end says why not; also where a parameter holds one.
 */
bool call_secrets(struct tool_call *c, struct attempt_end *end) NODISCARD;
