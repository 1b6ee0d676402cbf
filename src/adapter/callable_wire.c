/* SPDX-License-Identifier: Apache-2.0 */
/* callable_wire.c: the rules about what an adapter sends, and where to. */
#include "adapter/callable_rules.h"

#include "adapter/secret.h"
#include "contract/codes.h"

/* Decision 031: no document has a secret. */
void headers_without_secret(const struct adapter *adapter, struct report *r)
{
    const struct doc *c = adapter->doc.type == ADAPTER_API
                              ? doc_first(callable_member(adapter, "headers"), DOC_MAP)
                              : NULL;

    for (; c; c = c->next)
        if (header_secret(c->key))
            report_add(r, ABOUT_KEY, c, CODE_VALIDATION_ERROR,
                       "%s is a header for secrets, and no document has one; name the secret under "
                       "`secrets`, and let auth_method and auth send it",
                       said(c->key, r->a));
}
