/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: what a service answered: its value, and the time it took. */
#include "adapter/api_bind.h"

struct value api_value(const struct http_answer *answer)
{
    struct str body = answer->body.s ? answer->body : (struct str){ "", 0 };

    /* RFC 8259: a byte order mark may be ignored, and a reader of JSON would stop at it. */
    if (str_begins(body, "\xef\xbb\xbf"))
        body = (struct str){ body.s + 3, body.n - 3 };
    return (struct value){ .bytes = body };
}

void api_spend(struct http_request *request, const struct http_answer *answer)
{
    int64_t left_ms = request->timeout_ms - answer->duration_ms;

    request->timeout_ms = left_ms > 0 ? left_ms : 1;
}
