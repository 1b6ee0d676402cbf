/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar.c: what a plain YAML word means, by the core schema of YAML 1.2 (chapter 10.3). */
#include "base/yaml_scalar.h"

#include "base/num.h"
#include "base/number.h"

static const struct word {
    const char *text;
    enum doc_kind kind;
    bool truth;
} words[] = {
    { "", DOC_NULL },           { "~", DOC_NULL },          { "null", DOC_NULL },
    { "Null", DOC_NULL },       { "NULL", DOC_NULL },       { "true", DOC_BOOL, true },
    { "True", DOC_BOOL, true }, { "TRUE", DOC_BOOL, true }, { "false", DOC_BOOL },
    { "False", DOC_BOOL },      { "FALSE", DOC_BOOL },
};

static const char *const unreal[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };

static const struct word *find_word(struct str t)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_is(t, words[i].text))
            return &words[i];
    return NULL;
}

static bool is_unreal(struct str t)
{
    bool sign = t.n > 0 && (*t.s == '-' || *t.s == '+');
    struct str bare = { t.s + sign, t.n - sign };

    for (size_t i = 0; i < COUNT(unreal); i++)
        if (str_is(bare, unreal[i]) && !(sign && unreal[i][1] != 'i' && unreal[i][1] != 'I'))
            return true;
    return false;
}

static size_t digits(struct str t, size_t i)
{
    size_t begin = i;

    while (i < t.n && t.s[i] >= '0' && t.s[i] <= '9')
        i++;
    return i - begin;
}

/* [-+]? ( .[0-9]+ | [0-9]+ ( .[0-9]* )? ) ( [eE][-+]?[0-9]+ )? */
static bool is_number(struct str t)
{
    size_t i = t.n > 0 && (*t.s == '-' || *t.s == '+');
    size_t before = digits(t, i), after = 0, exponent;

    i += before;
    if (i < t.n && t.s[i] == '.') {
        after = digits(t, i + 1);
        i += 1 + after;
    }
    if (before + after == 0)
        return false;
    if (i == t.n)
        return true;
    if ((t.s[i] | 0x20) != 'e')
        return false;
    i++;
    i += i < t.n && (t.s[i] == '-' || t.s[i] == '+');
    exponent = digits(t, i);
    return exponent > 0 && i + exponent == t.n;
}

/* 0o17 and 0x1F. Zero when t is neither; the base otherwise. */
static int other_base(struct str t)
{
    int base = t.n < 3 || t.s[0] != '0' ? 0 : t.s[1] == 'o' ? 8 : t.s[1] == 'x' ? 16 : 0;

    for (size_t i = 2; base && i < t.n; i++) {
        int digit = num_hex(t.s[i]);

        if (digit < 0 || digit >= base)
            base = 0;
    }
    return base;
}

static bool read_based(struct str t, int base, struct doc *d, const char **why)
{
    int64_t n = 0;

    for (size_t i = 2; i < t.n; i++) {
        n = n * base + num_hex(t.s[i]);
        *why = "is above 2^53 - 1; write it as text";
        if (n >= INT64_C(1) << 53)
            return false;
    }
    d->kind = DOC_INT;
    d->whole = n;
    return true;
}

/* Without the plus and the leading zeros, the rest is what number_read() takes. */
static struct str without_plus(struct str t, char copy[NUMBER_MAX])
{
    size_t i = *t.s == '-' || *t.s == '+', n = 0;

    if (*t.s == '-')
        copy[n++] = '-';
    while (t.n - i > 1 && t.s[i] == '0' && t.s[i + 1] >= '0' && t.s[i + 1] <= '9')
        i++;
    memcpy(copy + n, t.s + i, t.n - i);
    return (struct str){ copy, n + t.n - i };
}

static bool read_decimal(struct str t, struct doc *d, const char **why)
{
    char copy[NUMBER_MAX];

    *why = "has too many digits";
    return t.n < sizeof copy && number_read(without_plus(t, copy), d, why);
}

bool yaml_number(struct str text, struct arena *a, struct doc *d)
{
    char copy[NUMBER_MAX];
    const char *point = memchr(text.s, '.', text.n);

    if (text.n >= sizeof copy || !is_number(text))
        return false;
    if (point && (point == text.s || digits(text, (size_t)(point - text.s) - 1) == 0 ||
                  digits(text, (size_t)(point - text.s) + 1) == 0))
        return false; /* .5 and 5. are YAML's own */
    number_keep(without_plus(text, copy), a, d);
    return true;
}

bool yaml_scalar(struct str text, struct doc *d, const char **why)
{
    const struct word *word = find_word(text);
    int base = other_base(text);

    if (word) {
        d->kind = word->kind;
        d->truth = word->truth;
        return true;
    }
    if (base)
        return read_based(text, base, d, why);
    if (is_number(text))
        return read_decimal(text, d, why);
    *why = "is not a number JSON has";
    if (is_unreal(text))
        return false;
    d->kind = DOC_TEXT;
    d->text = text;
    return true;
}
