/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h: which hosts and which addresses may be reached. Pure: nothing is looked up here.
 *
 * A URL is read strictly: only what every reader of URLs reads alike is taken, so that the host
 * that was judged is the host that is spoken to.
 */
#pragma once

#include <stdint.h>

#include "adapter/http.h"
#include "contract/addresses.h"

struct http_place {
    bool tls, socket; /* https or wss; ws or wss */
    struct str host;  /* without the brackets of an IPv6 address */
    uint16_t port;
    struct str path; /* and the query; may be empty */
    bool is_address;
    struct address address;
};

/* NULL, or why the text is no URL that is asked for. */
const char *http_place_read(struct str url, struct http_place *out);

/* The same scheme, host and port. */
bool http_same_place(const struct http_place *a, const struct http_place *b);

struct http_policy {
    struct http_hosts hosts;
    bool plain;
};

/* NULL, or why the host of that place may not be reached, whatever its address. */
const char *http_refuses_host(const struct http_policy *policy, const struct http_place *place);

/* NULL, or why that name may not be left to a proxy, which looks it up by itself. */
const char *http_refuses_proxy(const struct http_policy *policy, const struct http_place *place);

/* NULL, or why no connection may be made to that address for the sake of that place. */
const char *http_refuses_address(const struct http_policy *policy, const struct http_place *place,
                                 const struct address *address);
