/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_jsonpath.c: the first line is a path, the rest a JSON document. A path is refused with words
 * and a place, or selects the same twice; each value it selects is at the place it is said to be.
 */
#include <assert.h>

#include "base/json_read.h"
#include "base/jsonpath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 1 << 16, FEW = 50 };

static const char small[] =
    "{\"a\":[1,2.5,\"ab\",null,{\"b\":[true,\"\\u00e9\"]}],\"b\":{\"a\":{}}}";

static bool run(const struct jsonpath *path, const struct doc *root, struct arena *a,
                struct nodes *out)
{
    struct work w = { .left = STEPS };

    return jsonpath_run(path, root, a, &w, out);
}

/* The normalised path of a value is a path that selects this value alone. */
static void check_place(const struct doc *d, const struct doc *root, struct arena *a)
{
    _buf_ struct buf text = { .max = 1 << 16 };
    struct ceilings max = ceilings_default();
    struct nodes n = { .v = &d, .n = 1 };
    struct work w = { .left = STEPS };
    const struct document *places;
    const struct jsonpath *path;
    struct error e;
    bool ok;

    if (!jsonpath_places(&n, &w, &text) || !buf_ok(&text))
        return;
    ok = json_read("places", buf_str(&text), &max, a, &places, &e);
    assert(ok);
    if (!jsonpath_read(places->root.first->text, a, &path, &e))
        return; /* longer than a path may be */
    assert(!run(path, root, a, &n) || (n.n == 1 && n.v[0] == d));
}

static void select_from(struct str text, const struct doc *root, struct arena *a)
{
    const struct jsonpath *once, *twice;
    struct nodes first, second;
    struct error e = { 0 };
    bool ok = jsonpath_read(text, a, &once, &e);

    assert(ok || (e.code != ERROR_NONE && e.msg[0]));
    assert(ok || e.code != ERROR_SYNTAX || e.at.col > 0);
    if (!ok)
        return;
    ok = jsonpath_read(text, a, &twice, &e);
    assert(ok);
    ok = run(once, root, a, &first);
    assert(run(twice, root, a, &second) == ok);
    if (!ok)
        return;
    assert(first.n == second.n);
    for (size_t i = 0; i < first.n; i++)
        assert(first.v[i] == second.v[i]);
    for (size_t i = 0; i < first.n && i < FEW; i++)
        check_place(first.v[i], root, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    const char *s = (const char *)data, *line = size ? memchr(s, '\n', size) : NULL;
    size_t n = line ? (size_t)(line - s) : size;
    struct str text = { line ? line + 1 : "", line ? size - n - 1 : 0 };
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;
    bool ok;

    if (!json_read("fuzz", text, &max, &a, &d, &e)) {
        ok = json_read("small", str_of(small), &max, &a, &d, &e);
        assert(ok);
    }
    select_from((struct str){ size ? s : "", n }, &d->root, &a);
    return 0;
}
