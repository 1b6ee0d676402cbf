/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_dns.c: any packet is answered within its bounds, or not; an answer is never answered. */
#include <assert.h>

#include "sandbox/net/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(void *self, struct str name, struct dns_addresses *out)
{
    struct host host;

    (void)self;
    assert(name.n <= HOST_MAX);
    if (host_read(name, 0, &host))
        return false;
    out->n = name.n % (DNS_ADDRESSES + 1);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str question = { (const char *)data, size };
    uint8_t answer[DNS_MAX], again[DNS_MAX];
    size_t n = dns_answer(question, find, NULL, answer);

    assert(n <= DNS_MAX);
    if (n == 0)
        return 0;
    assert(n >= 12 && answer[0] == data[0] && answer[1] == data[1] && answer[2] & 0x80);
    assert(n <= size || answer[7] > 0); /* it grows by addresses alone */
    assert(dns_answer((struct str){ (char *)answer, n }, find, NULL, again) == 0);
    return 0;
}
