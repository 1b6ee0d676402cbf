/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.h: JSON text to a document. Strict I-JSON (RFC 7493): UTF-8, no duplicate keys, no
 * lone surrogates, no NUL in keys, numbers that a double holds (or any: ceilings.h). */
#pragma once

#include "base/ceilings.h"
#include "base/doc.h"

/* `file` names the text in messages. The text must outlive the document. */
bool json_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
               const struct document **out, struct error *e) NODISCARD;
