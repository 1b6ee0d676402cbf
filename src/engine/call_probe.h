/* SPDX-License-Identifier: Apache-2.0 */
/* call_probe.h: which version of a tool is installed: the tool is asked, in the sandbox.
 *
 * `COMMAND --version` runs without the project, without a network, for five seconds at most. It is
 * no run on behalf of anybody, as the doctor's proof is none: nothing of it is recorded but what it
 * said, for an hour.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct probe_ask {
    const char *command;
    const char *const *environment; /* the caller's */
    const char *cache;              /* where it is remembered; NULL: nowhere */
    int64_t now_ms;
    bool fresh;            /* what is remembered is not good enough */
    int cancel;            /* readable when nobody wants to wait any longer; -1: never */
    unsigned weak;         /* layers that the caller does without */
    struct error *unasked; /* set to why it could not be asked at all, where that is so */
};

/* Without bytes: nobody can tell. A command with a slash may be anybody's file and is not asked.
 * False: it was called off while it was asked. */
bool tool_probe(const struct probe_ask *ask, struct arena *a, struct str *version) NODISCARD;
