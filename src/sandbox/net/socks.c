/* SPDX-License-Identifier: Apache-2.0 */
/* socks.c: reads what a client of SOCKS says. */
#include "sandbox/net/socks.h"

enum { COMMAND_CONNECT = 1, KIND_FOUR = 1, KIND_NAME = 3, KIND_SIX = 4, FIXED = 4 };

static uint8_t at(struct str bytes, size_t i)
{
    return (uint8_t)bytes.s[i];
}

enum socks_found socks_read_hello(struct str bytes, size_t *taken, bool *plain)
{
    size_t ways;

    if (bytes.n > 0 && at(bytes, 0) != SOCKS_VERSION)
        return SOCKS_WRONG;
    if (bytes.n < 2 || bytes.n < 2 + (ways = at(bytes, 1)))
        return SOCKS_PART;
    *plain = ways > 0 && memchr(bytes.s + 2, 0, ways);
    *taken = 2 + ways;
    return SOCKS_WHOLE;
}

static void refuse(struct socks_ask *out, enum socks_code code, const char *why)
{
    out->code = code;
    out->why = why;
}

/* How many bytes the host takes, with what comes before it; 0: nobody knows. */
static size_t host_bytes(struct str bytes)
{
    switch (at(bytes, 3)) {
    case KIND_FOUR: return 4;
    case KIND_SIX: return 16;
    case KIND_NAME: return bytes.n > FIXED ? 1 + (size_t)at(bytes, FIXED) : 1;
    default: return 0;
    }
}

static const char *read_host(struct str bytes, size_t n, uint16_t port, struct host *out)
{
    struct address address = { .six = at(bytes, 3) == KIND_SIX };
    char text[ADDRESS_TEXT];
    struct str name = { bytes.s + FIXED + 1, n - 1 };
    const char *why;

    if (at(bytes, 3) != KIND_NAME) {
        memcpy(address.b, bytes.s + FIXED, n);
        address_text(&address, port, text);
        name = str_of(text);
        name.n = (size_t)((const char *)memrchr(name.s, ':', name.n) - name.s);
    }
    why = host_read(name, port, out);
    return why || port ? why : "its port is not 1 to 65535";
}

enum socks_found socks_read_ask(struct str bytes, size_t *taken, struct socks_ask *out)
{
    size_t n;
    uint16_t port;
    const char *why;

    *out = (struct socks_ask){ 0 };
    if (bytes.n > 0 && at(bytes, 0) != SOCKS_VERSION)
        return SOCKS_WRONG;
    if (bytes.n < FIXED)
        return SOCKS_PART;
    if (at(bytes, 2) != 0)
        return SOCKS_WRONG;
    n = host_bytes(bytes);
    if (bytes.n < FIXED + n + 2)
        return SOCKS_PART;
    *taken = FIXED + n + 2;
    port = (uint16_t)(at(bytes, FIXED + n) << 8 | at(bytes, FIXED + n + 1));
    why = n ? read_host(bytes, n, port, &out->host) : NULL;
    if (n == 0)
        refuse(out, SOCKS_NO_SUCH_ADDRESS, "its host is of an unknown kind");
    else if (at(bytes, 1) != COMMAND_CONNECT)
        refuse(out, SOCKS_NO_SUCH_COMMAND, "only connections are made");
    else if (why)
        refuse(out, SOCKS_NOT_ALLOWED, why);
    return SOCKS_WHOLE;
}

void socks_answer(enum socks_code code, uint8_t out[SOCKS_ANSWER])
{
    memset(out, 0, SOCKS_ANSWER);
    out[0] = SOCKS_VERSION;
    out[1] = (uint8_t)code;
    out[3] = KIND_FOUR;
}
