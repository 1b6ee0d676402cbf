/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.h: YAML text to a document: one document, core schema, no tags, no duplicate keys.
 *
 * Aliases are resolved by copying, inside the ceiling on values, so that what is read is always
 * a tree and never a bomb.
 */
#pragma once

#include "base/ceilings.h"
#include "base/doc.h"

/* As json_read(). The document's text is the one its places are in: a copy where lines end in CRLF.
 */
bool yaml_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
               const struct document **out, struct error *e) NODISCARD;
