/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_skim.c: what is skimmed off the top of any text is what the parser says; of a text that is
 * cut, no less is asked. */
#include <assert.h>
#include <stdint.h>

#include "unit/adapter/skim_agrees.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct skimmed whole, part;
    bool certain, agrees;

    agrees = skim_agrees(text, true, &certain);
    assert(agrees);
    agrees = skim_agrees(text, false, &certain);
    assert(agrees);
    if (certain && skim_yaml((struct str){ text.s, size / 2 }, false, &part)) {
        bool again = skim_yaml(text, true, &whole);

        assert(again && str_eq(whole.adapter_id, part.adapter_id) && whole.type == part.type);
        assert(str_eq(whole.name, part.name) && str_eq(whole.tool_id, part.tool_id));
    }
    return 0;
}
