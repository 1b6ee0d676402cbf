/* SPDX-License-Identifier: Apache-2.0 */
/* mend.h: what a person can do about a layer that was tried in vain.
 *
 * Settings are read here to tell which advice fits, never to tell whether a layer works.
 */
#pragma once

#include "base/mem.h"
#include "contract/layers.h"

struct ailment {
    enum layer layer;
    const char *where; /* the namespace or the stage that failed */
    int sys;           /* its errno */
};

struct surroundings {
    const char *settings; /* "/proc/sys" */
    const char *lsm;      /* "/sys/kernel/security/lsm" */
    bool root;            /* the caller is */
    bool filtered;        /* somebody else's filter is on our system calls */
};

/* Those of this process. */
struct surroundings surroundings_now(void);

/* One sentence or command, in the arena or constant. */
const char *mend_for(const struct ailment *ill, const struct surroundings *s, struct arena *a);

/* Where the i-th advice helps, and in which layer; NULL: there are no more of them. "": anywhere.
 */
const char *mend_where(size_t i, enum layer *layer);
