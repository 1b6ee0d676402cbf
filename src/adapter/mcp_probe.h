/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_probe.h: tries a server: lists its tools and calls them, as the conformance suite wants. */
#pragma once

#include "adapter/mcp.h"
#include "base/buf.h"

/* `context`: {"calls":[{"tool":..,"arguments":{..}}]}, or as the suite writes it, "toolCalls" with
 * "name"; NULL or without them: every tool is called once, with arguments made from its
 * inputSchema. `scenario` names what is tried; none needs to be known here. Adds
 * {"era":..,"version":..,"server":{..},"tools":[..],"answers":[{"tool":..,"end":..,..}]} to
 * `answer`. */
bool mcp_probe(struct mcp *m, const char *scenario, const struct doc *context, struct arena *a,
               struct buf *answer, struct error *e) NODISCARD;

/* Arguments that an inputSchema takes: what it requires, by default, const, enum or type. */
const struct doc *mcp_sample(const struct doc *schema, struct arena *a);
extern const char *const mcp_end_names[];
