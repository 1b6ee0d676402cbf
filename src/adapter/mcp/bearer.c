/* SPDX-License-Identifier: Apache-2.0 */
/* bearer.c: a secret as the token that every request to a server brings. */
#include "adapter/mcp.h"
#include "adapter/secret.h"
#include "contract/codes.h"

bool mcp_bearer(struct mcp_ask *ask, const struct secret *secret, struct arena *a, struct error *e)
{
    struct http_header *header;

    if (!secret_fits_header(secret->value))
        return error_set(e, CODE_SECRET_MISSING,
                         "the secret %.*s has a control character or one beyond ASCII, which no "
                         "header takes",
                         STR_ARG(secret->name));
    header = arena_new(a, struct http_header);
    header->name = str_of("Authorization");
    header->value = str_of(arena_printf(a, "Bearer %.*s", STR_ARG(secret->value)));
    ask->headers = header;
    ask->header_count = 1;
    return true;
}
