/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h: the worker protocol, writ-worker/1: framed messages over any byte stream.
 *
 * A frame is twelve bytes (how long its body is, big-endian; its kind; three zero bytes; the number
 * of the errand, big-endian) and its body. The worker says hello first. Of an errand:
 *
 *     we      INPUT*  RUN              GO                      (STOP, STOP)
 *     worker               READY            (OUT | ERR | FILE, FILE_END)*  RESULT
 *                          or REFUSED
 *
 * Nothing runs before GO. Without a RESULT nobody knows how it ended. The end of the stream ends
 * every errand, and what it started. Beats and echoes go beside it, about no errand: a line may be
 * dead and not say so. And there are lines (srun's, which has Nagle's algorithm and pieces of 1
 * KiB) that hold a small piece back until what went before was answered. On those, what is followed
 * by more from the same side is answered: the first piece of a frame, and what a command prints or
 * leaves. No more than that, for an answer is itself a small piece. A worker is told by --eager.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/table.h"

#define FRAME_PROTOCOL "writ-worker/1"

enum {
    FRAME_HEAD = 12,
    FRAME_MAX = 16 << 20,   /* a body is no longer than this */
    FRAME_PIECE = 64 << 10, /* of output, input and files */
};

enum frame_kind {
    FRAME_HELLO = 1, /* worker: {"protocol":..,"version":..,"host":..,"slots":N} */
    FRAME_INPUT,     /* bytes of standard input */
    FRAME_RUN,     /* {"request":{..},"person":..,"attempt":N,"timeout_ms":N,"grace_ms":N,"cwd":..,
                      "live":..,"weak":[..]} */
    FRAME_READY,   /* worker: it was admitted, the walls are being built */
    FRAME_REFUSED, /* worker: {"status":77,"code":..,"message":..,"checks":{..}}; nothing ran */
    FRAME_GO,
    FRAME_STOP,     /* end it; a second one: at once */
    FRAME_OUT,      /* worker: bytes of standard output */
    FRAME_ERR,      /* worker: bytes of standard error */
    FRAME_FILE,     /* worker: bytes of a file that is kept */
    FRAME_FILE_END, /* worker: "sha256:<hex>" of the file that came before */
    FRAME_RESULT,   /* worker: the record, as of `writ exec --json`, without what was printed */
    FRAME_BEAT,     /* we are there; a worker answers with an echo */
    FRAME_ECHO,     /* worker: it is there */
    FRAME_ACK,      /* it came: said on lines that send no more before */
    FRAME_KINDS,
};

/* A line can be dead without an end: who has heard nothing for so long takes it for that. */
enum {
    BEAT_MS = 5000,     /* how often we tell that we are there */
    SILENCE_MS = 30000, /* after which the other is gone */
};

enum frame_side { SIDE_CALLER, SIDE_WORKER };

struct frame_row {
    const char *name;
    enum frame_side from;
    uint32_t most; /* bytes of its body */
    const char *meaning;
};

extern const struct frame_row frames[FRAME_KINDS];
extern const struct table frames_table;

struct frame {
    enum frame_kind kind;
    uint32_t errand;
    struct str body;
};

/* Writes it whole; false: the other side is gone. Blocks; where fd does not, until `stop` is
 * readable
 * (-1: it never is): a frame that was begun is not whole then. Not for two threads at once. */
bool frame_write(int fd, int stop, const struct frame *f, struct error *e) NODISCARD;

/* Adds its bytes to what is to be sent; the body must fit its row. */
void frame_add(struct buf *to, const struct frame *f);

/* What has come so far of a stream. */
struct frame_reader {
    int fd;
    enum frame_side from; /* who is heard: only its kinds are taken */
    struct buf bytes;     /* .max is set by frame_reader_open */
    size_t used;
};

void frame_reader_open(struct frame_reader *r, int fd, enum frame_side from);
void frame_reader_close(struct frame_reader *r);

/* Of the next frame, a part is here. */
bool frame_has_part(const struct frame_reader *r);

/* The next frame, without waiting: *whole tells whether there is one. Its body stays until the next
 * call. False: the stream ended (e->code is CODE_NONE where that was between two frames), or what
 * came is no frame. */
bool frame_take(struct frame_reader *r, struct frame *out, bool *whole, struct error *e) NODISCARD;
