/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.h: counts what a plan keeps as evidence, each content once: as many files as there are.
 * For any thread.
 */
#pragma once

#include <pthread.h>

#include "base/digest.h"

struct evidence {
    pthread_mutex_t lock;
    struct digest *v; /* a table of `room` places; zeroes: nothing is there */
    size_t room, files;
    int64_t bytes;
};

void evidence_open(struct evidence *e);
void evidence_close(struct evidence *e);

/* The content of that digest is kept, which is not that of zeroes. */
void evidence_add(struct evidence *e, const struct digest *digest, int64_t bytes);
