/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.h: JSONPath (RFC 9535): text to a small program; the program over a document. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

struct jsonpath;

/* The values that were selected, in the order of the RFC; a value may be there more than once. */
struct nodes {
    const struct doc **v;
    size_t n, room;
};

/* Not well-formed or not valid: the message says what was found at which character, and what is
 * allowed there; e->at.col has its number. The text must outlive the program. */
bool jsonpath_read(struct str text, struct arena *a, const struct jsonpath **out,
                   struct error *e) NODISCARD;

/* Does it select one value at most, by its form? */
bool jsonpath_singular(const struct jsonpath *p);

/* False: the work is over. */
bool jsonpath_run(const struct jsonpath *p, const struct doc *root, struct arena *a, struct work *w,
                  struct nodes *out) NODISCARD;

/* The normalised paths of values, such as $['a'][0], as a JSON list of texts. False: the work is
 * over. */
bool jsonpath_places(const struct nodes *n, struct work *w, struct buf *to) NODISCARD;
