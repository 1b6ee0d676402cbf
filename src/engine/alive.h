/* SPDX-License-Identifier: Apache-2.0 */
/* alive.h: does who runs an execution still live?
 *
 *     <state>/running/<id>
 *     <state>/running/<id>@<machine>    where other machines may have the file system, too
 *
 * is there while it runs, empty, and locked by who runs it; the lock goes with the process, however
 * that ends. A file that nobody holds is of one who was killed, or could not record its end, and
 * stays: the ledger has no end of it. There are no process ids in it that could have become
 * somebody else's. The machine is left out where it can: a container that comes back with its state
 * has another name. Of another machine, where the state directory is shared, nothing is known. A
 * command has the file of its execution, and so has a commit, an undo or a discard; a plan has that
 * and one of its own id, by which its steps are found. It says who lives and nothing of how far
 * they are: a plan's state is in memory alone (contract 004, 6.6).
 */
#pragma once

#include "base/mem.h"
#include "base/str.h"

/* { 0 } is a valid empty one. */
struct alive {
    const char *path; /* NULL: it is not told; whoever asks does not know */
    int fd;
};

/* Before the ledger has it that it runs; `id` is a uuid. That it cannot be told keeps nothing from
 * running. */
struct alive alive_begin(const char *state, struct str id, struct arena *a);

/* After the ledger has its end. */
void alive_end(struct alive *alive);

/* Where the ledger could not be given its end: the file stays, and nobody holds it. */
void alive_leave(struct alive *alive);

/* The same for one who was killed, when somebody else has entered its end. */
void alive_forget(const char *state, struct str id, struct arena *a);

enum living { LIVING_UNKNOWN, LIVING, LIVING_NO };

enum living alive_look(const char *state, struct str id, struct arena *a);

/* All files that this machine knows of, in no order. */
struct alive_file {
    struct str id;
    bool lives;
};

struct alive_files {
    struct alive_file *v;
    size_t n, room;
    int shut; /* an errno: why they cannot be listed; 0: they are */
};

struct alive_files alive_all(const char *state, struct arena *a);
