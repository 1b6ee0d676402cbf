/* SPDX-License-Identifier: Apache-2.0 */
/* proof_check.c: checks proofs that somebody else may have made up. */
#include <string.h>

#include "base/json_write.h"
#include "base/num.h"
#include "ledger/proof.h"

/* A header or a body, which is no longer than an answer; tests make it smaller. */
#ifndef TEXT_MAX
#define TEXT_MAX (256 << 20)
#endif

struct check {
    const struct doc *proof;
    const struct verifier *trust;
    struct arena *a;
    struct proof_finding *out;
};

static bool no(struct check *c, const char *why)
{
    c->out->why = why;
    return false;
}

static bool read_hex(struct str text, uint8_t *out, size_t n)
{
    if (text.n != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = num_hex(text.s[2 * i]), low = num_hex(text.s[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_path(struct check *c, struct tree_path *out)
{
    const struct doc *path = doc_get(c->proof, "path");

    out->n = 0;
    if (!path || path->kind != DOC_LIST || path->count > TREE_PATH_MAX)
        return no(c, "its path is no list of hashes");
    for (const struct doc *hash = path->first; hash; hash = hash->next)
        if (hash->kind != DOC_TEXT || !read_hex(hash->text, out->hash[out->n++].b, DIGEST_BYTES))
            return no(c, "its path is no list of hashes");
    return true;
}

static bool read_whole(struct check *c, const char *key, int64_t *out)
{
    const struct doc *d = doc_get(c->proof, key);

    if (!d || d->kind != DOC_INT || d->whole < 0)
        return no(c, arena_printf(c->a, "it has no number '%s'", key));
    *out = d->whole;
    return true;
}

/* The note, read and signed by the key that counts. */
static bool read_note(struct check *c, const char *member, struct checkpoint *out)
{
    struct str note = doc_text(c->proof, member);
    struct error e;

    if (checkpoint_read(note, c->a, out, &e) && checkpoint_signed(note, &c->out->key, &e))
        return str_eq(out->origin, c->out->key.name) ||
               no(c, "a checkpoint is of another ledger than its key");
    return no(c, arena_printf(c->a, "%s: %s", member, e.msg));
}

static bool read_key(struct check *c)
{
    struct error e;

    if (c->trust) {
        c->out->key = *c->trust;
        c->out->trusted = true;
        return true;
    }
    if (verifier_read(doc_text(c->proof, "key"), c->a, &c->out->key, &e))
        return true;
    return no(c, "it has no verifier key; give the one to trust");
}

/* ---- inclusion ---- */

/* What is hashed without its end can be two things at once: numbers are longer as canonical JSON
 * than they may be in a proof. */
static bool canonical(struct check *c, const struct doc *d, struct buf *out)
{
    json_canon(d, c->a, out);
    return buf_ok(out) || no(c, "it has more than 256 MiB as canonical JSON");
}

static bool leaf_of(struct check *c, const struct doc *header, struct digest *leaf)
{
    _buf_ struct buf text = { .max = TEXT_MAX };

    if (!canonical(c, header, &text))
        return false;
    *leaf = tree_leaf(buf_str(&text));
    return true;
}

/* The body is that of the header, where there is one: it may have been erased, or kept back. */
static bool body_fits(struct check *c, const struct doc *header)
{
    const struct doc *body = doc_get(c->proof, "body");
    _buf_ struct buf text = { .max = TEXT_MAX };
    struct digest claimed, is;
    uint8_t salt[SALT_BYTES];

    if (!body)
        return !doc_get(c->proof, "salt") || no(c, "it has a salt without a body");
    if (!digest_parse(doc_text(header, "body_digest"), &claimed) ||
        !read_hex(doc_text(c->proof, "salt"), salt, SALT_BYTES))
        return no(c, "it has a body without a digest and a salt");
    if (!canonical(c, body, &text))
        return false;
    is = entry_body_digest(salt, buf_str(&text));
    c->out->body = memcmp(&is, &claimed, sizeof is) == 0;
    return c->out->body || no(c, "the body is not the one in the header");
}

static bool check_inclusion(struct check *c)
{
    const struct doc *header = doc_get(c->proof, "header"), *seq;
    struct tree_path path;
    struct digest leaf;
    int64_t size;

    if (!header || header->kind != DOC_MAP)
        return no(c, "it has no header");
    if (!read_whole(c, "index", &c->out->index) || !read_whole(c, "size", &size) ||
        !read_path(c, &path) || !read_note(c, "checkpoint", &c->out->c) || !body_fits(c, header))
        return false;
    seq = doc_get(header, "seq");
    if (!seq || seq->kind != DOC_INT || seq->whole != c->out->index)
        return no(c, "the header is of another entry");
    if (size != c->out->c.size)
        return no(c, "the checkpoint is of another size");
    if (!leaf_of(c, header, &leaf))
        return false;
    return tree_included(c->out->index, size, &leaf, &path, &c->out->c.root) ||
           no(c, "the path does not lead from the entry to the checkpoint's root");
}

/* ---- consistency ---- */

/* Every ledger goes on from the empty one; there is nothing to show on the way. */
static bool is_empty(const struct checkpoint *c, const struct tree_path *path)
{
    struct digest none = tree_root(NULL, 0);

    return c->size == 0 && path->n == 0 && memcmp(&c->root, &none, sizeof none) == 0;
}

static bool check_consistency(struct check *c)
{
    struct checkpoint old;
    struct tree_path path;
    int64_t size;

    if (!read_whole(c, "old", &c->out->index) || !read_whole(c, "size", &size) ||
        !read_path(c, &path) || !read_note(c, "old_checkpoint", &old) ||
        !read_note(c, "checkpoint", &c->out->c))
        return false;
    if (old.size != c->out->index || size != c->out->c.size)
        return no(c, "a checkpoint is of another size");
    if (!str_eq(old.origin, c->out->c.origin))
        return no(c, "the checkpoints are of two ledgers");
    return is_empty(&old, &path) ||
           tree_consistent(old.size, &old.root, size, &c->out->c.root, &path) ||
           no(c, "the path does not lead from one checkpoint to the other");
}

static const struct {
    const char *name;
    bool (*check)(struct check *c);
} proofs[] = {
    { "inclusion", check_inclusion },
    { "consistency", check_consistency },
};

void proof_check(const struct doc *proof, const struct verifier *trust, struct arena *a,
                 struct proof_finding *out)
{
    struct check c = { proof, trust, a, out };
    struct str name = proof->kind == DOC_MAP ? doc_text(proof, "proof") : str_of("");

    *out = (struct proof_finding){ .c.origin = str_of(""), .key.name = str_of("") };
    for (size_t i = 0; i < COUNT(proofs); i++) {
        if (!str_is(name, proofs[i].name))
            continue;
        out->proof = proofs[i].name;
        out->holds = read_key(&c) && proofs[i].check(&c);
        return;
    }
    (void)no(&c, "it is no proof of inclusion or consistency");
}
