/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_line_diff.c: two texts, with a NUL between them: the diff leads from one to the other, also
 * where its work is over early. */
#include <assert.h>
#include <stdint.h>

#include "base/line_diff.h"
#include "fuzz/apply_hunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void there(struct str before, struct str after, uint64_t steps)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf diff = { .max = 1 << 26 }, out = { .max = 1 << 26 };
    struct work w = { .left = steps };
    size_t changed;
    bool applies;

    line_diff(before, after, &w, &a, &diff);
    assert(str_eq(before, after) ? diff.len == 0 : diff.len > 0);
    applies = hunks_apply(before, buf_str(&diff), &out, &changed);
    assert(applies);
    assert(str_eq(buf_str(&out), after));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *nul = size ? memchr(text, '\0', size) : NULL;
    struct str first, second;

    if (!nul)
        return 0;
    first = (struct str){ text, (size_t)(nul - text) };
    second = (struct str){ nul + 1, size - first.n - 1 };
    if (memchr(second.s, '\0', second.n))
        return 0;
    there(first, second, UINT64_C(1) << 30);
    there(second, first, UINT64_C(1) << 30);
    there(first, second, size % 97);
    return 0;
}
