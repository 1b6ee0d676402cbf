/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.h: how large, how deep and how long a value may be (A03-10, A03-11). */
#pragma once

#include "base/doc.h"
#include "contract/executor_doc.h"

struct bound {
    const char *limit; /* its name; NULL: none is broken */
    int64_t allowed, found;
};

/* The first limit that a value breaks. `bytes`: of its canonical form. */
struct bound bounds_broken(const struct doc *value, size_t bytes,
                           const struct executor_limits *max);
