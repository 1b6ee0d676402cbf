/* SPDX-License-Identifier: Apache-2.0 */
/* callable.h: what an adapter must have so that it can ever be called, whoever calls it.
 *
 * The rows are asked by `writ check` and each time an adapter is loaded: what cannot be done is
 * told before somebody tries.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/report.h"
#include "base/table.h"

extern const struct table callable_table;

/* A rule of loaded adapters beside those of their shape: every row holds. */
void callable_fits(const struct adapter *adapter, struct report *r);

/* Does the adapter have a network with hosts at all? False: it says what is missing to reach
 * `host`. */
bool callable_network(const struct adapter *adapter, struct str host, struct error *e) NODISCARD;

/* Does it reach a service or a server, or want a network for its command? */
bool callable_reaches_out(const struct adapter *adapter);

/* Where the operation is written: in the mapping of its interface, or in `operations`; or NULL. */
const struct doc *callable_operation(const struct adapter *adapter, struct str name);
