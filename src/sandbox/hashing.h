/* SPDX-License-Identifier: Apache-2.0 */
/* hashing.h: the file that is started, digested while there is nothing else to do.
 *
 * The command runs meanwhile, and may change the file that it is, if that is a script. Then nobody
 * knows what was started: there is no digest, and it is told that it changed.
 */
#pragma once

#include <sys/stat.h>

#include "base/digest.h"
#include "base/world.h"
#include "sandbox/kept.h"
#include "sandbox/outcome.h"
#include "sandbox/program.h"

enum { HASHED_AT_ONCE = 16 << 10 };

struct hashing {
    int fd; /* lent */
    struct stat before;
    bool known;   /* it has been digested by an earlier run, and not changed since */
    bool unread;  /* it cannot be read, or is another file by now */
    bool changed; /* since the run began */
    off_t taken;
    struct digest digest;
    struct sha256 sum;
    char part[HASHED_AT_ONCE];
};

struct hashing *hash_new(struct arena *a);

/* Before the command runs. `kept` is what earlier runs have learnt; NULL: nothing is kept. */
void hash_begin(struct hashing *h, const struct program *program, struct kept *kept);

/* Right before the command is let go. Changes within one tick of the kernel's clock have the same
 * time: a file that was changed in this one is let grow a little older. */
void hash_settle(const struct hashing *h, const struct world *world);

/* Takes a part of a file that is neither known nor unread; false: that was the last. `self` is a
 * struct hashing. */
bool hash_some(void *self);

/* After the last part: says in *out what was found, and keeps it. */
void hash_end(struct hashing *h, struct kept *kept, const struct world *world, struct outcome *out);
