/* SPDX-License-Identifier: Apache-2.0 */
/* event_rules.h: what must hold between the fields of an event (contract 002, section 7). Each is
 * a rule of event_shape. */
#pragma once

#include "contract/shape.h"

void event_snapshot_order(const struct doc *d, const void *event, struct report *r);
void event_repeats_another(const struct doc *d, const void *event, struct report *r);
void event_failed_has_error(const struct doc *d, const void *event, struct report *r);
void event_cancelled_has_reason(const struct doc *d, const void *event, struct report *r);
void event_succeeded_has_result(const struct doc *d, const void *event, struct report *r);
void event_ended_badly_has_no_result(const struct doc *d, const void *event, struct report *r);
void event_stale_is_blocked(const struct doc *d, const void *event, struct report *r);
void event_error_is_expected(const struct doc *d, const void *event, struct report *r);
