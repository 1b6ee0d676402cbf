/* SPDX-License-Identifier: Apache-2.0 */
/* tool_version.h: the version of a tool that is wanted, and the one that is there (A01-17).
 *
 * What is wanted has the form `tool version` (contract/forms.h): the numbers that are given pin it,
 * `13` any 13.x, `13.0.1` that one; a + behind them means at least.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* Does what was found fit? What follows its numbers is not looked at; numbers it lacks are 0. A
 * wanted one without text fits all; one that was not found fits none but that. */
bool tool_version_fits(struct str wanted, struct str found);

/* The first X.Y or X.Y.Z of what a tool prints when it is asked for its version, within it; without
 * bytes: there is none. */
struct str tool_version_in(struct str printed);
