/* SPDX-License-Identifier: Apache-2.0 */
/* header.c: which headers an adapter may send. */
#include "adapter/api_bind.h"

#include "adapter/api/body.h"
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

/* A * is a character of tokens, and stands for many types: a body is of one. */
const char *api_type_refused(struct str type)
{
    struct str alone = type_alone(type), first = alone;
    const char *slash = alone.n ? memchr(alone.s, '/', alone.n) : NULL;

    if (!header_safe(type))
        return "has a line end or another control character";
    if (slash)
        first.n = (size_t)(slash - alone.s);
    if (type.n && (!slash || !is_token(first) || !is_token(str_from(alone, first.n + 1)) ||
                   memchr(alone.s, '*', alone.n)))
        return "is no media type";
    return NULL;
}

bool api_type_is_form(struct str type)
{
    return body_kind(type) == BODY_FORM;
}

bool api_type_is_text(struct str type)
{
    return body_kind(type) == BODY_TEXT;
}
