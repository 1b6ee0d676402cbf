/* SPDX-License-Identifier: Apache-2.0 */
/* host.h: the host of a URL, and whether an entry of a list of hosts means it. */
#pragma once

#include "base/own.h"
#include "base/str.h"

struct url_parts {
    bool tls;
    struct str host;      /* "example.org", "[::1]": without its port */
    struct str port;      /* "8443"; no text: none is said */
    struct str authority; /* both, as they are written */
    struct str rest;      /* "/v1", "" */
};

/* False: it does not begin with https:// or http:// and a host. */
bool url_split(struct str url, struct url_parts *out) NODISCARD;

/* The same of an MCP server: ws:// and wss:// are http:// and https:// until they are open. */
bool url_split_server(struct str url, struct url_parts *out) NODISCARD;

/* Is it this machine: localhost, 127.x.x.x, [::1]? */
bool host_loopback(struct str host);

/* An address, and no name? */
bool host_is_address(struct str host);

/* Does an entry such as "example.org", "*.example.org" (below it), "example.org:8443" mean the
 * host? One without a port means every port. */
bool host_fits(struct str entry, const struct url_parts *url);

/* May the URL be reached by that entry of a list, as writ-http decides it? An address is meant
 * however it is written, and `localhost` means this machine. */
bool host_reached(struct str entry, const struct url_parts *url);
