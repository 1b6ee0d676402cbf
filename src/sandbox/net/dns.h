/* SPDX-License-Identifier: Apache-2.0 */
/* dns.h: questions for names, and their answers, as RFC 1035 writes them. Pure.
 *
 * Nothing is ever passed on: what is answered is known here, or the name does not exist.
 */
#pragma once

#include "contract/hosts.h"

enum { DNS_MAX = 512, DNS_ADDRESSES = 8, DNS_TTL_S = 60 };

struct dns_addresses {
    uint8_t v[DNS_ADDRESSES][4];
    size_t n;
};

/* Is there such a name, and where is it? */
typedef bool dns_find(void *self, struct str name, struct dns_addresses *out);

/* Writes the answer and returns its bytes; 0: there is none for that. */
size_t dns_answer(struct str question, dns_find *find, void *self, uint8_t out[DNS_MAX]);
