/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_guard.h: texts that libfyaml should not be asked to read. */
#pragma once

#include "base/ceilings.h"
#include "base/str.h"

/* What is wrong with the first character that must not be there, with *at where; NULL when all may.
 * Lines end in LF here: a carriage return that is left ends none. */
const char *yaml_character(struct str text, size_t *at);

/* The same for lines that begin with a percent sign: they stand before the document, and it begins
 * with ---. */
const char *yaml_directive(struct str text, size_t *at);

/* The same for tabs where keys are explicit. */
const char *yaml_tabs(struct str text, size_t *at);

/* The same for the end of the text: libfyaml counts a last line of blanks as one more line. */
const char *yaml_end(struct str text, size_t *at);

/* The ceiling that the text breaks, with *at where; CEILING_COUNT when it breaks none. */
enum ceiling yaml_guard(struct str text, const struct ceilings *max, size_t *at);
