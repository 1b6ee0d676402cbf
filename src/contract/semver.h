/* SPDX-License-Identifier: Apache-2.0 */
/* semver.h: versions of the form X.Y.Z, and their order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/str.h"

struct semver {
    uint32_t major, minor, patch;
};

/* Reads three whole numbers without leading zeros. Pre-release and build parts are refused. */
bool semver_read(struct str text, struct semver *out) NODISCARD;

/* Below, at or above zero as a is older than, the same as or newer than b. */
int semver_cmp(const struct semver *a, const struct semver *b);
