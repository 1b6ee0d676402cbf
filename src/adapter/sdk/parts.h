/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the files that bind functions of other languages hand on to each other. */
#pragma once

#include "adapter/sdk_bind.h"

/* One call, as far as it is the same in every language. */
struct sdk_function {
    const struct sdk_ask *ask;
    const struct sdk_interface *sdk;
    const char *module, *name; /* of the function */
    const char *base;          /* the package's directory; NULL: it is installed */
    const char *file;          /* the package's one file, below `base`; NULL: all of it */
    struct str input;
};

bool sdk_bind_script(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                     struct error *e) NODISCARD;
bool sdk_bind_go(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                 struct error *e) NODISCARD;
bool sdk_bind_rust(const struct sdk_function *f, struct arena *a, struct sdk_call *out,
                   struct error *e) NODISCARD;

/* Where links lead is known at the call: a project's adapter reads nothing that lies elsewhere. */
bool sdk_is_near(const struct adapter *adapter, const char *path);

/* ---- lists ---- */

/* A list of these words, up to a NULL. */
struct items sdk_words(struct arena *a, const char *const *words);

/* A list of these variables, name and value by turns, up to a NULL. */
struct items sdk_variables(struct arena *a, const char *const *words);

/* ---- what is built ---- */

/* The functions of all operations, each once: one program has them, and is told which. */
struct items sdk_functions(const struct sdk_function *f, struct arena *a); /* of struct str */

struct sdk_sources {
    struct pair *v;
    size_t n, room;
    size_t bytes;
};

/* Adds the files of the package, but for what is hidden or was built, by name in bytewise order.
 */
bool sdk_read_sources(const struct sdk_function *f, struct arena *a, struct sdk_sources *to,
                      struct error *e) NODISCARD;
void sdk_add_source(struct sdk_sources *to, const char *name, const char *text, struct arena *a);

/* The content of the source of that name, or NULL. */
const struct str *sdk_source(const struct sdk_sources *from, const char *name);

/* Whether a directory of that name can be put among them. */
bool sdk_has_room(const struct sdk_sources *from, const char *name, struct error *e) NODISCARD;

/* The program of that name in the caller's PATH, all links followed; NULL: there is none. */
const char *sdk_tool(const struct sdk_ask *ask, const char *name, struct arena *a);

/* Where the tool, which is in bin, has everything else, told by something that must be there; NULL:
 * it is not. */
const char *sdk_root(const char *tool, const char *has, struct arena *a);

/* What is built, with what, and what is left of it. */
struct sdk_plan {
    const char *tool;    /* its whole path */
    const char *root;    /* of what the tool needs to be read; NULL: nothing else */
    const char *product; /* below the directory */
    const char *const *words;
    const char *const *variables; /* name and value by turns */
};

/* Where the directory, and so the product, is by the digest of the sources, the tool and how it is
 * used. */
void sdk_bind_built(const struct sdk_function *f, const struct sdk_plan *plan,
                    const struct sdk_sources *sources, struct arena *a, struct sdk_call *out);
