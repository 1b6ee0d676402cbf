/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_wasm.c: any bytes are an executor's module or not; one that is keeps within its limits. */
#include <assert.h>

#include "executor/wasm_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };
    struct wasm_module m = { 0 }, again = { 0 };
    struct error e = { 0 };

    if (!wasm_module_read(bytes, 64, &m, &e)) {
        assert(e.code && e.msg[0]);
        assert(m.max_pages == 0 && !m.starts);
        return 0;
    }
    assert(m.pages <= m.max_pages && m.max_pages <= 64);
    assert(wasm_module_read(bytes, m.max_pages, &again, &e));
    assert(again.pages == m.pages && again.starts == m.starts);
    if (m.max_pages > 0)
        assert(!wasm_module_read(bytes, m.max_pages - 1, &again, &e));
    return 0;
}
