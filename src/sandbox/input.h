/* SPDX-License-Identifier: Apache-2.0 */
/* input.h: standard input out of memory. */
#pragma once

#include "base/str.h"

/* A file in memory that cannot be changed, open for reading: it never blocks and never breaks.
 * Without text it is /dev/null. -1: see errno. */
int input_file(struct str text);
