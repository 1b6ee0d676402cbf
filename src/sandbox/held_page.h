/* SPDX-License-Identifier: Apache-2.0 */
/* held_page.h: the pages from which the kernel's shared code reads the time ([vvar]).
 *
 * A program can read them, too, and finds the real time there. A fixed run takes them away from
 * each program before it begins. Where that fails, as a kernel seals them or a filter of the
 * command's keeps them, init says so (WORD_PAGE).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How many bytes of them lie right before the shared code. 0: it is not known. */
uint64_t held_page_bytes(void);

/* Whether they have to be left where they are. */
bool held_page_is_open(void);
