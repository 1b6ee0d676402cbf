/* SPDX-License-Identifier: Apache-2.0 */
/* json_pick.c: skips from value to value by quotes and brackets alone. */
#include "base/json_pick.h"

/* Behind the text that begins at `at` with a quote. */
static size_t skip_text(struct str s, size_t at)
{
    for (at++; at < s.n; at++) {
        const char *quote = memchr(s.s + at, '"', s.n - at);
        size_t back = 0;

        if (!quote)
            return s.n;
        at = (size_t)(quote - s.s);
        while (s.s[at - 1 - back] == '\\')
            back++;
        if (back % 2 == 0)
            return at + 1;
    }
    return s.n;
}

/* Behind the value that begins at `at`. */
static size_t skip_value(struct str s, size_t at)
{
    size_t depth = 0;

    while (at < s.n) {
        char c = s.s[at];

        if (c == '"') {
            at = skip_text(s, at);
            if (depth == 0)
                return at;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return at;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return at + 1;
        at++;
    }
    return s.n;
}

struct str json_pick(struct str map, const char *key)
{
    size_t at = 1;

    while (at < map.n && map.s[at] == '"') {
        size_t colon = skip_text(map, at), end;
        struct str name = { map.s + at + 1, colon - at - 2 };

        if (colon >= map.n)
            break;
        end = skip_value(map, colon + 1);
        if (str_is(name, key))
            return (struct str){ map.s + colon + 1, end - colon - 1 };
        at = end + 1;
    }
    return (struct str){ "", 0 };
}

bool json_pick_item(struct str list, size_t *at, struct str *item)
{
    size_t from = *at + 1;

    if (from >= list.n || list.s[from] == ']')
        return false;
    *at = skip_value(list, from);
    *item = (struct str){ list.s + from, *at - from };
    return true;
}

struct str json_pick_plain(struct str value)
{
    if (value.n < 2 || value.s[0] != '"' || memchr(value.s, '\\', value.n))
        return (struct str){ "", 0 };
    return (struct str){ value.s + 1, value.n - 2 };
}
