/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.c: reads addresses strictly, and knows those that nobody reaches by accident. */
#include "contract/addresses.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/num.h"

static_assert(INET6_ADDRSTRLEN + sizeof "[]:65535" <= ADDRESS_TEXT, "every address fits");

/* ---- read and written ---- */

static int64_t next_part(struct str *text)
{
    const char *dot = text->n ? memchr(text->s, '.', text->n) : NULL;
    size_t n = dot ? (size_t)(dot - text->s) : text->n;
    int64_t value;

    if (!num_int((struct str){ text->s, n }, &value) || value < 0 || value > UINT8_MAX)
        return -1;
    text->s += n + (dot != NULL);
    text->n -= n + (dot != NULL);
    return dot && text->n == 0 ? -1 : value;
}

/* Four numbers as people write them: others read "010" as 8, "127.1" as 127.0.0.1. */
bool address_read_four(struct str text, struct address *out)
{
    struct address four = { 0 };

    for (int i = 0; i < 4; i++) {
        int64_t part = next_part(&text);

        if (part < 0)
            return false;
        four.b[i] = (uint8_t)part;
    }
    if (text.n > 0)
        return false;
    *out = four;
    return true;
}

bool address_read_six(struct str text, struct address *out)
{
    struct address six = { .six = true };
    char copy[INET6_ADDRSTRLEN];

    if (text.n == 0 || text.n >= sizeof copy || !memchr(text.s, ':', text.n) ||
        memchr(text.s, '\0', text.n))
        return false;
    memcpy(copy, text.s, text.n);
    copy[text.n] = '\0';
    if (inet_pton(AF_INET6, copy, six.b) != 1)
        return false;
    *out = six;
    return true;
}

bool address_read(struct str text, struct address *out)
{
    return address_read_four(text, out) || address_read_six(text, out);
}

static char *put_digits(char *at, unsigned n)
{
    char digits[5];
    size_t count = 0;

    do
        digits[count++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static char *put_four(char *at, const uint8_t b[4])
{
    for (int i = 0; i < 4; i++) {
        at = put_digits(at, b[i]);
        *at++ = '.';
    }
    return at - 1;
}

static char *put_six(char *at, const uint8_t *b)
{
    *at++ = '[';
    (void)inet_ntop(AF_INET6, b, at, INET6_ADDRSTRLEN);
    at += strlen(at);
    *at++ = ']';
    return at;
}

void address_text(const struct address *address, uint16_t port, char out[ADDRESS_TEXT])
{
    char *at = address->six ? put_six(out, address->b) : put_four(out, address->b);

    *at++ = ':';
    *put_digits(at, port) = '\0';
}

bool address_of_socket(const struct sockaddr *from, struct address *out, uint16_t *port)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    *out = (struct address){ .six = from->sa_family == AF_INET6 };
    if (from->sa_family == AF_INET) {
        memcpy(&four, from, sizeof four);
        memcpy(out->b, &four.sin_addr, 4);
        *port = ntohs(four.sin_port);
        return true;
    }
    if (!out->six)
        return false;
    memcpy(&six, from, sizeof six);
    memcpy(out->b, &six.sin6_addr, sizeof out->b);
    *port = ntohs(six.sin6_port);
    return true;
}

/* ---- which are reached ---- */

struct range {
    struct address net;
    int bits;
    enum address_reach reach;
    const char *why;
};

/* The first row that holds decides; IPv6 addresses that stand for one of IPv4 are judged as that.
 */
/* clang-format off */
#define FOUR(a, b, c, d) { false, { a, b, c, d } }
#define SIX(...) { true, { __VA_ARGS__ } }
static const struct range ranges[] = {
    { FOUR(169, 254, 169, 254),  32, ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(169, 254, 170, 2),    32, ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(100, 100, 100, 200),  32, ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(168, 63, 129, 16),    32, ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(192, 0, 0, 192),      32, ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(0, 0, 0, 0),           8, ADDRESS_NEVER,    "its address is not one that can be called" },
    { FOUR(10, 0, 0, 0),          8, ADDRESS_NAMED,    "its address is private" },
    { FOUR(100, 64, 0, 0),       10, ADDRESS_NAMED,    "its address is a provider's own" },
    { FOUR(127, 0, 0, 0),         8, ADDRESS_LOOPBACK, "its address is this machine's" },
    { FOUR(169, 254, 0, 0),      16, ADDRESS_NAMED,    "its address is link-local" },
    { FOUR(172, 16, 0, 0),       12, ADDRESS_NAMED,    "its address is private" },
    { FOUR(192, 0, 0, 0),        24, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(192, 0, 2, 0),        24, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(192, 88, 99, 0),      24, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(192, 168, 0, 0),      16, ADDRESS_NAMED,    "its address is private" },
    { FOUR(198, 18, 0, 0),       15, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(198, 51, 100, 0),     24, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(203, 0, 113, 0),      24, ADDRESS_NAMED,    "its address is reserved" },
    { FOUR(224, 0, 0, 0),         4, ADDRESS_NEVER,    "its address is not one that can be called" },
    { FOUR(240, 0, 0, 0),         4, ADDRESS_NEVER,    "its address is not one that can be called" },

    { SIX(0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), 128,
                                     ADDRESS_NAMED,    "its address is a cloud's metadata service" },
    { SIX(0),                   128, ADDRESS_NEVER,    "its address is not one that can be called" },
    { SIX(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 128,
                                     ADDRESS_LOOPBACK, "its address is this machine's" },
    { SIX(0, 0x64, 0xff, 0x9b, 0, 1), 48, ADDRESS_NAMED, "its address is private" },
    { SIX(0x01, 0),               8, ADDRESS_NAMED,    "its address is reserved" },
    { SIX(0x20, 0x01, 0, 0),     23, ADDRESS_NAMED,    "its address is reserved" },
    { SIX(0x20, 0x01, 0x0d, 0xb8), 32, ADDRESS_NAMED,  "its address is reserved" },
    { SIX(0x3f, 0xff),           20, ADDRESS_NAMED,    "its address is reserved" },
    { SIX(0x5f, 0),              16, ADDRESS_NAMED,    "its address is reserved" },
    { SIX(0xfc, 0),               7, ADDRESS_NAMED,    "its address is private" },
    { SIX(0xfe, 0x80),           10, ADDRESS_NAMED,    "its address is link-local" },
    { SIX(0xfe, 0xc0),           10, ADDRESS_NAMED,    "its address is private" },
    { SIX(0xff, 0),               8, ADDRESS_NEVER,    "its address is not one that can be called" },
};

/* Addresses of IPv6 with one of IPv4 in them, and where it stands. */
static const struct {
    struct address net;
    int bits, at;
} inner[] = {
    { SIX(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),       96, 12 }, /* mapped */
    { SIX(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0),       96, 12 }, /* translated */
    { SIX(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0),    96, 12 }, /* NAT64 */
    { SIX(0x20, 0x02),                                     16,  2 }, /* 6to4 */
    { SIX(0),                                              96, 12 }, /* compatible; not :: and ::1 */
};
#undef FOUR
#undef SIX
/* clang-format on */

static bool is_within(const struct address *net, int bits, const struct address *address)
{
    int bytes = bits / 8, rest = bits % 8;

    if (net->six != address->six || memcmp(net->b, address->b, (size_t)bytes) != 0)
        return false;
    return rest == 0 || (net->b[bytes] ^ address->b[bytes]) >> (8 - rest) == 0;
}

static const struct range *range_of(const struct address *address)
{
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (is_within(&ranges[i].net, ranges[i].bits, address))
            return &ranges[i];
    return NULL;
}

static bool is_small(const struct address *address)
{
    static const uint8_t zeros[15];

    return address->six && memcmp(address->b, zeros, sizeof zeros) == 0 && address->b[15] < 2;
}

/* The address that is really called. */
struct address address_meant(const struct address *address)
{
    struct address four = { 0 };

    for (size_t i = 0; i < COUNT(inner) && !is_small(address); i++) {
        if (!is_within(&inner[i].net, inner[i].bits, address))
            continue;
        memcpy(four.b, address->b + inner[i].at, 4);
        return four;
    }
    return *address;
}

struct address address_unmapped(const struct address *address)
{
    return is_within(&inner[0].net, inner[0].bits, address) ? address_meant(address) : *address;
}

bool address_same(const struct address *a, const struct address *b)
{
    return a->six == b->six && memcmp(a->b, b->b, a->six ? 16 : 4) == 0;
}

enum address_reach address_reach(const struct address *address, const char **why)
{
    struct address real = address_meant(address);
    const struct range *range = range_of(&real);

    *why = range ? range->why : "its address is public";
    return range ? range->reach : ADDRESS_PUBLIC;
}

bool address_is_loopback(const struct address *address)
{
    const char *why;

    return address_reach(address, &why) == ADDRESS_LOOPBACK;
}
