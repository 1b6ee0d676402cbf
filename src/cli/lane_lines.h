/* SPDX-License-Identifier: Apache-2.0 */
/* lane_lines.h: what people are told of a lane while it runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A line of its transcript, as writ_exec() hands it over. */
bool lane_tell(void *self, const char *line, size_t len);
