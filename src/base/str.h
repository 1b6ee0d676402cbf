/* SPDX-License-Identifier: Apache-2.0 */
/* str.h: text that comes with its length.
 *
 * A str is lent, never owned: it points into an arena, a literal or the caller's buffer. It may
 * hold any byte, NUL included, and is not terminated unless its maker says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *s;
    size_t n;
};

/* For printf's "%.*s". */
#define STR_ARG(t) (int)(t).n, (t).s

static inline struct str str_of(const char *text)
{
    return (struct str){ text, strlen(text) };
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || (a.s[0] == b.s[0] && memcmp(a.s, b.s, a.n) == 0));
}

/* A text with a NUL in it is no C string and is not equal to any. */
static inline bool str_is(struct str a, const char *text)
{
    for (size_t i = 0; i < a.n; i++)
        if (text[i] == '\0' || text[i] != a.s[i])
            return false;
    return text[a.n] == '\0';
}

static inline bool str_begins(struct str a, const char *with)
{
    size_t n = strlen(with);

    return a.n >= n && memcmp(a.s, with, n) == 0;
}

/* Is it one of these characters? strchr() alone would also find the NUL that ends them. */
static inline bool is_one_of(char c, const char *these)
{
    return c && strchr(these, c);
}

/* What is behind the first n bytes of a text that has at least as many. */
static inline struct str str_from(struct str t, size_t n)
{
    return n ? (struct str){ t.s + n, t.n - n } : t; /* NULL has no place, not even its own */
}

/* The text without these characters at its ends, at its beginning, at its end. */
struct str str_trim(struct str t, const char *these);
struct str str_trim_start(struct str t, const char *these);
struct str str_trim_end(struct str t, const char *these);

/* Has it these characters alone? A text without bytes has. */
bool str_only(struct str t, const char *these);

/* Cuts off and returns what comes before the first of these characters, or all of it. */
struct str str_cut(struct str *rest, const char *between);

/* The same behind those that lead it: a word between any number of them. No bytes: there is none.
 */
struct str str_word(struct str *rest, const char *between);

/* Are these all characters of ASCII that can be seen, and blanks? */
bool str_visible(struct str t);

/* Bytewise order, a shorter prefix first: what contract 000 calls lexical. */
int str_cmp(struct str a, struct str b);

/* The same with A-Z taken for a-z, as in a UUID. */
int str_cmp_letters(struct str a, struct str b);

/* Characters (code points) in valid UTF-8 text. */
size_t str_chars(struct str t);

/* The candidate nearest to what was typed, or NULL when none is near enough to suggest. */
const char *str_nearest(struct str typed, const char *const *candidates, size_t count);
