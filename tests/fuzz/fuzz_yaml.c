/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_yaml.c: any bytes are YAML or not. */
#include "base/yaml.h"
#include "fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    round_trip(yaml_read, data, size);
    return 0;
}
