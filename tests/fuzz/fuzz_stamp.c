/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_stamp.c: any text is a timestamp or not; one that is compares equal to itself and, where
 * milliseconds can hold it, to what is written for it. */
#include <assert.h>

#include "base/num.h"
#include "base/stamp.h"
#include "base/uuid.h"
#include "contract/semver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct stamp stamp, again;
    struct semver version;
    const char *why = NULL;
    char written[STAMP_TEXT];
    int64_t whole;
    bool ok;

    (void)!uuid_v4(text, NULL);
    (void)!semver_read(text, &version);
    (void)!num_int(text, &whole);
    (void)!stamp_date(text);
    if (!stamp_read(text, &stamp, &why)) {
        assert(why && *why);
        return 0;
    }
    assert(stamp_cmp(&stamp, &stamp) == 0);
    if (stamp.leap || stamp.nano % 1000000 != 0)
        return 0;
    stamp_text(stamp_ms(&stamp), written);
    ok = stamp_read(str_of(written), &again, &why);
    assert(ok && stamp_cmp(&stamp, &again) == 0);
    return 0;
}
