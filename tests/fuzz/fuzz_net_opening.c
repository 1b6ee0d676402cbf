/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_net_opening.c: any bytes are a hello for a host or not, or an answer, and more of them
 * change nothing. */
#include <assert.h>

#include "sandbox/net/opening.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct host hosts[] = { { .name = "allowed.test", .length = 12 },
                                         { .name = "192.0.2.1", .length = 9, .is_address = true } };

    for (size_t i = 0; i < 5; i++) { /* of each host a first hello, a second one; an answer */
        enum opening_found before = OPENING_PART;

        for (size_t n = 0; n <= size; n += 1 + n / 8) {
            struct str bytes = { (const char *)data, n };
            const char *why = NULL;
            size_t taken = 0;
            enum opening_found found =
                i == 4 ? opening_answer(bytes, &taken, &why)
                       : opening_judge(bytes, &hosts[i & 1], i & 2, &taken, &why);

            assert((found == OPENING_WRONG) == (why != NULL));
            assert(before == OPENING_PART || found == before);
            assert(taken <= n);
            before = found;
        }
    }
    return 0;
}
