/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sse.c: any bytes are events or not, the same whichever way they are cut. */
#include <assert.h>

#include "adapter/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 };

static bool note(void *self, struct str type, struct str data)
{
    struct buf *to = self;

    buf_add(to, type.s, type.n);
    buf_addc(to, '=');
    buf_add(to, data.s, data.n);
    buf_addc(to, '\n');
    return !str_is(type, "last");
}

static bool read_all(struct str bytes, size_t piece, struct sse *s, struct buf *events)
{
    bool more = true;

    for (size_t at = 0; more && at < bytes.n; at += piece) {
        size_t n = bytes.n - at < piece ? bytes.n - at : piece;

        more = sse_feed(s, (struct str){ bytes.s + at, n }, note, events);
    }
    return more;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };
    struct sse whole = { .max = MOST }, cut = { .max = MOST };
    _buf_ struct buf one = { .max = 1 << 24 }, two = { .max = 1 << 24 };
    bool more = read_all(bytes, size ? size : 1, &whole, &one);
    bool same = read_all(bytes, 1 + size % 7, &cut, &two);

    assert(more == same && sse_full(&whole) == sse_full(&cut));
    assert(str_eq(buf_str(&one), buf_str(&two)));
    assert(str_eq(buf_str(&whole.last_id), buf_str(&cut.last_id)));
    assert(whole.retry_ms == cut.retry_ms && whole.retry_ms >= 0);
    assert(!memchr(buf_str(&whole.last_id).s, '\n', whole.last_id.len));
    sse_free(&whole);
    sse_free(&cut);
    return 0;
}
