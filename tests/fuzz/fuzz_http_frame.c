/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_http_frame.c: any bytes are frames of writ-http or not, whichever way they come; one that
 * was taken fits its row, and so does what is in it. */
#include <assert.h>

#include "adapter/http/frame.h"
#include "adapter/http/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(struct str part, struct str whole)
{
    return part.n == 0 || (part.s >= whole.s && part.s + part.n <= whole.s + whole.n);
}

static void read_body(const struct http_frame *f)
{
    _arena_ struct arena a = { 0 };
    struct http_ask ask = { 0 };
    struct http_begun begun = { 0 };
    struct http_ended ended = { 0 };

    if (http_read_ask(f->body, &a, &ask)) {
        assert(is_inside(ask.url, f->body) && is_inside(ask.body, f->body));
        for (size_t i = 0; i < ask.hosts.allow_count; i++)
            assert(is_inside(ask.hosts.allow[i], f->body));
        for (size_t i = 0; i < ask.hosts.deny_count; i++)
            assert(is_inside(ask.hosts.deny[i], f->body));
    }
    if (http_read_begun(f->body, &a, &begun))
        for (size_t i = 0; i < begun.header_count; i++)
            assert(is_inside(begun.headers[i].value, f->body));
    if (http_read_ended(f->body, &ended))
        assert(ended.end <= HTTP_BROKEN && is_inside(ended.why, f->body));
}

static size_t take_all(struct str bytes, enum http_side from, size_t piece)
{
    struct http_reader r;
    struct http_frame f = { 0 };
    struct error e = { 0 };
    size_t taken = 0;
    bool whole = false, good = true;

    http_reader_open(&r, from);
    for (size_t given = 0; good && (whole || given < bytes.n);) {
        if (!whole) {
            size_t n = bytes.n - given < piece ? bytes.n - given : piece;

            buf_add(&r.bytes, bytes.s + given, n);
            given += n;
        }
        good = http_reader_take(&r, &f, &whole, &e);
        if (!good || !whole)
            continue;
        assert(http_frames[f.kind].from == from && f.body.n <= http_frames[f.kind].most);
        if (piece > 1)
            read_body(&f);
        taken++;
    }
    assert(good || (e.code && e.msg[0]));
    http_reader_close(&r);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };

    if (size > 1 << 16)
        return 0;
    for (int from = HTTP_WRIT; from <= HTTP_PROGRAM; from++) {
        size_t all = take_all(bytes, (enum http_side)from, size);

        assert(all == take_all(bytes, (enum http_side)from, 1));
    }
    return 0;
}
