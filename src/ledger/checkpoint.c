/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c: the text of a checkpoint, and who signed it. */
#include "ledger/checkpoint.h"

#include <assert.h>
#include <string.h>

#include "base/base64.h"
#include "base/doc.h"
#include "base/num.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "ledger/note.h"

static const char made[] = "made ";

/* ---- verifier keys ---- */

bool verifier_read(struct str text, struct arena *a, struct verifier *out, struct error *e)
{
    struct note_key key;
    uint8_t id[NOTE_ID];

    /* A file that holds one ends in a line end. */
    if (text.n > 0 && text.s[text.n - 1] == '\n')
        text.n--;
    if (!note_key_read(text, &key, e))
        return false;
    note_key_id(key.name, key.bytes, id);
    if (memcmp(id, key.id, NOTE_ID) != 0)
        return error_set(e, CODE_SYNTAX,
                         "the key's id is %02x%02x%02x%02x, but name and key make "
                         "%02x%02x%02x%02x: one of the three was changed",
                         key.id[0], key.id[1], key.id[2], key.id[3], id[0], id[1], id[2], id[3]);
    out->name = (struct str){ arena_text(a, key.name), key.name.n };
    memcpy(out->public, key.bytes, SIGN_PUBLIC);
    return true;
}

void verifier_text(const struct verifier *v, struct buf *to)
{
    struct note_key key = { .name = v->name };

    memcpy(key.bytes, v->public, SIGN_PUBLIC);
    note_key_id(v->name, v->public, key.id);
    note_key_add(&key, to);
}

/* ---- writing ---- */

void checkpoint_write(const struct checkpoint *c, const struct sign_key *key, struct buf *to)
{
    char stamp[STAMP_TEXT];
    size_t from = to->len, n;

    assert(c->size >= 0 && c->made_ms >= 0);
    buf_add(to, c->origin.s, c->origin.n);
    buf_addf(to, "\n%lld\n", (long long)c->size);
    base64_add(to, (struct str){ (const char *)c->root.b, DIGEST_BYTES });
    buf_addc(to, '\n');
    if (c->made_ms) {
        stamp_text(c->made_ms, stamp);
        buf_addf(to, "%s%s\n", made, stamp);
    }
    n = to->len - from;
    buf_addc(to, '\n');
    if (buf_ok(to))
        note_sign(c->origin, key, (struct str){ to->s + from, n }, to);
}

/* ---- reading ---- */

static bool read_size(struct str line, struct arena *a, int64_t *out, struct error *e)
{
    if (num_int(line, out) && *out >= 0)
        return true;
    return error_set(e, CODE_SYNTAX,
                     "the size is %s, allowed is a whole number, 0 or more, without leading zeros",
                     said(line, a));
}

static bool read_root(struct str line, struct arena *a, struct digest *out, struct error *e)
{
    struct digest root = { 0 };
    size_t n = 0;

    if (!base64_read(line, root.b, sizeof root.b, &n) || n != sizeof root.b)
        return error_set(e, CODE_SYNTAX, "the root is %s, allowed is base64 of 32 bytes",
                         said(line, a));
    *out = root;
    return true;
}

/* Only what stamp_text() writes: then the same checkpoint has the same text everywhere. */
static bool read_stamp(struct str text, int64_t *out)
{
    char again[STAMP_TEXT];
    struct stamp stamp;
    const char *why;

    if (!stamp_read(text, &stamp, &why) || stamp_ms(&stamp) <= 0)
        return false;
    *out = stamp_ms(&stamp);
    stamp_text(*out, again);
    return str_is(text, again);
}

static bool read_made(struct str line, struct arena *a, int64_t *out, struct error *e)
{
    struct str text = { line.s + sizeof made - 1, line.n - (sizeof made - 1) };

    if (*out)
        return error_set(e, CODE_SYNTAX, "the checkpoint says twice when it was made");
    if (!read_stamp(text, out))
        return error_set(e, CODE_SYNTAX,
                         "made is %s, allowed is a time such as 2026-11-15T14:00:00.000Z",
                         said(text, a));
    return true;
}

/* Other extension lines are somebody else's matter; none may be empty. */
static bool read_extensions(struct str rest, struct arena *a, int64_t *made_ms, struct error *e)
{
    while (rest.n > 0) {
        struct str line = note_line(&rest);

        if (line.n == 0)
            return error_set(e, CODE_SYNTAX, "the checkpoint has an empty line in its text");
        if (str_begins(line, made) && !read_made(line, a, made_ms, e))
            return false;
    }
    return true;
}

static bool read_note(struct str bytes, struct note *out, struct error *e)
{
    if (bytes.n > CHECKPOINT_MAX)
        return error_set(e, CODE_CEILING, "the note has %zu bytes, at most %d are read", bytes.n,
                         CHECKPOINT_MAX);
    return note_read(bytes, out, e);
}

bool checkpoint_read(struct str note, struct arena *a, struct checkpoint *out, struct error *e)
{
    struct checkpoint c = { 0 };
    struct note parts = { 0 };
    struct str rest, origin;

    if (!read_note(note, &parts, e))
        return false;
    rest = parts.text;
    origin = note_line(&rest);
    if (origin.n == 0)
        return error_set(e, CODE_SYNTAX, "the checkpoint has no origin in its first line");
    if (!read_size(note_line(&rest), a, &c.size, e) || !read_root(note_line(&rest), a, &c.root, e))
        return false;
    if (!read_extensions(rest, a, &c.made_ms, e))
        return false;
    c.origin = (struct str){ arena_text(a, origin), origin.n };
    *out = c;
    return true;
}

/* ---- whose signature ---- */

static bool holds(const struct note *note, const struct note_signature *s,
                  const struct verifier *by)
{
    uint8_t bytes[NOTE_ID + SIGN_BYTES];
    size_t n = 0;

    return base64_read(s->base64, bytes, sizeof bytes, &n) && n == sizeof bytes &&
           sign_holds(by->public, note->text, bytes + NOTE_ID);
}

bool checkpoint_signed(struct str note, const struct verifier *by, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct note parts = { 0 };
    uint8_t id[NOTE_ID];
    int found = 0;

    if (!read_note(note, &parts, e))
        return false;
    note_key_id(by->name, by->public, id);
    for (size_t i = 0; i < parts.count; i++) {
        const struct note_signature *s = &parts.signatures[i];

        if (!str_eq(s->name, by->name) || memcmp(s->id, id, NOTE_ID) != 0)
            continue; /* a key that we do not know, even if it has the same name */
        if (found++)
            return error_set(e, CODE_SYNTAX, "the note has two signatures by %s",
                             note_name_said(by->name, &a));
        if (!holds(&parts, s, by))
            return error_set(e, CODE_VALIDATION_ERROR,
                             "the signature by %s does not belong to this text: one of them was "
                             "changed",
                             note_name_said(by->name, &a));
    }
    if (!found)
        return error_set(e, CODE_VALIDATION_ERROR,
                         "the note is not signed by the key %02x%02x%02x%02x of %s", id[0], id[1],
                         id[2], id[3], note_name_said(by->name, &a));
    return true;
}
