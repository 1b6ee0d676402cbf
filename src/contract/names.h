/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: finds a word in a list of names that NULL ends, as enums and choices have them. */
#pragma once

#include "base/str.h"

/* The index of the word, or -1. */
int name_at(const char *const *names, struct str word);
