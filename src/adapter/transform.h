/* SPDX-License-Identifier: Apache-2.0 */
/* transform.h: what is done to parameters before a call, and to what comes back (contract 001).
 *
 * In the order they are listed, 32 at most. Pure: the same input gives the same output, in bounded
 * work and linear time.
 *
 * input, over the map of parameters; a param is a name, or a JSON Pointer where it begins with '/':
 *
 *     rename    {from: to}                   a parameter gets another name, all at once: two may
 *                                            change places; never over one that is given, too
 *     map       {param: {value: other, ..}}  a value becomes another; of a list, each item. "*"
 *                                            stands for any other; without it others stay
 *     default   {param: value}               what was left out; null is not left out
 *     validate  a JSON Schema (2020-12, or draft-07 by its $schema), or json_schema: that of
 *               operations.<operation>.input; where there is none, any map will do
 *
 * output:
 *
 *     parse     json | json_lines | yaml | csv | tsv | lines | kv | {regex: "(?<name>..)"}
 *     extract   "$.path" (JSONPath: a singular query gives the value, any other a list) or
 *               "/pointer"; bytes are read as JSON first
 *     format    text | json | json_pretty | json_lines | yaml | csv | tsv | lines |
 *               {template: "{/pointer} {name} {{literal}}"}
 *
 * A parser or format is written as
 *
 *     NAME                           by itself
 *     {NAME: {option: value, ..}}    with options: {csv: {header: false, delimiter: ";"}}
 *     {NAME: text}                   with the one that it needs: {regex: "(?<major>[0-9]+)"}
 *
 * and options may stand beside the name, too: {regex: "..", all: true}.
 *
 *     csv, tsv  RFC 4180: a list of maps by the names of the first row, with header: false a list
 * of lists. Fields are texts. A blank line is no row. Rows of another width are refused. parse:
 * header, quotes, delimiter; format: header, delimiter, crlf, columns kv        a map of
 * `key=value` and `key: value`. Blank lines and those that begin with # are left out, quotes around
 * all of a value taken off, as os-release has them: separator regex     ECMA-262 with the u flag,
 * but no look-around and no back-references, so that it is linear; . is no line end. (?P<name>..)
 * is (?<name>..). The first match as a map of its named groups (null: took no part); all: every
 * match, a list of maps; multiline: ^ and $ also at the ends of lines template  each: of a list,
 * once for each item, each on a line
 *
 * Text must be UTF-8 without NUL; a byte order mark before it is left out. What format writes as
 * json, json_lines, yaml, csv or tsv (of texts), parse reads as the same.
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

/* The same of an adapter that is wrong elsewhere: what of its transforms could be decoded; NULL:
 * nothing. */
void transforms_fit_alone(const struct doc *tree, const struct adapter_transforms *t,
                          struct report *r);

/* One parser alone: bytes to a document. */
bool parse_output(const struct doc *spec, struct str bytes, struct arena *a, const struct doc **out,
                  struct error *e) NODISCARD;
