/* SPDX-License-Identifier: Apache-2.0 */
/* plan_graph.h: the rules of a plan that reach across its steps. Each is a rule of plan_shape. */
#pragma once

#include "contract/shape.h"

void plan_ids_unique(const struct doc *d, const void *decoded, struct report *r);
void plan_dependencies_known(const struct doc *d, const void *decoded, struct report *r);
void plan_acyclic(const struct doc *d, const void *decoded, struct report *r);
void plan_retry_codes(const struct doc *d, const void *decoded, struct report *r);
