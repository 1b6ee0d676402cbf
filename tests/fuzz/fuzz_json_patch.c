/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_json_patch.c: a document and, in the next line, a patch: it is applied wholly or not at all.
 * Then the way back: the patch that json_diff() finds leads to the same document. */
#include <assert.h>

#include "base/doc_same.h"
#include "base/json_diff.h"
#include "base/json_patch.h"
#include "base/json_read.h"
#include "base/json_write.h"

enum { STEPS = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_tree(const struct doc *d, uint32_t depth)
{
    const struct doc *last = NULL;
    uint32_t count = 0;

    assert(depth <= ceiling_rows[CEILING_DEPTH].value + 1);
    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return;
    for (const struct doc *c = d->first; c; c = c->next, count++) {
        assert(c->up == d && (c->key.s != NULL) == (d->kind == DOC_MAP));
        assert_tree(c, depth + 1);
        last = c;
    }
    assert(d->count == count && d->last == last);
}

static void there_and_back(const struct doc *before, const struct doc *after, struct arena *a)
{
    struct work w = { .left = STEPS };
    const struct doc *patch, *out;
    struct error e;
    bool done;

    if (!json_diff(before, after, &w, a, &patch)) {
        assert(w.over);
        return;
    }
    assert_tree(patch, 1);
    w = (struct work){ .left = 16 * (uint64_t)STEPS };
    done = json_patch(before, patch, &w, a, &out, &e);
    assert(done || w.over);
    assert(!done || doc_same(out, after, &w, a) || w.over);
}

static void apply(const struct doc *document, const struct doc *patch, struct arena *a)
{
    _buf_ struct buf before = { .max = 1 << 26 }, same = { .max = 1 << 26 };
    struct work w = { .left = STEPS };
    const struct doc *out = NULL;
    struct error e = { 0 };
    bool done;

    json_canon(document, a, &before);
    done = json_patch(document, patch, &w, a, &out, &e);
    json_canon(document, a, &same);
    assert(str_eq(buf_str(&before), buf_str(&same)));
    assert(done == (out != NULL) && done == (e.msg[0] == '\0'));
    if (!done)
        return;
    assert_tree(out, 1);
    there_and_back(document, out, a);
    there_and_back(out, document, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *line = size ? memchr(text, '\n', size) : NULL;
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document, *patch;
    struct str first, second;
    struct error e;

    if (!line)
        return 0;
    first = (struct str){ text, (size_t)(line - text) };
    second = (struct str){ line + 1, size - first.n - 1 };
    if (json_read("document", first, &max, &a, &document, &e) &&
        json_read("patch", second, &max, &a, &patch, &e))
        apply(&document->root, &patch->root, &a);
    return 0;
}
