/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sdk_value.c: any bytes are a result or not; a value is given whole, and a failure says why
 * in one line. */
#include <assert.h>

#include "adapter/sdk_bind.h"
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is given as bytes is the value's text, or JSON. */
static void check_value(const struct value *v, struct arena *a)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct error e = { 0 };
    bool ok;

    assert(v->doc && v->bytes.s);
    ok = v->doc->kind == DOC_TEXT || json_read("value", v->bytes, &max, a, &document, &e);
    assert(ok);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    struct str bytes = { arena_text(&a, (struct str){ (const char *)data, size }), size };
    struct value value = { 0 };
    struct error e = { 0 };

    if (sdk_value(bytes, &a, &value, &e))
        check_value(&value, &a);
    else
        assert(e.code && e.msg[0] && !strchr(e.msg, '\n') && !value.doc);
    return 0;
}
