/* SPDX-License-Identifier: Apache-2.0 */
/* http_place.c: reads URLs and addresses: strictly, so that there is one reading. */
#include <arpa/inet.h>
#include <assert.h>

#include "adapter/http_policy.h"
#include "base/num.h"

enum { URL_MAX = 64 << 10, HOST_MAX = 253 };

static_assert(INET6_ADDRSTRLEN + sizeof "[]:65535" <= HTTP_ADDRESS_TEXT, "every address fits");

/* ---- addresses ---- */

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
static bool read_four(struct str text, struct http_address *out)
{
    struct http_address four = { 0 };

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

static bool read_six(struct str text, struct http_address *out)
{
    struct http_address six = { .six = true };
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

bool http_address_read(struct str text, struct http_address *out)
{
    return read_four(text, out) || read_six(text, out);
}

void http_address_text(const struct http_address *address, uint16_t port,
                       char out[HTTP_ADDRESS_TEXT])
{
    char *at = out, digits[6];
    size_t n = 0;

    if (address->six)
        *at++ = '[';
    (void)inet_ntop(address->six ? AF_INET6 : AF_INET, address->b, at, INET6_ADDRSTRLEN);
    at += strlen(at);
    if (address->six)
        *at++ = ']';
    *at++ = ':';
    do
        digits[n++] = (char)('0' + port % 10);
    while ((port = (uint16_t)(port / 10)) > 0);
    while (n > 0)
        *at++ = digits[--n];
    *at = '\0';
}

/* ---- URLs ---- */

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

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of(c, "-._");
}

/* Dots stand between labels, which are not empty. The last label of a name has a letter first: what
 * looks like a number anywhere is read as an address by somebody. */
static const char *check_name(struct str host)
{
    size_t label = 0;

    if (host.n == 0 || host.n > HOST_MAX)
        return "its host is empty or too long";
    for (size_t i = 0; i < host.n; i++) {
        if (!is_name_char(host.s[i]))
            return "its host has a character that is not allowed (names outside ASCII are written "
                   "as xn--..)";
        if (host.s[i] != '.')
            continue;
        if (i == label || i + 1 == host.n)
            return "its host has an empty part";
        label = i + 1;
    }
    if (host.s[label] >= '0' && host.s[label] <= '9')
        return "its host is an address in an unusual form";
    return NULL;
}

static const char *read_host(struct str *rest, struct http_place *out)
{
    size_t n = 0;

    if (rest->n > 0 && rest->s[0] == '[') {
        const char *end = memchr(rest->s, ']', rest->n);

        if (!end)
            return "its host has no ']'";
        out->host = (struct str){ rest->s + 1, (size_t)(end - rest->s) - 1 };
        out->is_address = read_six(out->host, &out->address);
        *rest = (struct str){ end + 1, (size_t)(rest->s + rest->n - end) - 1 };
        return out->is_address ? NULL : "its host is no address between '[' and ']'";
    }
    while (n < rest->n && !is_one_of(rest->s[n], ":/?#"))
        n++;
    out->host = (struct str){ rest->s, n };
    *rest = (struct str){ rest->s + n, rest->n - n };
    out->is_address = read_four(out->host, &out->address);
    return out->is_address ? NULL : check_name(out->host);
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
