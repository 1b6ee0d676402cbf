/* SPDX-License-Identifier: Apache-2.0 */
/* sdk_bind.h: parameters become a call of a function in another language.
 *
 * The parameters go in as JSON on standard input, the result comes back as JSON on descriptor 3;
 * stdout and stderr are the function's own. {"ok":true,"value":..} or
 * {"ok":false,"error":{"type":..,"message":..}} and exit code 1.
 *
 * Python and node are given a short program of ours as an argument. Go and Rust are built once, by
 * a run of their own in the sandbox, and kept by the digest of what they were built from.
 */
#pragma once

#include "adapter/adapter.h"
#include "adapter/cli_bind.h"

struct sdk_build {
    const char *directory; /* that is made and filled with `files` */
    struct pair *files;    /* name below it, content */
    size_t file_count;
    struct cli_call call; /* run with `directory` as its working directory */
    struct items read;    /* of struct str: paths it needs besides */
    const char *product;  /* the program it leaves, below the directory */
    int64_t timeout_ms, memory_mb, max_children;
};

struct sdk_call {
    struct cli_call call;
    struct items read; /* of struct str: paths the run needs besides its working directory */
    const struct sdk_build
        *build; /* to be run before, where its product is not there; NULL: none */
};

/* `cache`: where programs that were built are kept. */
bool sdk_bind(const struct adapter *adapter, struct str operation, const struct doc *params,
              const char *cache, struct arena *a, struct sdk_call *out, struct error *e) NODISCARD;

/* What the function gave, from the bytes of descriptor 3. False: it failed or said nothing of that
 * form; *e has its own words, one line. */
bool sdk_value(struct str bytes, struct arena *a, struct value *out, struct error *e) NODISCARD;
