/* SPDX-License-Identifier: Apache-2.0 */
/* given.h: a document that the command line names, read before the library is asked. */
#pragma once

#include <writ/writ.h>

#include "base/mem.h"

/* Reads it whole into the arena, while a signal still ends us. A file that cannot be read is left
 * to the library, which says so as it always does. False: it is standard input, and that was told.
 */
bool given_read(const char *name, bool json, struct arena *a, struct writ_input *out) NODISCARD;
