/* SPDX-License-Identifier: Apache-2.0 */
/* round_trip.h: what a reader takes is written as canonical JSON, and read again as the same. */
#pragma once

#include <assert.h>

#include "base/json_read.h"
#include "base/json_write.h"

typedef bool reader(const char *file, struct str text, const struct ceilings *max, struct arena *a,
                    const struct document **out, struct error *e);

static inline void round_trip(reader *read_document, const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf once = { .max = 1 << 26 }, twice = { .max = 1 << 26 };
    struct ceilings max = ceilings_default();
    const struct document *d, *again;
    struct error e;
    bool ok;

    if (!read_document("fuzz", (struct str){ (const char *)data, size }, &max, &a, &d, &e)) {
        assert(e.code != ERROR_NONE && e.at.line > 0 && e.msg[0]);
        return;
    }
    json_canon(&d->root, &a, &once);
    ok = json_read("again", buf_str(&once), &max, &a, &again, &e);
    assert(ok);
    json_canon(&again->root, &a, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
}
