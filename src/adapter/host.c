/* SPDX-License-Identifier: Apache-2.0 */
/* host.c: takes URLs apart and holds hosts against the entries of a list. */
#include "adapter/host.h"

#include "base/num.h"
#include "contract/hosts.h"

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
    *port = str_from(authority, n + 1);
    return authority.s[n] == ':' && port->n > 0;
}

static bool split_behind(struct str behind, bool tls, struct url_parts *out)
{
    size_t n = 0;

    while (n < behind.n && !is_one_of(behind.s[n], "/?#"))
        n++;
    *out =
        (struct url_parts){ .tls = tls, .authority = { behind.s, n }, .rest = str_from(behind, n) };
    /* A user name before the host would make another host look like this one. */
    if (memchr(behind.s, '@', n) || memchr(behind.s, '\\', n))
        return false;
    return split_authority(out->authority, &out->host, &out->port);
}

bool url_split(struct str url, struct url_parts *out)
{
    bool tls = str_begins(url, "https://");

    return (tls || str_begins(url, "http://")) &&
           split_behind(str_from(url, tls ? 8 : 7), tls, out);
}

bool url_split_server(struct str url, struct url_parts *out)
{
    bool tls = str_begins(url, "wss://");

    if (!tls && !str_begins(url, "ws://"))
        return url_split(url, out);
    return split_behind(str_from(url, tls ? 6 : 5), tls, out);
}

static struct str without_brackets(struct str host)
{
    return host.n > 2 && host.s[0] == '[' ? (struct str){ host.s + 1, host.n - 2 } : host;
}

bool host_loopback(struct str host)
{
    struct address address;

    if (str_cmp_letters(host, str_of("localhost")) == 0)
        return true;
    return address_read(without_brackets(host), &address) && address_is_loopback(&address);
}

bool host_is_address(struct str host)
{
    struct address address;

    return address_read(without_brackets(host), &address);
}

static bool has_port(const struct url_parts *url, uint16_t port)
{
    int64_t said = url->tls ? 443 : 80;

    return (url->port.n == 0 || num_int(url->port, &said)) && said == port;
}

bool host_fits(struct str entry, const struct url_parts *url)
{
    struct host_entry e;

    return host_entry_read(entry, &e) && (!e.port || has_port(url, e.port)) &&
           host_entry_names(&e, without_brackets(url->host));
}

bool host_reached(struct str entry, const struct url_parts *url)
{
    struct host_entry e;
    struct host host;

    if (host_read(without_brackets(url->host), 0, &host) != NULL || !host_entry_read(entry, &e) ||
        (e.port && !has_port(url, e.port)))
        return false;
    return host.is_address ? host_entry_has_address(&e, &host.address)
                           : host_entry_names(&e, (struct str){ host.name, host.length });
}
