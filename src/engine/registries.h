/* SPDX-License-Identifier: Apache-2.0 */
/* registries.h: the tools that are allowed, from .writ/tools.yaml above a directory.
 *
 * A plan reads each registry once: all its steps are held to the same one. For any thread.
 */
#pragma once

#include <pthread.h>

#include "base/report.h"
#include "contract/registry_doc.h"

struct registry_kept;

struct registries {
    struct registry_kept *first;
    struct arena a;
    pthread_mutex_t lock;
};

void registries_open(struct registries *all);
void registries_close(struct registries *all);

/* The nearest registry on the way up from `from`; NULL: there is none. False: it is wrong, or a
 * command may have made it, and the report says how. It lives in the arena, or with `all` where
 * that is given. */
bool registry_above(struct registries *all, const char *from, const char *const *environment,
                    struct arena *a, const struct registry_doc **out, struct report *r) NODISCARD;
