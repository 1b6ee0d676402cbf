/* SPDX-License-Identifier: Apache-2.0 */
/* capture.h: what a command prints: the head of it is kept, and the last lines, all of it is
 * counted and digested, and somebody may look on while it comes.
 *
 * A reader that does not keep up slows the command down, as it would without us, and never us: a
 * part that could not be passed on waits here, and nothing more is read until it is gone.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/onward.h"
#include "sandbox/last.h"

enum { CAPTURE_PART = 64 << 10 };

struct capture {
    int from; /* the pipe; -1 when it has ended */
    struct onward live;
    bool wide;       /* the pipe holds more than it did */
    struct buf head; /* .max is what is kept */
    struct last tail;
    int64_t total; /* bytes printed */
    int64_t rest;  /* that may still come, at most */
    struct sha256 sum;
    char *part; /* CAPTURE_PART bytes */
    /* Is told of what is kept, as it comes; NULL: nobody is. */
    void (*seen)(void *self, int stream, const char *bytes, size_t n);
    void *seen_self;
    int stream;       /* 1 or 2 */
    size_t had, sent; /* of the part: there, and passed on */
};

/* Takes over `from`. `live` stays the caller's. */
void capture_begin(struct capture *c, int from, int live, size_t keep, char *part);

/* Something is still to come, or to be passed on. */
bool capture_is_open(const struct capture *c);

/* The descriptor to poll and for what (POLLIN or POLLOUT); -1 when there is none. */
int capture_waits(const struct capture *c, short *events);

/* That descriptor is ready: reads or passes on, without blocking. */
void capture_step(struct capture *c);

/* Nobody looks on any more: what was not passed on is lost to them. What still comes is kept,
 * counted and digested as before. */
void capture_alone(struct capture *c);

/* Who printed is dead, and somebody else may have the pipe, too: what is in it now is the rest. */
void capture_last(struct capture *c);

/* Ends it, whatever is still to come. */
void capture_end(struct capture *c);
