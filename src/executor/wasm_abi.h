/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_abi.h: what a compiled wasm executor shows to the worker that has loaded it.
 *
 * Both sides of the shared object read this file: the worker (serve_wasm.c) and the glue
 * (wasm_glue.c), which is compiled together with the module. docs/executors.md has the other half,
 * what a module must export.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WASM_SYMBOL "writ_executor"

enum {
    WASM_ABI = 1, /* of the struct below and of what a module exports */
    WASM_PAGE = 1 << 16,

    /* Stack: calls within calls times bytes a call stay below the 8 MiB that a process has. A call
     * that goes deeper traps; a function that needs more bytes is not compiled. */
    WASM_DEPTH = 1000,
    WASM_FRAME = 6144,

    /* What a module may have; the glue keeps room for so much. */
    WASM_TYPES = 1000,
    WASM_VALUES = 100, /* parameters, or results, of one function */
    WASM_TABLES = 4,
    WASM_ELEMENTS = 1 << 16, /* of one table */
};

enum wasm_end { WASM_OUTPUT, WASM_NOTHING, WASM_EXCEPTION };

struct wasm_executor {
    uint32_t abi;

    /* Once, before the first call: room for as much memory as the module may ever have. */
    bool (*reserve)(void);

    /* One call in a fresh instance. The output stays in the instance until it is forgotten. */
    enum wasm_end (*call)(const void *payload, uint32_t size, const void **output,
                          uint32_t *output_size);

    /* After each call: the instance is as it was before the first. */
    void (*forget)(void);
};
