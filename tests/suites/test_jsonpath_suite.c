/* SPDX-License-Identifier: Apache-2.0 */
/* test_jsonpath_suite.c: the compliance suite of JSONPath (RFC 9535): values, places, refusals. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/jsonpath.h"
#include "suites/suite.h"

/* Lists of values are held against each other as one text, canonical values in a row. */
static void values_of(const struct nodes *n, struct arena *a, struct buf *to)
{
    for (size_t i = 0; i < n->n; i++) {
        json_canon(n->v[i], a, to);
        buf_addc(to, '\n');
    }
}

static void wanted(const struct doc *list, struct arena *a, struct buf *to)
{
    for (const struct doc *d = list->first; d; d = d->next) {
        json_canon(d, a, to);
        buf_addc(to, '\n');
    }
}

static bool places_of(const struct nodes *n, struct arena *a, struct buf *to)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    struct ceilings max = ceilings_default();
    struct work w = { .left = 1 << 20 };
    const struct document *list;
    struct error e;

    if (!jsonpath_places(n, &w, &text) || !json_read("places", buf_str(&text), &max, a, &list, &e))
        return false;
    wanted(&list->root, a, to);
    return true;
}

/* Is it the one list that is right, or one of those that are? */
static bool is_right(struct str got, const struct doc *one, const struct doc *some, struct arena *a)
{
    for (const struct doc *d = one ? one : some->first; d; d = one ? NULL : d->next) {
        _buf_ struct buf want = { .max = 1 << 20 };

        wanted(d, a, &want);
        if (str_eq(got, buf_str(&want)))
            return true;
    }
    return false;
}

static void run(const struct doc *t, const struct jsonpath *path, struct arena *a)
{
    _buf_ struct buf values = { .max = 1 << 20 }, places = { .max = 1 << 20 };
    _buf_ struct buf text = { .max = 1 << 20 };
    const char *name = arena_text(a, doc_text(t, "name"));
    struct ceilings max = ceilings_default();
    struct work w = { .left = 1 << 20 };
    const struct document *document;
    struct nodes n;
    struct error e;

    json_doc(&text, doc_get(t, "document")); /* by itself, so that places begin at its root */
    if (!json_read(name, buf_str(&text), &max, a, &document, &e) ||
        !jsonpath_run(path, &document->root, a, &w, &n) || !places_of(&n, a, &places)) {
        suite_case(false, name, "did not run");
        return;
    }
    values_of(&n, a, &values);
    suite_case(is_right(buf_str(&values), doc_get(t, "result"), doc_get(t, "results"), a), name,
               "values %s", values.s);
    suite_case(
        is_right(buf_str(&places), doc_get(t, "result_paths"), doc_get(t, "results_paths"), a),
        name, "places %s", places.s);
}

static void one(const struct doc *t)
{
    _arena_ struct arena a = { 0 };
    const char *name = arena_text(&a, doc_text(t, "name"));
    bool invalid = doc_get(t, "invalid_selector");
    const struct jsonpath *path;
    struct error e = { 0 };

    if (!jsonpath_read(doc_text(t, "selector"), &a, &path, &e))
        suite_case(invalid && e.msg[0] && e.at.line > 0, name, "refused: %s", e.msg);
    else if (invalid)
        suite_case(false, name, "was taken");
    else
        run(t, path, &a);
}

int main(void)
{
    _arena_ struct arena a = { 0 };
    const char *dir = suite_dir("jsonpath");
    struct ceilings max = ceilings_default();
    const struct document *suite;
    struct error e;

    if (!dir)
        return 0;
    if (!json_read("cts.json", suite_file(dir, "cts.json", &a), &max, &a, &suite, &e)) {
        suite_case(false, "cts.json", "refused: %s", e.msg);
        return suite_end();
    }
    for (const struct doc *t = doc_get(&suite->root, "tests")->first; t; t = t->next)
        one(t);
    return suite_end();
}
