/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h: every table writ runs on, of all floors, in the order `writ explain` lists them. */
#pragma once

#include "base/table.h"

size_t tables_count(void);
const struct table *tables_at(size_t i);
