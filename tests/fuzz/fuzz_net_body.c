/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_body.c: a body ends at the same place, whichever way its bytes come. */
#include <assert.h>

#include "sandbox/net/body.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t take_all(struct body b, struct str bytes, size_t piece, bool *wrong, bool *over)
{
    size_t at = 0;

    *wrong = false;
    while (at < bytes.n && !*wrong && !b.over) {
        size_t n = bytes.n - at < piece ? bytes.n - at : piece;
        size_t taken = body_take(&b, (struct str){ bytes.s + at, n }, wrong);

        assert(taken <= n && (taken == n || b.over || *wrong));
        at += taken;
    }
    *over = b.over;
    return at;
}

/* Its data piece by piece takes as many bytes as all of it at once. */
static size_t take_pieces(struct body b, struct str bytes)
{
    struct str data;
    size_t at = 0, n;

    while ((n = body_piece(&b, (struct str){ bytes.s + at, bytes.n - at }, &data)) > 0) {
        assert(data.n <= n && data.s + data.n == bytes.s + at + n);
        at += n;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data + 1, size - 1 };
    struct head head = { 0 };
    bool wrong[2], over[2];
    struct body b;

    if (size < 1)
        return 0;
    head.body = (enum body_kind)(data[0] % 4);
    head.length = data[0];
    b = body_begin(&head);
    assert(take_all(b, bytes, size, &wrong[0], &over[0]) ==
           take_all(b, bytes, 1 + data[0] % 5U, &wrong[1], &over[1]));
    assert(wrong[0] == wrong[1] && over[0] == over[1] && !(wrong[0] && over[0]));
    bytes.n = take_all(b, bytes, size, &wrong[0], &over[0]);
    assert(b.kind != BODY_CHUNKED || take_pieces(b, bytes) == bytes.n);
    return 0;
}
