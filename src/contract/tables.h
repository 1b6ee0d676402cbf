/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h: every table of the contracts, for `writ explain`, the man pages and the tests. */
#pragma once

#include "base/table.h"

extern const struct table *const contract_tables[];
extern const size_t contract_table_count;
