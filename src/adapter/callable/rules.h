/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h: rules of callable.c's table that are written elsewhere. For callable*.c only.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/report.h"

/* The member of the interface that the adapter's type names; NULL: it has none. */
const struct doc *callable_member(const struct adapter *adapter, const char *member);

/* ---- what is sent (wire.c) ---- */

void headers_without_secret(const struct adapter *adapter, struct report *r);
void headers_sendable(const struct adapter *adapter, struct report *r);
void service_reachable(const struct adapter *adapter, struct report *r);
void server_reachable(const struct adapter *adapter, struct report *r);

void retries_possible(const struct adapter *adapter, struct report *r);

/* ---- what it is called with (given.c) ---- */

void changes_fit_parameters(const struct adapter *adapter, struct report *r);
