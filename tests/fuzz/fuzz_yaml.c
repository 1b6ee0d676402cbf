/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_yaml.c: any bytes are YAML or not; what is read is JSON that says the same. */
#include <assert.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf once = { .max = 1 << 26 }, twice = { .max = 1 << 26 };
    struct ceilings max = ceilings_default();
    const struct document *d, *again;
    struct error e;
    bool ok;

    if (!yaml_read("fuzz", (struct str){ (const char *)data, size }, &max, &a, &d, &e)) {
        assert(e.code != ERROR_NONE && e.at.line > 0 && e.msg[0]);
        return 0;
    }
    json_canon(&d->root, &a, &once);
    ok = json_read("again", buf_str(&once), &max, &a, &again, &e);
    assert(ok);
    json_canon(&again->root, &a, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    return 0;
}
