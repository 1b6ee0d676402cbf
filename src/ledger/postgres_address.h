/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_address.h: the address of a server, and what of it people may see. */
#pragma once

#include "base/mem.h"

struct pg_address {
    const char *text;                                     /* as it was given */
    const char *user, *password, *host, *port, *database; /* as it is read; NULL: it has none */
};

/* Can none of its parts be one of the password? Of one with an @ or a / that is not written as %40
 * or %2F libpq takes a part for something else. */
bool pg_address_is_clear(const struct pg_address *p);

/* All but the password, of one that is clear. */
const char *pg_address_shown(const struct pg_address *p, struct arena *a)
    __attribute__((returns_nonnull));
