/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_openapi.c: any document is an OpenAPI document or not; what is made of one is an adapter
 * without a problem, as YAML that reads back. */
#include <assert.h>

#include "adapter/import_openapi.h"
#include "base/doc_read.h"
#include "base/yaml.h"
#include "contract/adapter_doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_adapter(const struct import_made *made, struct arena *a)
{
    struct ceilings max = ceilings_default();
    struct report r = report_new(a, "adapter", made->yaml);
    struct adapter_doc decoded = { 0 };
    const struct document *document;
    struct error e = { 0 };
    bool good = yaml_read("adapter", made->yaml, &max, a, &document, &e);

    assert(good);
    good = shape_decode(&adapter_shape, &document->root, &r, &decoded);
    assert(good);
    assert(decoded.interface->api->endpoint_mapping.n == made->operations);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    struct import_ask ask = { .today = "2026-01-16" };
    const struct document *document;
    struct import_made made;
    struct error e = { 0 };

    if (!doc_read("api", (struct str){ (const char *)data, size }, &max, &a, &document, &e))
        return 0;
    ask.root = &document->root;
    if (import_openapi(&ask, &a, &made, &e))
        check_adapter(&made, &a);
    else
        assert(e.code && e.msg[0]);
    return 0;
}
