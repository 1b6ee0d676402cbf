/* SPDX-License-Identifier: Apache-2.0 */
/* transform.h: what is done to parameters before a call, and to what comes back (contract 001).
 *
 * In the order they are listed. Pure: the same input gives the same output, in bounded work.
 *
 * input, over the map of parameters:
 *
 *     rename    {from: to}                   a parameter gets another name; names or JSON Pointers
 *     map       {param: {value: other, ..}}  a value becomes another; `"*"` stands for any other
 *     default   {param: value}               what was left out
 *     validate  a JSON Schema, or json_schema: that of operations.<operation>.input
 *
 * output:
 *
 *     parse     json | json_lines | yaml | csv | tsv | lines | kv | {regex: "..", all: bool}
 *     extract   "$.path" (JSONPath: a singular query gives the value, any other a list) or
 *               "/pointer"; bytes are read as JSON first
 *     format    text | json | json_pretty | json_lines | yaml | csv | tsv | lines |
 *               {template: "{/pointer} {name}"}
 */
#pragma once

#include "adapter/adapter.h"
#include "base/report.h"
#include "base/table.h"

extern const struct table transforms_table, parsers_table, formats_table;

/* The parameters (a map) after all input transforms. False: CODE_PARAMETER_REFUSED, or
 * CODE_TRANSFORM_FAILED where the adapter is wrong; *e has the pointer of the parameter or of the
 * transform. */
bool transform_input(const struct adapter *adapter, struct str operation, const struct doc *params,
                     struct arena *a, const struct doc **out, struct error *e) NODISCARD;

/* What the caller gets. False: CODE_TRANSFORM_FAILED; the message never quotes more than 80
 * characters of what came. */
bool transform_output(const struct adapter *adapter, const struct value *raw, struct arena *a,
                      struct value *out, struct error *e) NODISCARD;

/* A rule of loaded adapters: every spec is one of the above; for `writ check` and for loading. */
void transforms_fit(const struct adapter *adapter, struct report *r);

/* One parser alone: bytes to a document. */
bool parse_output(const struct doc *spec, struct str bytes, struct arena *a, const struct doc **out,
                  struct error *e) NODISCARD;
