/* SPDX-License-Identifier: Apache-2.0 */
/* socks.h: SOCKS 5 as far as it is spoken here: no password, CONNECT only. Pure. */
#pragma once

#include "contract/hosts.h"

enum { SOCKS_VERSION = 5, SOCKS_HELLO_ANSWER = 2, SOCKS_ANSWER = 10 };

/* What is answered, in the words of RFC 1928. */
enum socks_code {
    SOCKS_GRANTED,
    SOCKS_FAILED,
    SOCKS_NOT_ALLOWED,
    SOCKS_NO_NETWORK,
    SOCKS_NO_HOST,
    SOCKS_REFUSED,
    SOCKS_EXPIRED,
    SOCKS_NO_SUCH_COMMAND,
    SOCKS_NO_SUCH_ADDRESS,
};

enum socks_found { SOCKS_PART, SOCKS_WHOLE, SOCKS_WRONG };

/* Which ways of saying who one is are offered. *plain: nobody need say it. */
enum socks_found socks_read_hello(struct str bytes, size_t *taken, bool *plain);

struct socks_ask {
    struct host host;     /* as far as it is one */
    enum socks_code code; /* not granted: what to answer, and why */
    const char *why;
};

enum socks_found socks_read_ask(struct str bytes, size_t *taken, struct socks_ask *out);

void socks_answer(enum socks_code code, uint8_t out[SOCKS_ANSWER]);
