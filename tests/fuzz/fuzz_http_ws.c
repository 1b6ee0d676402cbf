/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_http_ws.c: any bytes a server sends by a WebSocket are messages or a breach, whichever way
 * they come; a message is UTF-8 and within its ceiling. The first byte chooses the ceiling. */
#include <assert.h>

#include "adapter/http/policy.h"
#include "adapter/http/ws.h"
#include "base/digest.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How often what happened, and a digest of all texts. */
struct tally {
    int count[WS_BROKEN + 1];
    struct sha256 texts;
    struct digest digest;
};

static void read_all(struct str bytes, size_t most, size_t piece, struct tally *t)
{
    struct ws_reader r;
    struct ws_event event = { .news = WS_MORE };

    sha256_begin(&t->texts);
    ws_reader_open(&r, most);
    for (size_t given = 0; given < bytes.n && event.news != WS_BROKEN;) {
        size_t n = bytes.n - given < piece ? bytes.n - given : piece;

        ws_reader_give(&r, (struct str){ bytes.s + given, n });
        given += n;
        do {
            event = ws_next(&r);
            if (event.news != WS_MORE)
                t->count[event.news]++;
            assert(event.news != WS_MESSAGE ||
                   (event.text.n <= most && utf8_valid(event.text) == event.text.n));
            assert(event.news != WS_PINGED || event.text.n <= WS_CONTROL);
            assert(event.news != WS_BROKEN || (event.code >= WS_NORMAL && event.why));
            sha256_add(&t->texts, event.text.s, event.text.n);
        } while (event.news != WS_MORE && event.news != WS_BROKEN);
    }
    t->digest = sha256_end(&t->texts);
    ws_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t key[WS_KEY] = "0123456789abcde";
    struct tally all = { 0 }, one_by_one = { 0 };
    struct str bytes = { (const char *)data + 1, size - 1 };
    struct http_place place;
    size_t most, end;
    int status;

    if (size < 2 || size > 1 << 16)
        return 0;
    most = data[0] % 2 ? 100 : 1 << 16;
    read_all(bytes, most, bytes.n, &all);
    read_all(bytes, most, 1, &one_by_one);
    assert(memcmp(all.count, one_by_one.count, sizeof all.count) == 0);
    assert(memcmp(&all.digest, &one_by_one.digest, sizeof all.digest) == 0);
    end = ws_head_end(bytes);
    if (end)
        (void)ws_disagrees((struct str){ bytes.s, end - 2 }, key, str_of("mcp"), &status);
    if (!http_place_read(bytes, &place))
        assert(place.port > 0 && place.host.n > 0 && !memchr(bytes.s, '@', place.host.n));
    return 0;
}
