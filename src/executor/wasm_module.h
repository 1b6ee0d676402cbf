/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_module.h: is this WebAssembly module an executor?
 *
 * Reads a module's sections just enough to decide what no compiler would refuse: that it imports
 * nothing, exports what an executor has and nothing else, and says how much memory it may use.
 * That its code is valid is for wasm2c to say.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"

enum {
    WASM_MODULE_BYTES = 4 << 20,
    WASM_PAGES_MOST = 1 << 14, /* 1 GiB: no limit may be larger */
};

struct wasm_module {
    uint32_t pages, max_pages; /* of its memory, 64 KiB each */
    bool starts;               /* it has a start function */
};

/* The module may have at most `max_pages` of memory. The message says what was found and what is
 * wanted. */
bool wasm_module_read(struct str bytes, uint32_t max_pages, struct wasm_module *out,
                      struct error *e) NODISCARD;
