/* SPDX-License-Identifier: Apache-2.0 */
/* route_lists.h: which names a route contract lists, and in which order. Each is a rule of
 * route_shape. */
#pragma once

#include "contract/shape.h"

void route_request_fields(const struct doc *d, const void *route, struct report *r);
void route_result_fields(const struct doc *d, const void *route, struct report *r);
void route_manifest_fields(const struct doc *d, const void *route, struct report *r);
void route_texts_lexical(const struct doc *d, const void *route, struct report *r);
void route_texts_unique(const struct doc *d, const void *route, struct report *r);
void route_classes_lexical(const struct doc *d, const void *route, struct report *r);
void route_profiles_match(const struct doc *d, const void *route, struct report *r);
