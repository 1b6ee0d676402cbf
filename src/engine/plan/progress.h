/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: tells a caller what happens in a plan, as JSON lines on a descriptor.
 *
 * A line is written when it fits at once, or not at all: who does not read loses lines, and never
 * makes a plan wait. A terminal or socket may take a part of one; the rest goes before the next.
 * For any thread.
 */
#pragma once

#include <pthread.h>

#include "base/buf.h"

struct progress {
    int fd; /* -1: nobody listens */
    bool pipe, socket;
    bool own;        /* fd is ours to close */
    bool broken;     /* nobody will ever read it */
    size_t lost;     /* lines since the last that was written */
    struct buf rest; /* of a line that was taken in part, from `sent` on */
    size_t sent;
    struct buf line;
    pthread_mutex_t lock;
};

void progress_open(struct progress *p, int fd);
void progress_close(struct progress *p);

/* A line: {"event":name, members.., } and "lost" where lines were. Begin gives the buffer for the
 * members, or NULL where nobody listens; then there is no end. */
struct buf *progress_begin(struct progress *p, const char *event);
void progress_end(struct progress *p, int64_t at_ms);
