/* SPDX-License-Identifier: Apache-2.0 */
/* opening.c: reads the hello of TLS as far as the name in it (RFC 8446 4.1.2, RFC 6066 3). */
#include "sandbox/net/opening.h"

enum {
    RECORD_CHANGE = 20,
    RECORD_ALERT = 21,
    RECORD_HANDSHAKE = 22,
    RECORD_DATA = 23,
    RECORD_HEAD = 5,
    RECORD_MOST = 1 << 14,
    RECORD_SEAL = 2048, /* that encryption may add to one */
    HELLO_CLIENT = 1,
    HELLO_SERVER = 2,
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

/* Whole records that say nothing of a name are taken. True: one of them is there in part. */
static bool skip_records(struct rest *r, uint32_t kinds)
{
    while (r->n > 0 && r->at[0] < 32 && (kinds >> r->at[0] & 1)) {
        size_t length = r->n < RECORD_HEAD ? 0 : (size_t)r->at[3] << 8 | r->at[4];

        if ((r->n > 1 && r->at[1] != 3) || length > RECORD_MOST + RECORD_SEAL)
            return false;
        if (r->n < RECORD_HEAD + length)
            return true;
        (void)cut(r, RECORD_HEAD + length);
    }
    return false;
}

/* A message of the handshake without the heads of its records; it may be in several of them. */
struct message {
    uint8_t kind;
    size_t n, whole;
    bool shares; /* the last record has more than the end of the message */
    uint8_t b[OPENING_MOST];
};

/* The first `enough` bytes of a message of that kind, or all of it. */
static enum opening_found gather(struct rest *r, size_t enough, struct message *m, const char **why)
{
    size_t wanted = HELLO_HEAD;

    m->n = 0;
    m->whole = HELLO_HEAD;
    while (m->n < wanted) {
        size_t length, here;

        if (r->n > 0 && r->at[0] != RECORD_HANDSHAKE) {
            *why = "it is not TLS, in which a name is said";
            return OPENING_WRONG;
        }
        if (r->n < RECORD_HEAD)
            return OPENING_PART;
        length = (size_t)r->at[3] << 8 | r->at[4];
        if (r->at[1] != 3 || length == 0 || length > RECORD_MOST || m->n + length > OPENING_MOST) {
            *why = "its hello is not one of TLS";
            return OPENING_WRONG;
        }
        (void)cut(r, RECORD_HEAD);
        here = length < r->n ? length : r->n;
        memcpy(m->b + m->n, r->at, here);
        if (m->n + here >= HELLO_HEAD && m->b[0] == m->kind)
            m->whole = HELLO_HEAD + ((size_t)m->b[1] << 16 | (size_t)m->b[2] << 8 | m->b[3]);
        if ((m->n + here > 0 && m->b[0] != m->kind) || m->whole > OPENING_MOST) {
            *why = "its hello is not one of TLS";
            return OPENING_WRONG;
        }
        m->shares = m->n + length > m->whole;
        m->n += here;
        (void)cut(r, here);
        if (m->n >= HELLO_HEAD)
            wanted = m->whole < enough ? m->whole : enough;
        if (here < length && m->n < wanted)
            return OPENING_PART;
    }
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

enum opening_found opening_judge(struct str bytes, const struct host *host, bool again,
                                 size_t *taken, const char **why)
{
    struct message m = { .kind = HELLO_CLIENT };
    struct hello hello = { 0 };
    struct rest r = { (const uint8_t *)bytes.s, bytes.n, false };
    bool skips =
        again && skip_records(&r, 1U << RECORD_CHANGE | 1U << RECORD_ALERT | 1U << RECORD_DATA);
    enum opening_found found;

    *taken = bytes.n - r.n;
    if (skips)
        return OPENING_PART;
    found = gather(&r, SIZE_MAX, &m, why);
    if (found == OPENING_PART && bytes.n - *taken >= OPENING_MOST) {
        *why = "its hello is too long";
        return OPENING_WRONG;
    }
    if (found != OPENING_FITS)
        return found;
    *taken = bytes.n - r.n;
    *why = m.shares || !read_hello((struct rest){ m.b + HELLO_HEAD, m.whole - HELLO_HEAD, false },
                                   &hello)
               ? "its hello is not one of TLS"
               : judge(&hello, host);
    return *why ? OPENING_WRONG : OPENING_FITS;
}

/* ---- the answer ---- */

enum opening_found opening_answer(struct str bytes, size_t *taken, const char **why)
{
    static const uint8_t retry[] = {
        /* RFC 8446 4.1.3 */
        0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
        0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
        0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
    };
    struct message m = { .kind = HELLO_SERVER };
    struct rest r = { (const uint8_t *)bytes.s, bytes.n, false }, start;
    enum opening_found found;
    bool skips = skip_records(&r, 1U << RECORD_CHANGE | 1U << RECORD_ALERT);

    *taken = bytes.n - r.n;
    if (skips)
        return OPENING_PART;
    start = r;
    found = gather(&r, HELLO_HEAD + HELLO_FIXED, &m, why);
    if (found == OPENING_FITS && m.whole < HELLO_HEAD + HELLO_FIXED)
        found = OPENING_WRONG;
    if (found == OPENING_FITS && memcmp(m.b + HELLO_HEAD + 2, retry, sizeof retry) == 0) {
        r = start;
        found = gather(&r, SIZE_MAX, &m, why);
        if (found == OPENING_FITS) {
            *taken = bytes.n - r.n;
            found = m.shares ? OPENING_WRONG : OPENING_RETRY;
        }
    }
    if (found == OPENING_PART && bytes.n - *taken >= OPENING_MOST)
        found = OPENING_WRONG;
    if (found == OPENING_WRONG)
        *why = "the server does not answer in TLS";
    return found;
}
