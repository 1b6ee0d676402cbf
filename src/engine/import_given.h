/* SPDX-License-Identifier: Apache-2.0 */
/* import_given.h: what a server was started with for an import, and what people must know of it.
 *
 * Its command stands in the adapter and in the ledger as it is. Of what it was given besides, an
 * adapter has hosts, and the names of variables that hold a secret.
 */
#pragma once

#include "adapter/import_openapi.h"
#include "contract/secret_doc.h"

struct import_given {
    bool network;                /* it was let out, however far */
    const struct doc *hosts;     /* the first of those that it reaches; NULL: none is named */
    const struct doc *variables; /* the first of those that it has */
    struct secret_doc *secrets;  /* variables that are secrets, and where each is found */
    size_t secret_count;
};

/* False, and why, where a word is a URL with a login. */
bool import_no_login(const char *const *argv, struct error *e) NODISCARD;

/* Options as of struct writ_command; NULL: there are none. */
struct import_given import_given(const char *options, struct arena *a);

/* What of these the adapter does not have, or has and had better not. */
void import_warn_of_words(const char *const *argv, struct arena *a, struct import_made *made);
void import_warn_of_given(const struct import_given *given, struct arena *a,
                          struct import_made *made);
