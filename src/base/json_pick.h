/* SPDX-License-Identifier: Apache-2.0 */
/* json_pick.h: one member of JSON text that writ has written itself, without reading the rest.
 *
 * The text must be what json_write.h writes: no blanks between tokens, well formed. What is not is
 * not found, or found wrong, but never read beyond its end.
 */
#pragma once

#include "base/str.h"

/* The value of a member of the map that the text is, as text; without bytes where there is none. */
struct str json_pick(struct str map, const char *key);

/* The items of a list that the text is, one after the other: *at is 0 at first. False at the end.
 */
bool json_pick_item(struct str list, size_t *at, struct str *item);

/* The text between the quotes of a text without escapes; without bytes for anything else. */
struct str json_pick_plain(struct str value);
