/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_probe.h: tries a server: lists its tools and calls some of them. */
#pragma once

#include "adapter/mcp.h"
#include "base/buf.h"

/* `context`: {"calls":[{"tool":..,"arguments":{..}}]}, or as the conformance suite writes it,
 * "toolCalls" with "name". NULL or without them: each tool that says that it only reads is called
 * once, with arguments made from its inputSchema; `all`: each tool is. Adds
 * {"era":..,"version":..,"server":{..},"tools":[..],"not_called":["name",..],
 * "answers":[{"tool":..,"end":..,..}]} to `answer`. */
bool mcp_probe(struct mcp *m, const struct doc *context, bool all, struct arena *a,
               struct buf *answer, struct error *e) NODISCARD;

/* The first call that a context names, or NULL. */
const struct doc *mcp_probe_calls(const struct doc *context);

extern const char *const mcp_end_names[];
