/* SPDX-License-Identifier: Apache-2.0 */
/* deeds.h: the table of what steps of plans can do. */
#pragma once

#include "base/str.h"
#include "base/table.h"

extern const struct table deeds_table;

/* An action that is ADAPTER.OPERATION, in its parts; false: it is not of that form. */
bool deeds_split(struct str action, struct str *adapter, struct str *operation) NODISCARD;
