/* SPDX-License-Identifier: Apache-2.0 */
/* check_adapter.h: an adapter in its place: what a call would find out before it begins. */
#pragma once

#include "adapter/adapter.h"
#include "base/report.h"

/* Of a document whose shape is good; `r->file` says where it lies. What can never be done is an
 * error, what another file would have to allow is odd. */
void check_adapter(const struct doc *root, struct report *r);
