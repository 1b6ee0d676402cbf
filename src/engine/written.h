/* SPDX-License-Identifier: Apache-2.0 */
/* written.h: which directories commands could write, and when. A .writ that one of them may have
 * made or changed is not obeyed until a person adopts it.
 *
 *     <state>/written/<inode>-<birth>            one line for each run that could write there
 *     <state>/written/adopted/<inode>-<birth>    when a person adopted that .writ
 *
 * A run adds its line before the command starts, and the time of its end after what came up under
 * protected names was moved aside. It holds a lock on the file meanwhile: a line without an end in
 * a file that no process has locked is of a writ that was killed. Directories are told by their
 * number and birth, which a new name does not change.
 */
#pragma once

#include "base/world.h"
#include "sandbox/grants.h"

/* The lines of one run; { 0 } is a valid empty one. */
struct written {
    struct written_line *v;
    size_t n;
};

struct written_ask {
    const char *const *environment;
    const struct grants *grants;
    struct str execution_id;
};

/* Before the command starts. Without a state directory nothing is noted. */
bool written_begin(const struct written_ask *ask, const struct world *world, struct arena *a,
                   struct written *out, struct error *e) NODISCARD;
void written_end(struct written *w, const struct world *world);

/* Whether a file of a .writ, or of the user's own configuration, may be obeyed. It has been read
 * already: what a command changes afterwards does no harm. */
bool written_trusts(const char *const *environment, const char *file, struct arena *a,
                    struct error *e) NODISCARD;

/* Notes that a person looked at the directory `folder` and trusts what is in it. False: a run that
 * can write it is going on. */
bool written_adopt(const char *const *environment, const char *folder, struct arena *a,
                   struct error *e) NODISCARD;
