/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_regex.c: the first line is a pattern, the rest a text. In both dialects a pattern is taken
 * or refused with words; taken twice it says the same of the text, and what matches whole is found.
 */
#include <assert.h>

#include "base/regex.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 1: the whole text, 2: a part of it, 4: out of work. */
static int verdict(const struct regex *r, struct str text)
{
    _arena_ struct arena a = { 0 };
    struct work w = { .left = 1 << 20 };
    int found = regex_whole(r, text, &w, &a) + 2 * regex_search(r, text, &w, &a);

    assert(found != 1 || w.over);
    return w.over ? 4 : found;
}

static void one(enum regex_dialect dialect, struct str pattern, struct str text)
{
    _arena_ struct arena a = { 0 };
    const struct regex *r, *again;
    struct error e = { 0 };
    bool ok = regex_read(pattern, dialect, &a, &r, &e);
    int once;

    assert(ok || (e.code != ERROR_NONE && e.msg[0]));
    if (!ok)
        return;
    ok = regex_read(pattern, dialect, &a, &again, &e);
    assert(ok);
    once = verdict(r, text);
    assert(verdict(again, text) == once);
    /* What was learned makes it cheaper and changes nothing. */
    assert(once == 4 || verdict(r, text) == once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *s = (const char *)data, *line = size ? memchr(s, '\n', size) : NULL;
    size_t n = line ? (size_t)(line - s) : size;
    struct str text = { line ? line + 1 : "", line ? size - n - 1 : 0 };

    if (size == 0)
        return 0;
    one(REGEX_I, (struct str){ s, n }, text);
    one(REGEX_ECMA, (struct str){ s, n }, text);
    return 0;
}
