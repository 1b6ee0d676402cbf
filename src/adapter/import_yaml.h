/* SPDX-License-Identifier: Apache-2.0 */
/* import_yaml.h: a document as YAML that people read and change: blocks, and quotes where needed.
 */
#pragma once

#include "base/doc.h"

/* As deep as the document is; the readers have a ceiling on that. What is written reads back as the
 * same document. */
void yaml_write(const struct doc *d, struct buf *to);

/* Characters that YAML has no place for as they are, and those that nobody sees where they are
 * shown: without a width, or turning the direction of what follows. */
bool yaml_must_escape(uint32_t c);
