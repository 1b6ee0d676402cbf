/* SPDX-License-Identifier: Apache-2.0 */
/* left.h: what a step leaves for somebody to look at: `did` is its output, or what stands with its
 * error. Steps that leave nothing have no line. */
#pragma once

#include "base/doc.h"
#include "cli/run/lists.h"

/* Where its lane ran in place of its worker, and by what it was not held. */
void left_lane(struct str name, const struct doc *did, struct line_list *lines);

/* Files that were asked for and are not there. */
void left_missed(struct str name, const struct doc *did, struct line_list *lines);

/* What it wrote beside the disk, and what to do with it. */
void left_changes(struct str name, const struct doc *did, struct line_list *lines);
