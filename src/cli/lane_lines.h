/* SPDX-License-Identifier: Apache-2.0 */
/* lane_lines.h: what people are told of a lane while it runs, and of what it was held by. */
#pragma once

#include "base/buf.h"
#include "base/doc.h"

/* A line of its transcript, as writ_exec() hands it over. */
bool lane_tell(void *self, const char *line, size_t len);

/* What such a line says, in words; nothing where people need not see it. */
void lane_words(const struct doc *line, struct buf *to);

/* That it was held by less than the default, and without what: of a record, or of a line of
 * progress. Nothing where it was not. */
void lane_held_words(const struct doc *record, struct buf *to);

/* "cgroup, seccomp": the texts in a list of a record; as many as there is room for. */
void lane_names(const struct doc *record, const char *list, struct buf *to);
