/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_json.c: any bytes are JSON or not. */
#include "fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    round_trip(json_read, data, size);
    return 0;
}
