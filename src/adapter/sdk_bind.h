/* SPDX-License-Identifier: Apache-2.0 */
/* sdk_bind.h: parameters become a call of a function in another language.
 *
 * The parameters go in as JSON on standard input, the result comes back as JSON on descriptor 3;
 * stdout and stderr are the function's own. {"ok":true,"value":..} or
 * {"ok":false,"error":{"type":..,"message":..}} and exit code 1, or what the function ended with.
 *
 * Python and node are given a short program of ours as an argument. Go and Rust are built once, by
 * a run of their own in the sandbox, and kept by the digest of what they were built from.
 *
 * A package that begins with "./", "../" or "/" is a directory, or a file in one, on whose path the
 * module is found; anything else is a package that is installed. The module is import_path, and the
 * function what function_mapping has for the operation. Python is given the parameters as keyword
 * arguments, node as one object, and Go as one value that JSON fills; Rust is given their text:
 * fn(&str) -> Result<String, String>.
 */
#pragma once

#include "adapter/adapter.h"
#include "adapter/cli_bind.h"

struct sdk_ask {
    const struct adapter *adapter;
    struct str operation;
    const struct doc *params; /* a map; NULL: none */
    const char *cache;        /* where programs that were built are kept */
    const char *path;         /* the caller's PATH, for go and cargo; NULL: the usual places */
    const char *home;         /* the caller's HOME, for what rustup has there; NULL: none */
};

struct sdk_build {
    const char *directory; /* that is made and filled with `files` */
    struct pair *files;    /* name below it, content */
    size_t file_count;
    struct cli_call call; /* run with `directory` as its working directory */
    struct items read;    /* of struct str: paths it needs besides */
    const char *product;  /* the program it leaves, below the directory; its whole path */
    int64_t timeout_ms, memory_mb, max_children;
};

struct sdk_call {
    struct cli_call call;
    struct items read; /* of struct str: paths the run needs besides its working directory */
    const struct sdk_build
        *build; /* to be run before, where its product is not there; NULL: none */
};

bool sdk_bind(const struct sdk_ask *ask, struct arena *a, struct sdk_call *out,
              struct error *e) NODISCARD;

/* The program that runs functions of that language; .n is 0: they are programs themselves. */
struct str sdk_interpreter(const struct sdk_interface *sdk);

/* Makes the directory anew, with its files: what an earlier build left half done is gone. */
bool sdk_lay_out(const struct sdk_build *build, struct error *e) NODISCARD;

/* The same build in a directory that is nobody else's: several may build the same at once, and one
 * that is cut short leaves nothing that looks like a product. `id`: no one has it. */
struct sdk_build sdk_beside(const struct sdk_build *build, const char *id, struct arena *a);

/* Removes what builds of the same that were killed long ago have left. */
void sdk_sweep(const struct sdk_build *build, int64_t now_ms);

/* It was built: its directory takes the place of `build`, in one move. Who came first stays. */
bool sdk_settle(const struct sdk_build *beside, const struct sdk_build *build,
                struct error *e) NODISCARD;

/* What the function gave, from the bytes of descriptor 3. False: it failed or said nothing of that
 * form; *e has its own words, one line. */
bool sdk_value(struct str bytes, struct arena *a, struct value *out, struct error *e) NODISCARD;
