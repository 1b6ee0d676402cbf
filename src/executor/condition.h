/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h: what must be true of a document, as rule_evaluate's rules say it.
 *
 *     {"all": [..]}    every one holds; so does an empty list
 *     {"any": [..]}    one or more hold; of an empty list, none does
 *     {"not": {..}}    it does not hold
 *     {"pointer": "/size", "op": "gt", "value": 10}
 *
 * Where nothing is at the pointer, ne holds and nothing else does, save exists with the value
 * false. Values of another type than asked for are no fault: 'gt' of a text and 10 does not hold.
 * 'matches' holds an I-Regexp (RFC 9485) against all of a text. What does not depend on the facts
 * is a fault: an op that is not there, a value it cannot use.
 */
#pragma once

#include "base/doc.h"
#include "base/work.h"

struct condition;

/* The message says where in the payload what is wrong. */
bool condition_read(const struct doc *d, struct work *w, struct arena *a,
                    const struct condition **out, struct error *e) NODISCARD;

/* Where the work is over the answer is false and w->over tells. */
bool condition_holds(const struct condition *c, const struct doc *facts, struct work *w,
                     struct arena *a);
