/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_redact.c: a text that was redacted has none of the secrets between its marks, and JSON
 * without the values of headers is JSON. The first byte says how long the two secrets are; they
 * come first, then the text. */
#include <assert.h>

#include "adapter/secret.h"
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] = "[redacted]";

static bool has(struct str text, struct str word)
{
    return word.n && memmem(text.s, text.n, word.s, word.n) != NULL;
}

/* The pieces between marks. */
static void check_clean(struct str text, const struct secrets *all)
{
    while (text.n) {
        const char *end = memmem(text.s, text.n, mark, sizeof mark - 1);
        size_t n = end ? (size_t)(end - text.s) : text.n;

        for (size_t i = 0; i < all->n; i++)
            assert(all->v[i].value.n < 4 || !has((struct str){ text.s, n }, all->v[i].value));
        n += end ? sizeof mark - 1 : 0;
        text = (struct str){ text.s + n, text.n - n };
    }
}

/* Two names that are cut may be one then. */
static bool is_json(struct str text, struct arena *a)
{
    struct ceilings max = ceilings_none();
    const struct document *d;
    struct error e;

    return json_read("fuzz", text, &max, a, &d, &e) || e.code == ERROR_DUPLICATE;
}

static void check_headers(struct str text, struct arena *a)
{
    struct secrets none = { .headers_too = true };
    struct str out = redact(text, &none, a);

    assert(out.s == text.s || !is_json(text, a) || is_json(out, a));
    redact_cut(text, &none, a);
    redact_tail(text, &none, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    const char *bytes = (const char *)data;
    struct secret v[2];
    struct secrets all = { .v = v, .n = COUNT(v) };
    size_t first, second;
    struct str text, out;

    if (size < 1)
        return 0;
    first = data[0] & 15;
    second = data[0] >> 4;
    if (size < 1 + first + second)
        return 0;
    v[0] = (struct secret){ .value = { bytes + 1, first } };
    v[1] = (struct secret){ .value = { bytes + 1 + first, second } };
    text = (struct str){ bytes + 1 + first + second, size - 1 - first - second };
    out = redact(text, &all, &a);
    check_clean(out, &all);
    assert(out.s == text.s || has(out, (struct str){ mark, sizeof mark - 1 }));
    all.headers_too = true;
    check_clean(redact(text, &all, &a), &all);
    check_headers(text, &a);
    return 0;
}
