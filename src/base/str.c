/* SPDX-License-Identifier: Apache-2.0 */
/* str.c: comparing text, cutting it, counting its characters, and guessing what was meant. */
#include "base/str.h"

#include "base/own.h"

/* Eight at a time: a byte below 0x20 borrows, one above 0x7e carries into its highest bit. */
bool str_visible(struct str t)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t bad = 0, eight;

    for (; t.n >= sizeof eight; t = (struct str){ t.s + sizeof eight, t.n - sizeof eight }) {
        memcpy(&eight, t.s, sizeof eight);
        bad |= eight | (eight + ones) | ~((eight | tops) - 0x20 * ones);
    }
    for (size_t i = 0; i < t.n; i++)
        if (t.s[i] < ' ' || t.s[i] > '~')
            return false;
    return !(bad & tops);
}

struct str str_trim_start(struct str t, const char *these)
{
    size_t n = 0;

    while (n < t.n && is_one_of(t.s[n], these))
        n++;
    return str_from(t, n);
}

struct str str_trim_end(struct str t, const char *these)
{
    while (t.n && is_one_of(t.s[t.n - 1], these))
        t.n--;
    return t;
}

struct str str_trim(struct str t, const char *these)
{
    return str_trim_end(str_trim_start(t, these), these);
}

bool str_only(struct str t, const char *these)
{
    return str_trim_start(t, these).n == 0;
}

/* Mostly it is one character, for which memchr() is fast. */
struct str str_cut(struct str *rest, const char *between)
{
    struct str word = { rest->s, 0 };

    if (rest->n && strlen(between) == 1) {
        const char *found = memchr(rest->s, between[0], rest->n);

        word.n = found ? (size_t)(found - rest->s) : rest->n;
    }
    while (word.n < rest->n && !is_one_of(rest->s[word.n], between))
        word.n++;
    *rest = str_from(*rest, word.n + (word.n < rest->n));
    return word;
}

struct str str_word(struct str *rest, const char *between)
{
    *rest = str_trim_start(*rest, between);
    return str_cut(rest, between);
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.s, b.s, n) : 0;

    if (order != 0)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : (unsigned char)c;
}

int str_cmp_letters(struct str a, struct str b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++)
        if (lower(a.s[i]) != lower(b.s[i]))
            return lower(a.s[i]) - lower(b.s[i]);
    return a.n < b.n ? -1 : a.n > b.n;
}

size_t str_chars(struct str t)
{
    size_t n = 0;

    for (size_t i = 0; i < t.n; i++)
        n += ((unsigned char)t.s[i] & 0xc0) != 0x80;
    return n;
}

/* A third of the letters may be wrong, of long words only a few: two ids are always a bit alike. */
enum { NEAR_MAX = 64, MOST = 4 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits that turn a into b: insert, drop, replace, swap two neighbours; both at most NEAR_MAX
 * bytes. row[i] is about the first i letters of a. */
static size_t edits(struct str a, struct str b)
{
    size_t rows[3][NEAR_MAX + 1];

    for (size_t i = 0; i <= a.n; i++) {
        size_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            bool swap = i > 1 && j > 1 && a.s[i - 1] == b.s[j - 2] && a.s[i - 2] == b.s[j - 1];

            row[j] = row[j - 1] + 1;
            if (i > 0)
                row[j] =
                    least(row[j], least(before[j] + 1, before[j - 1] + (a.s[i - 1] != b.s[j - 1])));
            if (swap)
                row[j] = least(row[j], two_before[j - 2] + 1);
        }
    }
    return rows[a.n % 3][b.n];
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The same word, capitals or not: whatever the locale. */
static bool same_word(struct str a, struct str b)
{
    size_t i = 0;

    while (i < a.n && i < b.n && small(a.s[i]) == small(b.s[i]))
        i++;
    return i == a.n && i == b.n;
}

/* How far apart two words are; the beginning of a word is one step away from it, and so is the word
 * in other letters: plan_timeout for PLAN_TIMEOUT. */
static size_t distance(struct str typed, struct str word)
{
    bool begins = typed.n >= 3 && word.n >= typed.n && memcmp(typed.s, word.s, typed.n) == 0;

    if (!begins && same_word(typed, word))
        return 1;
    return begins ? word.n > typed.n : word.n > NEAR_MAX ? NEAR_MAX : edits(typed, word);
}

const char *str_nearest(struct str typed, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t third = typed.n <= 4 ? 1 : typed.n / 3 + 1, nearest = (third < MOST ? third : MOST) + 1;

    if (typed.n == 0 || typed.n > NEAR_MAX)
        return NULL;
    if (nearest > typed.n)
        nearest = typed.n; /* nothing of what was typed would be left */
    for (size_t i = 0; i < count; i++) {
        size_t n = distance(typed, str_of(candidates[i]));

        if (n < nearest) {
            best = candidates[i];
            nearest = n;
        }
    }
    return best;
}
