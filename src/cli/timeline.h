/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h: the events of an execution, one below the other, with a bar for how long each lasted.
 */
#pragma once

#include "base/doc.h"

/* `events` is a list of entries, oldest first. Bars are drawn where a person looks on. */
void timeline_show(const struct doc *events);

/* From the first event to the last, in ms; -1 where they do not tell. */
int64_t timeline_span(const struct doc *events);
