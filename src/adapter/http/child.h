/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: the process of writ-http: started without a shell, with nothing of ours. */
#pragma once

#include "base/error.h"
#include "base/mem.h"

struct http_child {
    int handle;  /* a pidfd */
    int channel; /* our end */
};

/* Of the environment only what http/proxy.h lists is passed on. */
bool http_child_start(const char *program, const char *const *environment, struct http_child *out,
                      struct error *e) NODISCARD;

/* Ends it at once, if it has not ended; says how it did. The channel stays: others may wait at it.
 */
const char *http_child_end(struct http_child *c, struct arena *a);
