/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree_suite.c: the proofs of transparency-dev/merkle, right ones and broken ones. */
#include <ftw.h>

#include "base/json_read.h"
#include "ledger/tree.h"
#include "suites/suite.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Some numbers are larger than our reader takes, so all of them become texts before it reads. */
static void numbers_quoted(struct str text, struct buf *to)
{
    char before = 0;

    for (size_t i = 0; i < text.n; i++) {
        bool value = before == ':' && is_digit(text.s[i]);

        if (value)
            buf_addc(to, '"');
        for (; value && i + 1 < text.n && is_digit(text.s[i + 1]); i++)
            buf_addc(to, text.s[i]);
        buf_addc(to, text.s[i]);
        if (value)
            buf_addc(to, '"');
        if (text.s[i] != ' ')
            before = text.s[i];
    }
}

/* A number as 64 bits: 2^63 and more, which no size can be, becomes a negative one. */
static int64_t number(const struct document *d, const char *key)
{
    struct str digits = doc_text(&d->root, key);

    return digits.n > 0 ? (int64_t)strtoull(digits.s, NULL, 10) : -1;
}

static int digit64(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    return is_one_of(c, digits) ? (int)(strchr(digits, c) - digits) : -1;
}

/* The vectors also have "hashes" that are words, to stand for any hash: filled up with zeros they
 * are hashes that nothing has. True if it was a whole one. */
static bool hash(struct str text, struct digest *out)
{
    uint32_t bits = 0;
    size_t n = 0, held = 0;

    *out = (struct digest){ { 0 } };
    for (size_t i = 0; i < text.n && digit64(text.s[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)digit64(text.s[i]);
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        if (n < DIGEST_BYTES)
            out->b[n] = (uint8_t)(bits >> held);
        n++;
    }
    return n == DIGEST_BYTES;
}

static void path_of(const struct doc *map, struct tree_path *path)
{
    path->n = 0;
    for (const struct doc *c = doc_first(doc_get(map, "proof"), DOC_LIST); c; c = c->next)
        if (path->n < TREE_PATH_MAX)
            (void)hash(c->text, &path->hash[path->n++]);
}

/* A leaf's hash that is no whole hash cannot even be asked about. */
static bool inclusion(const struct document *d, const struct tree_path *path)
{
    struct tree_range r = { number(d, "start"), number(d, "end") };
    struct digest leaf, root;

    (void)hash(doc_text(&d->root, "root"), &root);
    if (!hash(doc_text(&d->root, "leafHash"), &leaf))
        return false;
    if (doc_get(&d->root, "start"))
        return tree_range_included(number(d, "leafIdx"), r, &leaf, path, &root);
    return tree_included(number(d, "leafIdx"), number(d, "treeSize"), &leaf, path, &root);
}

static bool consistency(const struct document *d, const struct tree_path *path)
{
    struct tree_range r = { number(d, "start"), number(d, "end") };
    struct digest first, second;

    (void)hash(doc_text(&d->root, "root1"), &first);
    (void)hash(doc_text(&d->root, "root2"), &second);
    if (doc_get(&d->root, "start"))
        return tree_range_consistent(r, &first, number(d, "size"), &second, path);
    return tree_consistent(number(d, "size1"), &first, number(d, "size2"), &second, path);
}

static size_t home; /* bytes of the suite's own path */
static int right, wrong;

static int one(const char *file, const struct stat *st, int type, struct FTW *at)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    struct tree_path path;
    const struct document *d;
    const struct doc *refuse;
    _buf_ struct buf quoted = { .max = 1 << 20 };
    struct error e = { 0 };
    struct str text = { 0 };
    bool shown;

    (void)st;
    (void)at;
    if (type != FTW_F)
        return 0;
    if (fs_read(file, 1 << 20, &a, &text, &e))
        numbers_quoted(text, &quoted);
    if (!json_read(file, buf_str(&quoted), &max, &a, &d, &e)) {
        suite_case(false, file + home, "not read: %s", e.msg);
        return 0;
    }
    path_of(&d->root, &path);
    refuse = doc_get(&d->root, "wantErr");
    shown = doc_get(&d->root, "leafHash") ? inclusion(d, &path) : consistency(d, &path);
    right += shown;
    wrong += !shown;
    suite_case(refuse && refuse->kind == DOC_BOOL && shown != refuse->truth, file + home,
               shown ? "taken, and should not be" : "refused, and should not be");
    return 0;
}

int main(void)
{
    const char *dir = suite_dir("merkle-rfc6962/testdata");

    if (!dir)
        return 0;
    home = strlen(dir) + 1;
    (void)nftw(dir, one, 16, FTW_PHYS);
    suite_case(right > 0 && wrong > 0, "there were proofs to take and to refuse", "%d and %d",
               right, wrong);
    return suite_end();
}
