/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_jsonschema.c: the first line is a schema, the rest a document, both anybody's. The short
 * answer and the one with words agree, every problem has a place and words, and it ends. */
#include <assert.h>

#include "base/json_read.h"
#include "base/jsonschema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 1 << 20, CODE = 50 };

static void look_at(struct report *r)
{
    report_finish(r);
    for (const struct problem *p = r->first; p; p = p->next)
        assert(p->line > 0 && p->col > 0 && p->msg[0]);
}

static void check(const struct jsonschema *s, const struct document *d, struct arena *a)
{
    struct report r = report_new(a, "document", d->text);
    struct work quick = { .left = STEPS }, full = { .left = STEPS };
    bool ok = jsonschema_check(s, &d->root, a, &quick, NULL);
    bool again = jsonschema_check(s, &d->root, a, &full, &r);

    look_at(&r);
    if (full.over)
        return;
    assert(ok == again && again == (r.errors == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    const char *text = (const char *)data, *end = size ? memchr(text, '\n', size) : NULL;
    size_t n = end ? (size_t)(end - text) : size;
    struct ceilings max = ceilings_default();
    const struct document *schema, *document;
    const struct jsonschema *s;
    struct error e;

    if (!json_read("schema", (struct str){ text, n }, &max, &a, &schema, &e))
        return 0;
    for (enum schema_draft draft = SCHEMA_2020_12; draft <= SCHEMA_DRAFT_07; draft++) {
        const struct schema_options options = { .draft = draft, .formats = true, .code = CODE };
        struct report r = report_new(&a, "schema", schema->text);
        bool ok = jsonschema_read(schema, &options, &a, &s, &r);

        look_at(&r);
        assert(ok == (r.errors == 0));
        if (ok && end &&
            json_read("document", (struct str){ end + 1, size - n - 1 }, &max, &a, &document, &e))
            check(s, document, &a);
    }
    return 0;
}
