/* SPDX-License-Identifier: Apache-2.0 */
/* reject.h: a refusal as an entry: in the tree, and erased as any other body.
 *
 * Its subject and tenant are those of the event that was refused, as far as they could be read; its
 * content digest is that of the whole text, and stays when the text is erased, as do code and size.
 */
#pragma once

#include "ledger/draft.h"
#include "ledger/store.h"

struct entry reject_entry(const struct reject *r, const struct world *world, struct arena *a);

/* A refusal that was read back: texts in the arena. */
struct reject reject_read(const struct entry *entry, struct arena *a);
