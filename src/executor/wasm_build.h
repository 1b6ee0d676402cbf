/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_build.h: a WebAssembly module as a shared object that a worker can call.
 *
 * wasm2c (of the package wabt) turns the module into C, a C compiler turns that into an object. The
 * object lives in a cache, in a directory named after everything it was made from; beside it is
 * its digest. Only registering an executor compiles; calling one only checks.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

/* Who runs the compilers. */
struct builder {
    /* Runs argv[0], found where programs are found, until it ends; its working directory is `dir`,
     * the one place it has to write to. What it prints on both streams is added to `said`. False
     * unless it ended with 0: CODE_COMMAND_FAILED where it ended otherwise, another code where it
     * did not run; e->sys is ENOENT where there is no such program. */
    bool (*run)(void *self, const char *const *argv, const char *dir, struct buf *said,
                struct error *e);
    void *self;
};

struct wasm_build {
    struct str module;  /* the bytes */
    uint32_t max_pages; /* of memory that it may have, 64 KiB each */
    const char *cache;  /* a directory; made when it is not there */
    const struct builder *builder;
};

/* *object is the path of the shared object, made or found; it lives in the arena. Several may build
 * the same at once. A message about the module says what was found in it and what is wanted; one
 * about a missing compiler names its package. */
bool wasm_build(const struct wasm_build *how, struct arena *a, const char **object,
                struct error *e) NODISCARD;

/* Is the object still what was built? To ask before each start of a worker. */
bool wasm_object_check(const char *object, struct error *e) NODISCARD;
