/* SPDX-License-Identifier: Apache-2.0 */
/* opening.c: reads the hello of TLS as far as the name in it (RFC 8446 4.1.2, RFC 6066 3). */
#include "sandbox/net/opening.h"

enum {
    RECORD_HANDSHAKE = 22,
    RECORD_HEAD = 5,
    RECORD_MOST = 1 << 14,
    HELLO_CLIENT = 1,
    HELLO_HEAD = 4,
    HELLO_FIXED = 2 + 32, /* its version and its chance */
    EXTENSION_NAME = 0,
    EXTENSION_HIDDEN = 0xfe0d,      /* an encrypted hello inside: its name is the one that counts */
    EXTENSION_HIDDEN_NAME = 0xffce, /* the same, as it was before */
    NAME_HOST = 0,
};

/* What is left to read; a length that leads beyond it makes all of it wrong. */
struct rest {
    const uint8_t *at;
    size_t n;
    bool wrong;
};

static struct rest cut(struct rest *r, size_t n)
{
    struct rest part = { r->at, n, r->wrong || n > r->n };

    r->wrong = part.wrong;
    if (part.wrong)
        return (struct rest){ .wrong = true };
    r->at += n;
    r->n -= n;
    return part;
}

static size_t number(struct rest *r, size_t bytes)
{
    struct rest part = cut(r, bytes);
    size_t v = 0;

    for (size_t i = 0; i < part.n; i++)
        v = v << 8 | part.at[i];
    return v;
}

/* A list that says its own length first. */
static struct rest list(struct rest *r, size_t bytes)
{
    return cut(r, number(r, bytes));
}

/* ---- records ---- */

/* The hello without the heads of its records, in `hello`; a hello may be in several. */
static enum opening_found gather(struct str bytes, uint8_t hello[OPENING_MOST], struct rest *out,
                                 const char **why)
{
    struct rest r = { (const uint8_t *)bytes.s, bytes.n, false };
    size_t n = 0, whole = HELLO_HEAD;

    while (n < whole) {
        size_t length, here;

        if (r.n > 0 && r.at[0] != RECORD_HANDSHAKE) {
            *why = "it is not TLS, in which a name is said";
            return OPENING_WRONG;
        }
        if (r.n < RECORD_HEAD)
            return OPENING_PART;
        length = (size_t)r.at[3] << 8 | r.at[4];
        if (r.at[1] != 3 || length == 0 || length > RECORD_MOST || n + length > OPENING_MOST) {
            *why = "its hello is not one of TLS";
            return OPENING_WRONG;
        }
        (void)cut(&r, RECORD_HEAD);
        here = length < r.n ? length : r.n;
        memcpy(hello + n, r.at, here);
        n += here;
        if (n >= HELLO_HEAD && hello[0] == HELLO_CLIENT)
            whole = HELLO_HEAD + ((size_t)hello[1] << 16 | (size_t)hello[2] << 8 | hello[3]);
        if ((n > 0 && hello[0] != HELLO_CLIENT) || whole > OPENING_MOST) {
            *why = "its hello is not one of TLS";
            return OPENING_WRONG;
        }
        (void)cut(&r, here);
        if (here < length && n < whole)
            return OPENING_PART;
    }
    *out = (struct rest){ hello + HELLO_HEAD, whole - HELLO_HEAD, false };
    return OPENING_FITS;
}

/* ---- the name ---- */

struct hello {
    struct str name; /* no text: none is said */
    bool hidden;
};

/* One name of a host, and nothing besides. */
static bool read_names(struct rest r, struct hello *out)
{
    struct rest names = list(&r, 2);
    size_t kind = number(&names, 1);
    struct rest name = list(&names, 2);

    out->name = (struct str){ (const char *)name.at, name.n };
    return !name.wrong && !r.wrong && kind == NAME_HOST && name.n > 0 && names.n == 0 && r.n == 0;
}

static bool read_hello(struct rest r, struct hello *out)
{
    struct rest extensions;
    bool named = false;

    (void)cut(&r, HELLO_FIXED);
    (void)list(&r, 1); /* session */
    (void)list(&r, 2); /* ciphers */
    (void)list(&r, 1); /* compressions */
    if (r.n == 0)
        return !r.wrong; /* from before there were extensions */
    extensions = list(&r, 2);
    while (extensions.n > 0 && !extensions.wrong) {
        size_t kind = number(&extensions, 2);
        struct rest extension = list(&extensions, 2);

        out->hidden = out->hidden || kind == EXTENSION_HIDDEN || kind == EXTENSION_HIDDEN_NAME;
        if (kind != EXTENSION_NAME || extension.wrong)
            continue;
        if (named || !read_names(extension, out))
            return false;
        named = true;
    }
    return !extensions.wrong && !r.wrong && r.n == 0;
}

static const char *judge(const struct hello *hello, const struct host *host)
{
    if (hello->hidden)
        return "its hello has another inside that cannot be read";
    if (host->is_address)
        return hello->name.n ? "its TLS asks for a name, and an address was asked for" : NULL;
    if (!hello->name.n)
        return "its TLS does not say for whom it is";
    return str_cmp_letters(hello->name, str_of(host->name)) == 0 ? NULL
                                                                 : "its TLS asks for another host";
}

enum opening_found opening_judge(struct str bytes, const struct host *host, const char **why)
{
    uint8_t buffer[OPENING_MOST];
    struct hello hello = { 0 };
    struct rest body;
    enum opening_found found = gather(bytes, buffer, &body, why);

    if (found == OPENING_PART && bytes.n >= OPENING_MOST) {
        *why = "its hello is too long";
        return OPENING_WRONG;
    }
    if (found != OPENING_FITS)
        return found;
    *why = read_hello(body, &hello) ? judge(&hello, host) : "its hello is not one of TLS";
    return *why ? OPENING_WRONG : OPENING_FITS;
}
