/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h: the rows of a table, as people read them. */
#pragma once

#include "base/doc.h"

/* Shows {"table","about","rows"}: one row as a card, several in columns. Where the terminal is too
 * narrow, the last column is folded, and where that does not help, every row is a card. */
void rows_show(const struct doc *table);
