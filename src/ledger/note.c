/* SPDX-License-Identifier: Apache-2.0 */
/* note.c: signed notes, read as strictly as they are written. */
#include "ledger/note.h"

#include <assert.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/doc.h"
#include "base/num.h"
#include "base/utf8.h"
#include "contract/codes.h"

static_assert(SIGN_SEED == SIGN_PUBLIC, "a key text has 32 bytes, whichever half it holds");

static const char dash[] = "\xe2\x80\x94 "; /* U+2014 and a space */

enum { DASH = sizeof dash - 1, TYPE_ED25519 = 0x01, SAID_WHOLE = 100 };

/* ---- names ---- */

/* Unicode's White_Space above ASCII. */
static const struct {
    uint32_t from, to;
} spaces[] = {
    { 0x85, 0x85 },     { 0xa0, 0xa0 },     { 0x1680, 0x1680 }, { 0x2000, 0x200a },
    { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
};

/* The character of n bytes that begins here. */
static uint32_t point_at(const char *s, size_t n)
{
    uint32_t point = n == 1 ? (unsigned char)s[0] : (unsigned char)s[0] & (0x7fU >> n);

    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)s[i] & 0x3f);
    return point;
}

static bool point_fits(uint32_t point)
{
    if (point <= ' ' || point == '+')
        return false;
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (point >= spaces[i].from && point <= spaces[i].to)
            return false;
    return true;
}

bool note_name_fits(struct str name)
{
    for (size_t at = 0, n = 0; at < name.n; at += n) {
        n = utf8_step(name.s + at, name.s + name.n);
        if (n == 0 || !point_fits(point_at(name.s + at, n)))
            return false;
    }
    return name.n > 0;
}

const char *note_name_said(struct str name, struct arena *a)
{
    bool plain = name.n <= SAID_WHOLE;

    for (size_t i = 0; plain && i < name.n; i++)
        plain = name.s[i] > ' ' && name.s[i] <= '~';
    return plain ? arena_printf(a, "'%.*s'", STR_ARG(name)) : said(name, a);
}

/* ---- keys ---- */

void note_key_id(struct str name, const uint8_t public[SIGN_PUBLIC], uint8_t out[NOTE_ID])
{
    static const uint8_t between[] = { '\n', TYPE_ED25519 };
    struct sha256 sum;
    struct digest digest;

    sha256_begin(&sum);
    sha256_add(&sum, name.s, name.n);
    sha256_add(&sum, between, sizeof between);
    sha256_add(&sum, public, SIGN_PUBLIC);
    digest = sha256_end(&sum);
    memcpy(out, digest.b, NOTE_ID);
}

/* In lower case only: one id has one text. */
static int read_hex(char c)
{
    return c >= 'A' && c <= 'F' ? -1 : num_hex(c);
}

static bool read_id(const char *hex, uint8_t out[NOTE_ID])
{
    for (int i = 0; i < NOTE_ID; i++) {
        int high = read_hex(hex[2 * i]), low = read_hex(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The byte that says Ed25519, and the 32 of the key. */
static bool read_typed(struct str base64, uint8_t out[SIGN_PUBLIC])
{
    uint8_t typed[1 + SIGN_PUBLIC];
    size_t n = 0;
    bool ok = base64_read(base64, typed, sizeof typed, &n) && n == sizeof typed &&
              typed[0] == TYPE_ED25519;

    if (ok)
        memcpy(out, typed + 1, SIGN_PUBLIC);
    explicit_bzero(typed, sizeof typed);
    return ok;
}

bool note_key_read(struct str text, struct note_key *out, struct error *e)
{
    const char *plus = text.n ? memchr(text.s, '+', text.n) : NULL;
    size_t name = plus ? (size_t)(plus - text.s) : text.n, id = name + 1;
    size_t rest = id + (size_t)2 * NOTE_ID + 1;
    struct note_key key = { .name = { text.s, name } };

    if (!plus || rest > text.n || text.s[rest - 1] != '+')
        return error_set(e, CODE_SYNTAX, "the key is not <name>+<8 hex digits>+<base64>");
    if (!note_name_fits(key.name))
        return error_set(e, CODE_SYNTAX, "the key's name is empty, or has a space in it");
    if (!read_id(text.s + id, key.id))
        return error_set(e, CODE_SYNTAX, "the key's id is not 8 hex digits in lower case");
    if (!read_typed((struct str){ text.s + rest, text.n - rest }, key.bytes))
        return error_set(e, CODE_SYNTAX,
                         "the key is not base64 of the byte 1, for Ed25519, and 32 bytes");
    *out = key;
    explicit_bzero(&key, sizeof key);
    return true;
}

void note_key_add(const struct note_key *key, struct buf *to)
{
    uint8_t typed[1 + SIGN_PUBLIC] = { TYPE_ED25519 };

    memcpy(typed + 1, key->bytes, SIGN_PUBLIC);
    buf_add(to, key->name.s, key->name.n);
    buf_addf(to, "+%02x%02x%02x%02x+", key->id[0], key->id[1], key->id[2], key->id[3]);
    base64_add(to, (struct str){ (const char *)typed, sizeof typed });
    explicit_bzero(typed, sizeof typed);
}

/* ---- writing ---- */

void note_sign(struct str name, const struct sign_key *key, struct str text, struct buf *to)
{
    uint8_t bytes[NOTE_ID + SIGN_BYTES];

    assert(note_name_fits(name));
    note_key_id(name, key->public, bytes);
    sign(key, text, bytes + NOTE_ID);
    buf_adds(to, dash);
    buf_add(to, name.s, name.n);
    buf_addc(to, ' ');
    base64_add(to, (struct str){ (const char *)bytes, sizeof bytes });
    buf_addc(to, '\n');
}

/* ---- reading ---- */

struct str note_line(struct str *rest)
{
    const char *end = rest->n ? memchr(rest->s, '\n', rest->n) : NULL;
    struct str line = { rest->s, end ? (size_t)(end - rest->s) : rest->n };
    size_t taken = line.n + (end != NULL);

    *rest = (struct str){ rest->s + taken, rest->n - taken };
    return line;
}

static bool characters_fit(struct str bytes, struct error *e)
{
    size_t valid = utf8_valid(bytes);

    if (valid < bytes.n)
        return error_set(e, CODE_ENCODING, "the note is not UTF-8 from byte %zu on", valid);
    for (size_t i = 0; i < bytes.n; i++)
        if ((unsigned char)bytes.s[i] < ' ' && bytes.s[i] != '\n')
            return error_set(e, CODE_SYNTAX,
                             "the note has the control character 0x%02x at byte %zu, allowed is "
                             "the line end 0x0a alone",
                             (unsigned)(unsigned char)bytes.s[i], i);
    return true;
}

/* Where the signatures begin: after the last empty line; 0: there is none. */
static size_t after_blank(struct str bytes)
{
    for (size_t i = bytes.n; i >= 2; i--)
        if (bytes.s[i - 1] == '\n' && bytes.s[i - 2] == '\n')
            return i;
    return 0;
}

/* What is wrong with a signature line, or NULL. */
static const char *read_signature(struct str line, struct note_signature *out)
{
    const char *space;
    size_t n = 0;
    uint8_t start[6]; /* the bytes of 8 letters: the id and the beginning of the signature */

    if (!str_begins(line, dash))
        return "does not begin with an em dash (U+2014) and a space";
    line = (struct str){ line.s + DASH, line.n - DASH };
    space = line.n ? memchr(line.s, ' ', line.n) : NULL;
    if (!space)
        return "is not a name, a space and base64";
    out->name = (struct str){ line.s, (size_t)(space - line.s) };
    if (!note_name_fits(out->name))
        return "has a name that is empty, or with a space or '+' in it";
    out->base64 = (struct str){ space + 1, line.n - out->name.n - 1 };
    if (!base64_read(out->base64, NULL, 0, &n))
        return "is not base64, whole and with nothing around it";
    if (n <= NOTE_ID)
        return "is too short: 4 bytes are the key's id, and the signature follows";
    if (!base64_read((struct str){ out->base64.s, 8 }, start, sizeof start, &n))
        return "is not base64";
    memcpy(out->id, start, NOTE_ID);
    return NULL;
}

static bool is_there(const struct note *note, const struct note_signature *one)
{
    for (size_t i = 0; i < note->count; i++)
        if (str_eq(note->signatures[i].name, one->name) &&
            str_eq(note->signatures[i].base64, one->base64))
            return true;
    return false;
}

static bool add_signature(struct note *note, struct str line, struct error *e)
{
    struct note_signature one = { 0 };
    const char *wrong;

    if (note->count == NOTE_SIGNATURES)
        return error_set(e, CODE_CEILING, "the note has more than %d signatures", NOTE_SIGNATURES);
    wrong = read_signature(line, &one);
    if (wrong)
        return error_set(e, CODE_SYNTAX, "signature %zu %s", note->count + 1, wrong);
    if (is_there(note, &one))
        return error_set(e, CODE_SYNTAX, "signature %zu was there before", note->count + 1);
    note->signatures[note->count++] = one;
    return true;
}

bool note_read(struct str bytes, struct note *out, struct error *e)
{
    struct note note = { 0 };
    size_t from = after_blank(bytes);
    struct str rest;

    if (from == 0)
        return error_set(e, CODE_SYNTAX, "the note has no blank line between text and signatures");
    if (!characters_fit(bytes, e))
        return false;
    if (from == bytes.n)
        return error_set(e, CODE_SYNTAX, "the note has no signature after its blank line");
    if (bytes.s[bytes.n - 1] != '\n')
        return error_set(e, CODE_SYNTAX, "the note's last line does not end in a line end");
    note.text = (struct str){ bytes.s, from - 1 };
    rest = (struct str){ bytes.s + from, bytes.n - from };
    while (rest.n > 0)
        if (!add_signature(&note, note_line(&rest), e))
            return false;
    *out = note;
    return true;
}
