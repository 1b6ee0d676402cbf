/* SPDX-License-Identifier: Apache-2.0 */
/* feed.h: events as they come from a file or a pipe, a batch at a time. */
#pragma once

#include <writ/writ.h>

#include "ledger/draft.h"

enum { BATCH = 1000, BATCH_FIRST = 250 }; /* events; nothing is written while the first is read */
enum { BATCH_BYTES = 16 << 20 };          /* of their texts: the one that reaches it is the last */

/* Where the events come from. */
struct feed {
    int fd;             /* -1: the text is all there is */
    int stop;           /* readable when no more is wanted, also by who waits for more */
    struct str text;    /* given, or NULL */
    struct buf unread;  /* read from fd and not yet given out */
    size_t at;          /* given out of the text or of unread */
    size_t looked;      /* behind that so many bytes have no line end */
    int64_t shed;       /* bytes of this line that were read and are not held: it is too long */
    struct sha256 hash; /* of it, as far as it was shed and of its beginning, which is held */
    int64_t line;       /* lines given out */
    size_t most;        /* events of the next batch */
    bool begun, ended, whole; /* whole: one document of many lines */
    struct error error;       /* it could not be read */
};

/* One batch of drafts, read and checked; the arena holds all of it. */
struct batch {
    struct arena a;
    struct draft *drafts;
    int64_t *lines;
    size_t n, room;
    size_t bytes; /* of the texts */
};

bool feed_open(struct feed *f, const struct writ_input *input, struct error *e) NODISCARD;
void feed_close(struct feed *f);

/* From another thread: nothing more is read. */
void feed_stop(struct feed *f);

/* Waits for events and takes those that are there, at most a batch. Without any it has ended. */
void feed_batch(struct feed *f, enum policy policy, const struct world *world, struct batch *out);
