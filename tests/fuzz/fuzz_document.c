/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_document.c: any document, checked as every kind: each answers, and every problem it lists
 * has a place, a code and words. */
#include <assert.h>

#include "base/doc_read.h"
#include "contract/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kind_row *kind, const struct document *d, struct arena *a)
{
    struct report r = report_new(a, "fuzz", d->text);
    bool ok = kind_check(kind, &d->root, &r);

    report_finish(&r);
    assert(ok == (r.errors == 0));
    for (const struct problem *p = r.first; p; p = p->next)
        assert(p->line > 0 && p->col > 0 && p->code > CODE_NONE && p->code < CODE_COUNT &&
               p->msg[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;

    if (!doc_read("fuzz", (struct str){ (const char *)data, size }, &max, &a, &d, &e))
        return 0;
    (void)kind_of(&d->root);
    for (size_t i = 0; i < kind_count; i++)
        check(&kinds[i], d, &a);
    return 0;
}
