/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_opening.c: any bytes are a hello for a host or not, and more of them change nothing. */
#include <assert.h>

#include "sandbox/net/opening.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct host hosts[] = { { .name = "allowed.test", .length = 12 },
                                         { .name = "192.0.2.1", .length = 9, .is_address = true } };

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        enum opening_found before = OPENING_PART;

        for (size_t n = 0; n <= size; n += 1 + n / 8) {
            const char *why = NULL;
            enum opening_found found =
                opening_judge((struct str){ (const char *)data, n }, &hosts[i], &why);

            assert((found == OPENING_WRONG) == (why != NULL));
            assert(before == OPENING_PART || found == before);
            before = found;
        }
    }
    return 0;
}
