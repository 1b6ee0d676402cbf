/* SPDX-License-Identifier: Apache-2.0 */
/* order.h: what a plan would do, in order; for `writ run --dry-run`. */
#pragma once

#include "base/doc.h"

/* Shows the answer of writ_plan_order(): a step a row, and below it its limits, what a failure
 * means, and why it comes then. */
void order_show(const struct doc *answer);
