/* SPDX-License-Identifier: Apache-2.0 */
/* caller.h: whose process this is, as the kernel and the user database know it, not the
 * environment.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum { CALLER_NAME = 256 };

struct caller {
    int64_t uid;
    int64_t login_uid;      /* of whoever logged in, also behind su and sudo; -1: nobody did */
    char name[CALLER_NAME]; /* of uid in /etc/passwd; "": it has none there */
};

struct caller caller_now(void);

/* {"uid":1000,"login_uid":1000,"name":"ann"} and, where something was claimed, "claimed". */
void caller_put(const struct caller *caller, const char *key, struct str claimed, struct buf *to);
