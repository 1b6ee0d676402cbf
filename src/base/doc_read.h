/* SPDX-License-Identifier: Apache-2.0 */
/* doc_read.h: any document, JSON or YAML. */
#pragma once

#include "base/ceilings.h"
#include "base/doc.h"

/* Reads JSON where the name ends in .json, or where it says nothing and the text begins with a
 * brace or a bracket; YAML everywhere else. A byte order mark before it is passed over. */
bool doc_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
              const struct document **out, struct error *e) NODISCARD;
