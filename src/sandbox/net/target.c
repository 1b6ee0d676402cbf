/* SPDX-License-Identifier: Apache-2.0 */
/* target.c: reads where a request wants to go. */
#include "base/num.h"
#include "sandbox/net/head.h"

/* "host", "host:port", "[v6]:port". What stands before the port is host_read()'s to judge. */
static const char *read_authority(struct str text, uint16_t usual, struct target *out)
{
    const char *colon = text.n ? memrchr(text.s, ':', text.n) : NULL;
    const char *bracket = text.n ? memchr(text.s, ']', text.n) : NULL;
    struct str name = text;
    int64_t port = usual;

    if (text.n && memchr(text.s, '@', text.n))
        return "a user or a password stands before its host";
    out->says_port = colon && (!bracket || colon > bracket);
    if (out->says_port) {
        name.n = (size_t)(colon - text.s);
        if (!num_int(str_from(text, name.n + 1), &port) || port < 1 || port > UINT16_MAX)
            return "its port is not 1 to 65535";
    }
    if (port == 0)
        return "it has no port";
    if (name.n && name.s[0] != '[' && memchr(name.s, ':', name.n))
        return "an address of IPv6 stands between '[' and ']'";
    return host_read(name, (uint16_t)port, &out->host);
}

const char *target_read_authority(struct str text, struct target *out)
{
    *out = (struct target){ 0 };
    return read_authority(text, 0, out);
}

/* What is behind the host is sent as it is: no byte of it may be read in two ways. */
static const char *check_path(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if ((unsigned char)path.s[i] <= ' ' || (unsigned char)path.s[i] >= 0x7f ||
            is_one_of(path.s[i], "\\#"))
            return "its path has a character that must be written as %XX";
    return NULL;
}

const char *target_read(struct str text, struct target *out)
{
    size_t scheme = 7, n = 0;
    const char *why;
    struct str rest;

    *out = (struct target){ 0 };
    if (text.n >= 8 && str_cmp_letters((struct str){ text.s, 8 }, str_of("https://")) == 0)
        scheme = 8;
    else if (text.n < 7 || str_cmp_letters((struct str){ text.s, 7 }, str_of("http://")) != 0)
        return "it is no URL that begins with http://";
    out->tls = scheme == 8;
    rest = str_from(text, scheme);
    while (n < rest.n && !is_one_of(rest.s[n], "/?#\\"))
        n++;
    out->path = str_from(rest, n);
    why = read_authority((struct str){ rest.s, n }, out->tls ? 443 : 80, out);
    return why ? why : check_path(out->path);
}

/* Where it ends is not known, and a password may be what looks like a port; only what is an address
 * of IPv6 at most, or stands between brackets, keeps its colons. */
struct str target_host_told(struct str text)
{
    static const char six[] = "0123456789abcdefABCDEF:.[]";
    const char *scheme = text.n ? memmem(text.s, text.n, "://", 3) : NULL;
    const char *user, *end;
    size_t n = 0;

    if (scheme)
        text = str_from(text, (size_t)(scheme - text.s) + 3);
    text = str_cut(&text, "/?#\\");
    user = text.n ? memrchr(text.s, '@', text.n) : NULL;
    if (user)
        text = str_from(text, (size_t)(user - text.s) + 1);
    while (n < text.n && is_one_of(text.s[n], six))
        n++;
    end = n < text.n && text.s[0] == '[' ? memchr(text.s, ']', text.n) : NULL;
    if (end)
        return (struct str){ text.s, (size_t)(end - text.s) + 1 };
    return n == text.n ? text : str_cut(&text, ":");
}
