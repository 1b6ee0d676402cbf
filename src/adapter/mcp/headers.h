/* SPDX-License-Identifier: Apache-2.0 */
/* headers.h: parameters of a tool that go along as headers (x-mcp-header, MCP 2026-07-28). */
#pragma once

#include "adapter/http.h"
#include "base/doc.h"

struct tool_headers;

/* What a tool's inputSchema marks. False: a mark is where or what it must not be, and the tool is
 * not to be used over http; *why says it. *out is NULL where nothing is marked. */
bool headers_read(const struct doc *schema, struct arena *a, const struct tool_headers **out,
                  const char **why) NODISCARD;

/* The headers for these arguments: of a value that is null or not there, none. */
const struct http_header *headers_of(const struct tool_headers *marks, const struct doc *arguments,
                                     struct arena *a, size_t *count);

/* A text as the value of a header: itself where it can be one, else =?base64?..?=. */
struct str header_value(struct str text, struct arena *a);
