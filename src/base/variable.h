/* SPDX-License-Identifier: Apache-2.0 */
/* variable.h: the value of a variable in an environment that was handed over. */
#pragma once

#include "base/str.h"

/* What stands behind NAME= in the first entry that begins so; NULL: there is none. The list ends
 * with NULL, and may be NULL itself. */
const char *variable_of(const char *const *environment, struct str name);
