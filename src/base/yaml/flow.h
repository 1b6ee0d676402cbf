/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h: the parts of a YAML document that need no indentation, for the reader of blocks.
 *
 * A function that returns false has refused the document, with the place.
 */
#pragma once

#include "base/yaml/text.h"

/* Refuses the document: it is not YAML; or it is, and writ does not read it. */
bool yaml_wrong(struct yaml_reader *r, size_t at, const char *why);
bool yaml_outside(struct yaml_reader *r, size_t at, const char *why);

/* Puts a key or a value into the tree: a text, one without a character, what an alias stands for.
 */
bool yaml_put_text(struct yaml_reader *r, const struct yaml_text *text,
                   struct str anchor) NODISCARD;
bool yaml_put_empty(struct yaml_reader *r, size_t at, struct str anchor) NODISCARD;
bool yaml_put_alias(struct yaml_reader *r) NODISCARD;

/* The anchor before a value, if there is one: its name. A tag is refused. */
bool yaml_read_anchor(struct yaml_reader *r, struct str *name) NODISCARD;

/* Is what stands behind that anchor a value? */
bool yaml_check_anchored(struct yaml_reader *r, struct str name) NODISCARD;

/* A key without '?' is one line, which began at `line`, of at most 1024 characters (192). */
bool yaml_check_key(struct yaml_reader *r, const struct yaml_text *key, size_t line) NODISCARD;

/* A list in [] or a map in {}: its lines are indented by at least so many spaces. */
bool yaml_read_flow(struct yaml_reader *r, ptrdiff_t least, struct str anchor) NODISCARD;
