/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: reads URLs: strictly, so that there is one reading. */
#include "adapter/http/policy.h"
#include "base/num.h"
#include "contract/forms.h"
#include "contract/hosts.h"

enum { URL_MAX = 64 << 10 };

/* clang-format off */
static const struct {
    const char *begins;
    bool tls, socket;
    uint16_t port;
} schemes[] = {
    { "http://",  false, false, 80 },
    { "https://", true,  false, 443 },
    { "ws://",    false, true,  80 },
    { "wss://",   true,  true,  443 },
};
/* clang-format on */

static const char *read_host(struct str *rest, struct http_place *out)
{
    size_t n = 0;

    if (rest->n > 0 && rest->s[0] == '[') {
        const char *end = memchr(rest->s, ']', rest->n);

        if (!end)
            return "its host has no ']'";
        out->host = (struct str){ rest->s + 1, (size_t)(end - rest->s) - 1 };
        out->is_address = address_read_six(out->host, &out->address);
        *rest = (struct str){ end + 1, (size_t)(rest->s + rest->n - end) - 1 };
        return out->is_address ? NULL : "its host is no address between '[' and ']'";
    }
    while (n < rest->n && !is_one_of(rest->s[n], ":/?#"))
        n++;
    out->host = (struct str){ rest->s, n };
    *rest = (struct str){ rest->s + n, rest->n - n };
    out->is_address = address_read_four(out->host, &out->address);
    return out->is_address ? NULL : host_name_wrong(out->host);
}

static const char *read_port(struct str *rest, struct http_place *out)
{
    size_t n = 1;
    int64_t port;

    if (rest->n == 0 || rest->s[0] != ':')
        return NULL;
    while (n < rest->n && rest->s[n] >= '0' && rest->s[n] <= '9')
        n++;
    if (!num_int((struct str){ rest->s + 1, n - 1 }, &port) || port < 1 || port > UINT16_MAX)
        return "its port is not 1 to 65535";
    out->port = (uint16_t)port;
    *rest = (struct str){ rest->s + n, rest->n - n };
    return NULL;
}

/* What is behind the host is sent as it is: no byte of it may end the line. */
static const char *read_path(struct str rest, struct http_place *out)
{
    if (rest.n > 0 && !is_one_of(rest.s[0], "/?"))
        return "behind its host stands neither '/' nor '?'";
    for (size_t i = 0; i < rest.n; i++)
        if ((unsigned char)rest.s[i] <= ' ' || (unsigned char)rest.s[i] >= 0x7f ||
            is_one_of(rest.s[i], "\\#\"<>"))
            return "its path has a character that must be written as %XX";
    out->path = rest;
    return NULL;
}

const char *http_place_read(struct str url, struct http_place *out)
{
    struct http_place place = { 0 };
    struct str rest = { 0 };
    const char *why;

    if (url.n > URL_MAX)
        return "it is too long";
    for (size_t i = 0; i < COUNT(schemes); i++) {
        size_t n = strlen(schemes[i].begins);

        if (!str_begins(url, schemes[i].begins))
            continue;
        place.tls = schemes[i].tls;
        place.socket = schemes[i].socket;
        place.port = schemes[i].port;
        rest = (struct str){ url.s + n, url.n - n };
    }
    if (!rest.s)
        return "its scheme is not http or https";
    if (url_has_login(url))
        return "it has a user name or a password in it";
    why = read_host(&rest, &place);
    why = why ? why : read_port(&rest, &place);
    why = why ? why : read_path(rest, &place);
    if (!why)
        *out = place;
    return why;
}

bool http_same_place(const struct http_place *a, const struct http_place *b)
{
    return a->tls == b->tls && a->socket == b->socket && a->port == b->port &&
           str_cmp_letters(a->host, b->host) == 0;
}
