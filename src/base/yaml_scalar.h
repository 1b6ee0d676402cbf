/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar.h: what a plain YAML word means. */
#pragma once

#include "base/doc.h"

/* Gives d the value of a plain scalar by the core schema of YAML 1.2: null, true, 42, 0x1f, 1.5,
 * else text, which is `text` itself. False, with *why, for numbers JSON cannot hold. */
bool yaml_scalar(struct str text, struct doc *d, const char **why) NODISCARD;

/* Makes d the number that number_keep() makes of the text. False: it is none that JSON writes so,
 * but for a plus or zeros before it. */
bool yaml_number(struct str text, struct arena *a, struct doc *d) NODISCARD;
