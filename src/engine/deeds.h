/* SPDX-License-Identifier: Apache-2.0 */
/* deeds.h: the table of what steps of plans can do. */
#pragma once

#include "base/table.h"

extern const struct table deeds_table;
