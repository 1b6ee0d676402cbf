/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_uri.c: takes URIs apart and puts them together again. */
#include "base/jsonschema_uri.h"

#include "base/num.h"

/* Each part with the mark that begins or ends it: "http:", "//host", "/path", "?query", "#frag". */
struct uri {
    struct str scheme, host, path, query, fragment;
};

static struct str cut(struct str *rest, size_t n)
{
    struct str part = { rest->s, n };

    *rest = (struct str){ rest->s + n, rest->n - n };
    return part;
}

/* How much stands before the first of these marks. */
static size_t until(struct str text, const char *marks)
{
    size_t n = 0;

    while (n < text.n && !is_one_of(text.s[n], marks))
        n++;
    return n;
}

static bool is_letter(char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static struct uri take_apart(struct str text)
{
    struct uri u = { 0 };
    size_t n = until(text, ":/?#");

    if (n > 0 && n < text.n && text.s[n] == ':' && is_letter(text.s[0]))
        u.scheme = cut(&text, n + 1);
    if (str_begins(text, "//")) {
        struct str rest = { text.s + 2, text.n - 2 };

        u.host = cut(&text, 2 + until(rest, "/?#"));
    }
    u.path = cut(&text, until(text, "?#"));
    u.query = cut(&text, until(text, "#"));
    u.fragment = text;
    return u;
}

/* Where the last segment of what is written begins; a '/' before it goes with it. */
static size_t last_segment(const char *s, size_t from, size_t to)
{
    while (to > from && s[to - 1] != '/')
        to--;
    return to > from ? to - 1 : from;
}

/* RFC 3986, 5.2.4: "." and ".." do what they say and are gone. */
static size_t without_dots(struct str path, char *to)
{
    size_t n = 0;

    while (path.n > 0) {
        size_t slash = path.s[0] == '/';
        struct str rest = { path.s + slash, path.n - slash }, segment;
        size_t len = until(rest, "/");
        bool last = len == rest.n;

        segment = (struct str){ rest.s, len };
        (void)cut(&path, slash + len);
        if (str_is(segment, "..")) {
            n = last_segment(to, 0, n);
        } else if (!str_is(segment, ".")) {
            if (slash)
                to[n++] = '/';
            if (len > 0)
                memcpy(to + n, segment.s, len);
            n += len;
            continue;
        }
        if (last && (slash || n > 0))
            to[n++] = '/';
        else if (n == 0 && !slash && path.n > 0)
            (void)cut(&path, 1); /* "../x" without a base is "x" */
    }
    return n;
}

static void add(char *to, size_t *n, struct str part)
{
    if (part.n > 0)
        memcpy(to + *n, part.s, part.n);
    *n += part.n;
}

/* The path of the base up to its last '/', and the reference's behind it. */
static struct str merged(const struct uri *base, struct str path, struct arena *a)
{
    char *text = arena_alloc(a, base->path.n + path.n + 2);
    size_t n = base->path.n;

    while (n > 0 && base->path.s[n - 1] != '/')
        n--;
    if (n > 0)
        memcpy(text, base->path.s, n);
    else if (base->host.n > 0 && base->path.n == 0)
        text[n++] = '/';
    add(text, &n, path);
    return (struct str){ text, n };
}

struct str uri_resolve(struct str base, struct str reference, struct arena *a)
{
    struct uri b = take_apart(base), r = take_apart(reference);
    char *text = arena_alloc(a, base.n + reference.n + 4);
    size_t n = 0;
    bool dots = r.path.n > 0;

    if (r.scheme.n == 0) {
        r.scheme = b.scheme;
        if (r.host.n == 0) {
            r.host = b.host;
            if (r.path.n == 0 && r.query.n == 0)
                r.query = b.query;
            if (r.path.n == 0)
                r.path = b.path;
            else if (r.path.s[0] != '/')
                r.path = merged(&b, r.path, a);
        }
    }
    add(text, &n, r.scheme);
    add(text, &n, r.host);
    if (dots)
        n += without_dots(r.path, text + n);
    else
        add(text, &n, r.path);
    add(text, &n, r.query);
    add(text, &n, r.fragment);
    return (struct str){ text, n };
}

struct str uri_part(struct str uri, struct str *fragment)
{
    size_t n = until(uri, "#");

    *fragment = n < uri.n ? (struct str){ uri.s + n + 1, uri.n - n - 1 } : (struct str){ "", 0 };
    return (struct str){ uri.s, n };
}

struct str uri_decode(struct str text, struct arena *a)
{
    char *out = arena_alloc(a, text.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++) {
        bool escape = text.s[i] == '%' && text.n - i > 2 && num_hex(text.s[i + 1]) >= 0 &&
                      num_hex(text.s[i + 2]) >= 0;

        out[n++] =
            escape ? (char)(num_hex(text.s[i + 1]) * 16 + num_hex(text.s[i + 2])) : text.s[i];
        i += escape ? 2 : 0;
    }
    return (struct str){ out, n };
}
