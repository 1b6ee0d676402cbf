/* SPDX-License-Identifier: Apache-2.0 */
/* proof.c: writes proofs. */
#include "ledger/proof.h"

#include "base/json_write.h"

static void put_hex(struct buf *to, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * DIGEST_BYTES];

    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_text(to, (struct str){ hex, 2 * n });
}

static void put_path(struct buf *to, const struct tree_path *path)
{
    json_key(to, "path");
    json_open(to, '[');
    for (size_t i = 0; i < path->n; i++)
        put_hex(to, path->hash[i].b, DIGEST_BYTES);
    json_close(to, ']');
}

static void put_key(struct buf *to, const struct verifier *key)
{
    _buf_ struct buf text = { .max = 1 << 12 };

    verifier_text(key, &text);
    json_put_text(to, "key", buf_str(&text));
}

/* Somebody may have changed a name so that it is no text any more: no leaf fits it, and the JSON
 * around it can still be read. */
void proof_put_header(const struct entry *entry, struct buf *to)
{
    _buf_ struct buf header = { .max = to->max };
    struct entry whole = *entry;

    if (!entry->erased)
        whole.body_digest = entry_body_digest(entry->salt, entry->body);
    entry_header(&whole, &header);
    json_key(to, "header");
    json_clean(to, buf_str(&header));
    to->full |= header.full;
}

void proof_put_salt(const struct entry *entry, struct buf *to)
{
    if (entry->erased)
        return;
    json_key(to, "salt");
    put_hex(to, entry->salt, SALT_BYTES);
}

bool proof_of_entry(struct ledger *l, const struct entry *entry, const struct signed_size *now,
                    const struct verifier *key, struct buf *to, struct error *e)
{
    struct hashes hashes;
    struct tree_source source = hashes_of(&hashes, l);
    struct tree_path path;

    if (!tree_inclusion(entry->seq, now->c.size, &source, &path, e))
        return false;
    json_open(to, '{');
    json_put(to, "proof", "inclusion");
    json_put_int(to, "index", entry->seq);
    json_put_int(to, "size", now->c.size);
    proof_put_header(entry, to);
    if (!entry->erased) {
        json_key(to, "body");
        buf_add(to, entry->body.s, entry->body.n); /* JSON already */
    }
    proof_put_salt(entry, to);
    put_path(to, &path);
    json_put_text(to, "checkpoint", now->note);
    put_key(to, key);
    json_close(to, '}');
    return true;
}

bool proof_since(struct ledger *l, const struct signed_size *old, const struct signed_size *now,
                 const struct verifier *key, struct buf *to, struct error *e)
{
    struct hashes hashes;
    struct tree_source source = hashes_of(&hashes, l);
    struct tree_path path;

    if (!tree_consistency(old->c.size, now->c.size, &source, &path, e))
        return false;
    json_open(to, '{');
    json_put(to, "proof", "consistency");
    json_put_int(to, "old", old->c.size);
    json_put_int(to, "size", now->c.size);
    put_path(to, &path);
    json_put_text(to, "old_checkpoint", old->note);
    json_put_text(to, "checkpoint", now->note);
    put_key(to, key);
    json_close(to, '}');
    return true;
}
