/* SPDX-License-Identifier: Apache-2.0 */
/* header.c: which headers an adapter may send. */
#include "adapter/api_bind.h"

#include "adapter/api/text.h"

/* RFC 9110: a name is a token. */
static bool is_token(struct str name)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (size_t i = 0; i < name.n; i++)
        if (!is_one_of(name.s[i], token))
            return false;
    return name.n > 0;
}

bool api_header_by_itself(struct str name)
{
    return header_ours(name);
}

const char *api_header_refused(struct str name)
{
    if (!is_token(name))
        return "has a character that no header's name has: letters, digits and - _ . are allowed";
    return header_ours(name) ? "belongs to the connection, which says it by itself; leave it out"
                             : NULL;
}

bool api_type_sendable(struct str type)
{
    return header_safe(type);
}
