/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: what runs inside a jailed worker: one program, made ready once and called many times. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "executor/kind.h"

struct service {
    const char *name; /* the kind it serves */

    /* Before the walls close: may read files and allocate. The file is what call_program.file
     * names. */
    bool (*open)(const char *file, struct error *e);

    /* Behind the walls, once: what must not see the world (NULL: nothing to do). */
    bool (*ready)(struct error *e);

    /* Behind the walls: one call. `out` is empty and bounded; what is written to it is the output,
     * or the executor's words about its exception.
     * Nothing of one call may be seen by the next. */
    enum call_end (*call)(struct str payload, struct buf *out);
};

extern const struct service jq_service, wasm_service;
