/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_socks.c: any bytes are SOCKS or not, whichever way they come; a host is a host. */
#include <assert.h>

#include "sandbox/net/socks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };
    size_t taken = 0, early = 0;
    struct socks_ask ask, again;
    enum socks_found found;
    bool plain;

    if (socks_read_hello(bytes, &taken, &plain) == SOCKS_WHOLE)
        assert(taken >= 2 && taken <= size);
    found = socks_read_ask(bytes, &taken, &ask);
    if (found != SOCKS_WHOLE)
        return 0;
    assert(taken <= size && (ask.code == SOCKS_GRANTED || ask.why));
    if (ask.code == SOCKS_GRANTED)
        assert(ask.host.port > 0 && ask.host.length > 0 &&
               ask.host.length == strlen(ask.host.name));
    assert(socks_read_ask((struct str){ bytes.s, taken }, &early, &again) == SOCKS_WHOLE);
    assert(early == taken && again.code == ask.code);
    for (size_t n = 0; n < taken; n++) /* less is never enough */
        assert(socks_read_ask((struct str){ bytes.s, n }, &early, &again) == SOCKS_PART);
    return 0;
}
