/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: texts that libfyaml should not be asked to read. */
#pragma once

#include "base/ceilings.h"
#include "base/str.h"

/* What libfyaml would read wrongly in a text of lines that end in LF, with *at where it stands;
 * NULL when nothing is known against it. */
const char *yaml_refused(struct str text, size_t *at);

/* The ceiling that the text breaks, with *at where; CEILING_COUNT when it breaks none. */
enum ceiling yaml_guard(struct str text, const struct ceilings *max, size_t *at);
