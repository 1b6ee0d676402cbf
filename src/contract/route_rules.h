/* SPDX-License-Identifier: Apache-2.0 */
/* route_rules.h: the safety invariants of contract 000, from the third on. Each is a rule of
 * route_shape. */
#pragma once

#include "contract/shape.h"

/* Is the prefix of a class one of cargo commands? */
bool route_is_cargo(struct str prefix);

void route_force_is_cargo(const struct doc *d, const void *route, struct report *r);
void route_policy_remote(const struct doc *d, const void *route, struct report *r);
void route_policy_fallback(const struct doc *d, const void *route, struct report *r);
void route_policies_unique(const struct doc *d, const void *route, struct report *r);
void route_soft_within_hard(const struct doc *d, const void *route, struct report *r);
void route_default_within_hard(const struct doc *d, const void *route, struct report *r);
void route_edges_unique(const struct doc *d, const void *route, struct report *r);
void route_edge_cancel(const struct doc *d, const void *route, struct report *r);
void route_edge_cancel_completed(const struct doc *d, const void *route, struct report *r);
void route_edge_cancel_timeout(const struct doc *d, const void *route, struct report *r);
void route_code_command_failed(const struct doc *d, const void *route, struct report *r);
void route_code_command_timeout(const struct doc *d, const void *route, struct report *r);
void route_code_invalid_transition(const struct doc *d, const void *route, struct report *r);
void route_code_rch_unavailable(const struct doc *d, const void *route, struct report *r);
void route_codes_unique(const struct doc *d, const void *route, struct report *r);
