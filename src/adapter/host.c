/* SPDX-License-Identifier: Apache-2.0 */
/* host.c: takes URLs apart and holds hosts against the entries of a list. */
#include "adapter/host.h"

static struct str from(struct str t, size_t n)
{
    return (struct str){ t.s + n, t.n - n };
}

/* The host at the beginning: up to its port, or of an address in brackets up to the bracket. */
static size_t host_length(struct str authority)
{
    size_t n = 0;

    if (authority.n && authority.s[0] == '[') {
        while (n < authority.n && authority.s[n] != ']')
            n++;
        return n < authority.n ? n + 1 : 0;
    }
    while (n < authority.n && authority.s[n] != ':')
        n++;
    return n;
}

static bool split_authority(struct str authority, struct str *host, struct str *port)
{
    size_t n = host_length(authority);

    if (n == 0)
        return false;
    *host = (struct str){ authority.s, n };
    *port = (struct str){ "", 0 };
    if (n == authority.n)
        return true;
    *port = from(authority, n + 1);
    return authority.s[n] == ':' && port->n > 0;
}

bool url_split(struct str url, struct url_parts *out)
{
    bool tls = str_begins(url, "https://");
    size_t n = 0;
    struct str behind;

    if (!tls && !str_begins(url, "http://"))
        return false;
    behind = from(url, tls ? 8 : 7);
    while (n < behind.n && !is_one_of(behind.s[n], "/?#"))
        n++;
    *out = (struct url_parts){ .tls = tls, .authority = { behind.s, n }, .rest = from(behind, n) };
    /* A user name before the host would make another host look like this one. */
    if (memchr(behind.s, '@', n) || memchr(behind.s, '\\', n))
        return false;
    return split_authority(out->authority, &out->host, &out->port);
}

static bool same(struct str a, struct str b)
{
    return a.n == b.n && str_cmp_letters(a, b) == 0;
}

bool host_loopback(struct str host)
{
    static const char digits[] = "0123456789.";
    size_t dots = 0;

    if (same(host, str_of("localhost")) || str_is(host, "[::1]"))
        return true;
    if (!str_begins(host, "127."))
        return false;
    for (size_t i = 0; i < host.n; i++) {
        if (!is_one_of(host.s[i], digits))
            return false;
        dots += host.s[i] == '.';
    }
    return dots == 3;
}

static struct str usual_port(const struct url_parts *url)
{
    if (url->port.n)
        return url->port;
    return url->tls ? str_of("443") : str_of("80");
}

bool host_fits(struct str entry, const struct url_parts *url)
{
    struct str host, port, tail;

    if (!split_authority(entry, &host, &port))
        return false;
    if (port.n && !str_eq(port, usual_port(url)))
        return false;
    if (!str_begins(host, "*."))
        return same(host, url->host);
    tail = from(host, 1);
    return url->host.n > tail.n && same(from(url->host, url->host.n - tail.n), tail);
}
