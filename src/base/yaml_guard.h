/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_guard.h: texts that libfyaml should not be asked to read. */
#pragma once

#include "base/ceilings.h"
#include "base/str.h"

/* Where the first control character stands, or text.n: tab and line ends are none. */
size_t yaml_control(struct str text);

/* The ceiling that the text breaks, with *at where; CEILING_COUNT when it breaks none. */
enum ceiling yaml_guard(struct str text, const struct ceilings *max, size_t *at);
