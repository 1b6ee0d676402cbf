/* SPDX-License-Identifier: Apache-2.0 */
/* http_policy.c: the entries of a list of hosts, and the addresses nobody reaches by accident. */
#include "adapter/http_policy.h"

#include "base/num.h"

/* ---- addresses ---- */

enum reach {
    REACH_PUBLIC,
    REACH_LOOPBACK, /* by `localhost`, or by its very address */
    REACH_NAMED,    /* by its very address */
    REACH_NEVER,
};

struct range {
    struct http_address net;
    int bits;
    enum reach reach;
    const char *why;
};

/* The first row that holds decides; IPv6 addresses that stand for one of IPv4 are judged as that.
 */
/* clang-format off */
#define FOUR(a, b, c, d) { false, { a, b, c, d } }
#define SIX(...) { true, { __VA_ARGS__ } }
static const struct range ranges[] = {
    { FOUR(169, 254, 169, 254),  32, REACH_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(169, 254, 170, 2),    32, REACH_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(100, 100, 100, 200),  32, REACH_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(168, 63, 129, 16),    32, REACH_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(192, 0, 0, 192),      32, REACH_NAMED,    "its address is a cloud's metadata service" },
    { FOUR(0, 0, 0, 0),           8, REACH_NEVER,    "its address is not one that can be called" },
    { FOUR(10, 0, 0, 0),          8, REACH_NAMED,    "its address is private" },
    { FOUR(100, 64, 0, 0),       10, REACH_NAMED,    "its address is a provider's own" },
    { FOUR(127, 0, 0, 0),         8, REACH_LOOPBACK, "its address is this machine's" },
    { FOUR(169, 254, 0, 0),      16, REACH_NAMED,    "its address is link-local" },
    { FOUR(172, 16, 0, 0),       12, REACH_NAMED,    "its address is private" },
    { FOUR(192, 0, 0, 0),        24, REACH_NAMED,    "its address is reserved" },
    { FOUR(192, 0, 2, 0),        24, REACH_NAMED,    "its address is reserved" },
    { FOUR(192, 88, 99, 0),      24, REACH_NAMED,    "its address is reserved" },
    { FOUR(192, 168, 0, 0),      16, REACH_NAMED,    "its address is private" },
    { FOUR(198, 18, 0, 0),       15, REACH_NAMED,    "its address is reserved" },
    { FOUR(198, 51, 100, 0),     24, REACH_NAMED,    "its address is reserved" },
    { FOUR(203, 0, 113, 0),      24, REACH_NAMED,    "its address is reserved" },
    { FOUR(224, 0, 0, 0),         4, REACH_NEVER,    "its address is not one that can be called" },
    { FOUR(240, 0, 0, 0),         4, REACH_NEVER,    "its address is not one that can be called" },

    { SIX(0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), 128,
                                     REACH_NAMED,    "its address is a cloud's metadata service" },
    { SIX(0),                   128, REACH_NEVER,    "its address is not one that can be called" },
    { SIX(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 128,
                                     REACH_LOOPBACK, "its address is this machine's" },
    { SIX(0, 0x64, 0xff, 0x9b, 0, 1), 48, REACH_NAMED, "its address is private" },
    { SIX(0x01, 0),               8, REACH_NAMED,    "its address is reserved" },
    { SIX(0x20, 0x01, 0, 0),     23, REACH_NAMED,    "its address is reserved" },
    { SIX(0x20, 0x01, 0x0d, 0xb8), 32, REACH_NAMED,  "its address is reserved" },
    { SIX(0x3f, 0xff),           20, REACH_NAMED,    "its address is reserved" },
    { SIX(0x5f, 0),              16, REACH_NAMED,    "its address is reserved" },
    { SIX(0xfc, 0),               7, REACH_NAMED,    "its address is private" },
    { SIX(0xfe, 0x80),           10, REACH_NAMED,    "its address is link-local" },
    { SIX(0xfe, 0xc0),           10, REACH_NAMED,    "its address is private" },
    { SIX(0xff, 0),               8, REACH_NEVER,    "its address is not one that can be called" },
};

/* Addresses of IPv6 with one of IPv4 in them, and where it stands. */
static const struct {
    struct http_address net;
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

static bool is_within(const struct http_address *net, int bits, const struct http_address *address)
{
    int bytes = bits / 8, rest = bits % 8;

    if (net->six != address->six || memcmp(net->b, address->b, (size_t)bytes) != 0)
        return false;
    return rest == 0 || (net->b[bytes] ^ address->b[bytes]) >> (8 - rest) == 0;
}

static const struct range *range_of(const struct http_address *address)
{
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (is_within(&ranges[i].net, ranges[i].bits, address))
            return &ranges[i];
    return NULL;
}

static bool is_small(const struct http_address *address)
{
    static const uint8_t zeros[15];

    return address->six && memcmp(address->b, zeros, sizeof zeros) == 0 && address->b[15] < 2;
}

/* The address that is really called. */
static struct http_address meant(const struct http_address *address)
{
    struct http_address four = { 0 };

    for (size_t i = 0; i < COUNT(inner) && !is_small(address); i++) {
        if (!is_within(&inner[i].net, inner[i].bits, address))
            continue;
        memcpy(four.b, address->b + inner[i].at, 4);
        return four;
    }
    return *address;
}

static bool is_same(const struct http_address *a, const struct http_address *b)
{
    return a->six == b->six && memcmp(a->b, b->b, a->six ? 16 : 4) == 0;
}

bool http_is_loopback(const struct http_address *address)
{
    struct http_address real = meant(address);
    const struct range *range = range_of(&real);

    return range && range->reach == REACH_LOOPBACK;
}

/* ---- the list ---- */

/* "host", "host:port", "[v6]", "[v6]:port", "v6". */
static bool entry_read(struct str entry, struct str *host, int64_t *port)
{
    struct http_address any;
    const char *colon = entry.n ? memrchr(entry.s, ':', entry.n) : NULL;
    const char *bracket = entry.n ? memchr(entry.s, ']', entry.n) : NULL;

    *port = 0;
    *host = entry;
    if (http_address_read(entry, &any))
        return true;
    if (colon && (!bracket || colon > bracket)) {
        struct str digits = { colon + 1, (size_t)(entry.s + entry.n - colon) - 1 };

        if (!num_int(digits, port) || *port < 1 || *port > UINT16_MAX)
            return false;
        host->n = (size_t)(colon - entry.s);
    }
    if (host->n > 2 && host->s[0] == '[' && host->s[host->n - 1] == ']')
        *host = (struct str){ host->s + 1, host->n - 2 };
    return host->n > 0;
}

/* "*.example.org" is every name below, and not example.org itself. */
static bool names_host(struct str pattern, struct str host)
{
    if (!str_begins(pattern, "*."))
        return str_cmp_letters(pattern, host) == 0;
    pattern = (struct str){ pattern.s + 1, pattern.n - 1 };
    return pattern.n > 1 && host.n > pattern.n &&
           str_cmp_letters((struct str){ host.s + host.n - pattern.n, pattern.n }, pattern) == 0;
}

static bool entry_has_address(struct str entry, uint16_t port, const struct http_address *address)
{
    struct http_address theirs, real = meant(address);
    struct str host;
    int64_t only;

    if (!entry_read(entry, &host, &only) || (only && only != port))
        return false;
    if (str_cmp_letters(host, str_of("localhost")) == 0)
        return http_is_loopback(address);
    if (!http_address_read(host, &theirs))
        return false;
    return is_same(&theirs, address) || is_same(&theirs, &real);
}

static bool entry_has_place(struct str entry, const struct http_place *place)
{
    struct str host;
    int64_t only;

    if (place->is_address)
        return entry_has_address(entry, place->port, &place->address);
    return entry_read(entry, &host, &only) && (!only || only == place->port) &&
           names_host(host, place->host);
}

const char *http_refuses_host(const struct http_policy *policy, const struct http_place *place)
{
    for (size_t i = 0; i < policy->host_count; i++)
        if (entry_has_place(policy->hosts[i], place))
            return NULL;
    return "it is not in the list of hosts";
}

const char *http_refuses_address(const struct http_policy *policy, const struct http_place *place,
                                 const struct http_address *address)
{
    struct http_address real = meant(address);
    const struct range *range = range_of(&real);

    if (range && range->reach == REACH_NEVER)
        return range->why;
    if (!place->tls && !policy->plain && !(range && range->reach == REACH_LOOPBACK))
        return "plain http is spoken with this machine only; https is needed";
    for (size_t i = 0; i < policy->host_count && range; i++)
        if (entry_has_address(policy->hosts[i], place->port, address))
            return NULL;
    return range ? range->why : NULL;
}
