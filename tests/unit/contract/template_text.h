/* SPDX-License-Identifier: Apache-2.0 */
/* template_text.h: a short template. Include after cmocka.h. */
#pragma once

#include "contract/template_doc.h"
#include "unit/contract/check.h"

static const char template[] = "name: nightly\n"
                               "steps:\n"
                               "- {name: fetch, run: [git, fetch]}\n"
                               "- {name: build, run: [make], after: [fetch], on_failure: retry}\n"
                               "- {name: report, action: notify, payload: {text: done}}\n";

static inline const struct template_doc *accept(struct checked *c, const char *from, const char *to)
{
    const struct template_doc *doc =
        check_text(c, &template_shape, check_swap(&c->a, template, from, to));

    check_clean(c);
    return doc;
}
