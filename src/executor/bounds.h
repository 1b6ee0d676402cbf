/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.h: how large, how deep and how long a value may be (A03-10, A03-11). */
#pragma once

#include "base/doc.h"
#include "contract/executor_doc.h"

/* The name of the first limit that a value breaks, or NULL. `bytes`: of its canonical form. */
const char *bounds_broken(const struct doc *value, size_t bytes, const struct executor_limits *max);
