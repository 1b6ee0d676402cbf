/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_transform.c: the first line is a list of transforms of output, as JSON; the rest is what
 * came back. Specs are refused with words, or done: twice it is the same, and text that was written
 * by a format is read by the parser of the same name.
 */
#include <assert.h>

#include "adapter/transform.h"
#include "base/doc_same.h"
#include "base/json_read.h"
#include "base/json_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = { "parse", "extract", "format", NULL };

static struct items read_list(const struct doc *list, struct arena *a)
{
    struct transform *all = arena_alloc(a, list->count * sizeof *all);
    struct items out = { all, 0 };

    for (const struct doc *c = list->first; c; c = c->next)
        for (int i = 0; types[i] && c->kind == DOC_MAP; i++)
            if (str_is(doc_text(c, "type"), types[i]) && doc_get(c, "spec"))
                all[out.n++] = (struct transform){ i, doc_get(c, "spec") };
    return out;
}

/* 0: refused. Otherwise a number that stands for what it became. */
static uint64_t outcome(const struct adapter *adapter, struct str text, struct value *out,
                        struct arena *a)
{
    struct value raw = { .bytes = text };
    struct work w = { .left = UINT64_MAX };
    struct error e = { 0 };
    struct doc bytes = { .kind = DOC_TEXT };

    if (!transform_output(adapter, &raw, a, out, &e)) {
        assert(e.code == CODE_TRANSFORM_FAILED && e.msg[0]);
        return 0;
    }
    bytes.text = out->bytes;
    return 1 | doc_hash(out->doc ? out->doc : &bytes, &w) << 1;
}

/* A document is written and read by formats that promise to read back as the same. */
static void check_back(const struct doc *d, const char *name, struct arena *a)
{
    struct doc spec = { .kind = DOC_TEXT, .text = str_of(name) };
    struct transform both[] = { { OUTPUT_FORMAT, &spec }, { OUTPUT_PARSE, &spec } };
    struct adapter_transforms transforms = { .output = { both, 2 } };
    struct adapter adapter = { .doc = { .transforms = &transforms } };
    struct value raw = { .doc = d }, out = { 0 };
    struct work w = { .left = UINT64_MAX };
    struct error e = { 0 };

    if (!transform_output(&adapter, &raw, a, &out, &e))
        return; /* not every document is a table, and readers have ceilings */
    assert(doc_same(d, out.doc, &w, a));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    const char *s = (const char *)data, *line = size ? memchr(s, '\n', size) : NULL;
    size_t n = line ? (size_t)(line - s) : size;
    struct str text = { line ? line + 1 : "", line ? size - n - 1 : 0 };
    struct ceilings max = ceilings_default();
    struct report r = report_new(&a, "fuzz", (struct str){ 0 });
    struct adapter_transforms transforms = { 0 };
    struct adapter adapter = { .doc = { .transforms = &transforms } };
    struct value once = { 0 }, twice = { 0 };
    const struct document *d;
    struct error e;
    uint64_t first;

    if (!json_read("fuzz", (struct str){ size ? s : "", n }, &max, &a, &d, &e) ||
        d->root.kind != DOC_LIST)
        return 0;
    adapter.tree = &d->root;
    transforms.output = read_list(&d->root, &a);
    transforms_fit(&adapter, &r);
    first = outcome(&adapter, text, &once, &a);
    assert(outcome(&adapter, text, &twice, &a) == first);
    if (!first || !once.doc)
        return 0;
    check_back(once.doc, "json", &a);
    check_back(once.doc, "yaml", &a);
    check_back(once.doc, "json_lines", &a);
    return 0;
}
