/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_frame.c: any bytes are frames or not, whichever way they come; a frame that was taken fits
 * its row and is written back as the bytes it was. */
#include <assert.h>
#include <sys/socket.h>

#include "route/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WRITABLE = 4096 }; /* fits a socket whatever else is in it */

static void check_written(const struct frame *f, const char *bytes)
{
    char again[FRAME_HEAD + WRITABLE];
    struct error e = { 0 };
    int ends[2];
    bool ok;
    ssize_t n;

    if (f->body.n > WRITABLE)
        return;
    ok = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && frame_write(ends[0], -1, f, &e);
    assert(ok);
    n = recv(ends[1], again, sizeof again, 0);
    assert(n == (ssize_t)(FRAME_HEAD + f->body.n));
    assert(memcmp(again, bytes, (size_t)n) == 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* All frames of the bytes as that side would have sent them, given `piece` bytes at a time. */
static size_t take_all(struct str bytes, enum frame_side side, size_t piece, bool write)
{
    struct frame_reader r;
    struct frame f = { 0 };
    struct error e = { 0 };
    size_t frames_taken = 0, at = 0;
    bool whole = false, good = true;

    frame_reader_open(&r, -1, side);
    for (size_t given = 0; good && (whole || given < bytes.n);) {
        if (!whole) {
            size_t n = bytes.n - given < piece ? bytes.n - given : piece;

            buf_add(&r.bytes, bytes.s + given, n);
            given += n;
        }
        good = frame_take(&r, &f, &whole, &e);
        if (!good || !whole)
            continue;
        assert(f.kind >= FRAME_HELLO && f.kind < FRAME_KINDS && frames[f.kind].from == side);
        assert(f.body.n <= frames[f.kind].most);
        if (write && frames_taken == 0)
            check_written(&f, bytes.s + at);
        at += FRAME_HEAD + f.body.n;
        frames_taken++;
    }
    assert(good || (e.code && e.msg[0]));
    assert(at <= bytes.n);
    frame_reader_close(&r);
    return frames_taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };

    if (size > 1 << 16) /* a reader that is given bytes by hand makes no room */
        return 0;
    for (int side = SIDE_CALLER; side <= SIDE_WORKER; side++) {
        size_t all = take_all(bytes, (enum frame_side)side, size, true);
        size_t one_by_one = take_all(bytes, (enum frame_side)side, 1, false);

        assert(all == one_by_one);
    }
    return 0;
}
