/* SPDX-License-Identifier: Apache-2.0 */
/* class.c: which characters an escape or a class in [] stands for, by dialect. */
#include "base/num.h"
#include "base/regex/parts.h"

/* One item of a class: a character, which may begin a range, or a set, which may not. */
struct item {
    bool is_set;
    uint32_t point;
    struct set set;
};

static bool is_point(struct item *out, uint32_t point)
{
    out->is_set = false;
    out->point = point;
    return true;
}

/* --- \p{..} --- */

static const struct {
    const char *name;
    uint32_t lo, hi;
} binary[] = { { "Any", 0, UNICODE_LAST }, { "ASCII", 0, 0x7f } };

static uint32_t without_prefix(struct str name)
{
    static const char *const prefix[] = { "gc=", "General_Category=" };

    for (size_t i = 0; i < COUNT(prefix); i++) {
        size_t n = strlen(prefix[i]);

        if (str_begins(name, prefix[i]))
            return unicode_named((struct str){ name.s + n, name.n - n });
    }
    return unicode_named(name);
}

static bool named(struct pattern *p, struct str name, struct set *out)
{
    bool strict = p->dialect == REGEX_I;
    uint32_t categories = strict ? unicode_short(name) : without_prefix(name);

    if (strict && (str_is(name, "LC") || str_is(name, "Cs")))
        categories = 0;
    for (size_t i = 0; !strict && i < COUNT(binary); i++) {
        if (str_is(name, binary[i].name)) {
            regex_set_add(out, p->a, binary[i].lo, binary[i].hi);
            return true;
        }
    }
    if (!strict && str_is(name, "Assigned"))
        categories = ~(UINT32_C(1) << UNICODE_CN);
    if (categories == 0)
        return regex_wrong(p, (size_t)(name.s - p->text.s),
                           "found '%.*s', expected a general category of Unicode such as L or Nd",
                           (int)(name.n > 40 ? 40 : name.n), name.s);
    regex_set_categories(out, p->a, categories);
    return true;
}

static bool property(struct pattern *p, bool others, struct item *out)
{
    size_t at = p->at, from;

    if (!regex_eat(p, '{'))
        return regex_wrong(p, at, "a category is written \\p{..}");
    from = p->at;
    while (!regex_end(p) && p->text.s[p->at] != '}')
        p->at++;
    if (regex_end(p))
        return regex_wrong(p, at, "a category is written \\p{..}");
    if (!named(p, (struct str){ p->text.s + from, p->at - from }, &out->set))
        return false;
    p->at++;
    if (others)
        regex_set_turn(&out->set, p->a);
    out->is_set = true;
    return true;
}

/* --- characters by number --- */

/* Exactly n digits; nothing is taken where they are not there. */
static bool hex(struct pattern *p, size_t n, uint32_t *out)
{
    uint32_t point = 0;

    if (p->text.n - p->at < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int digit = num_hex(p->text.s[p->at + i]);

        if (digit < 0)
            return false;
        point = point << 4 | (uint32_t)digit;
    }
    p->at += n;
    *out = point;
    return true;
}

/* \u{1f432} */
static bool braced(struct pattern *p, uint32_t *out)
{
    size_t from = p->at;
    uint32_t point = 0;

    for (; !regex_end(p) && num_hex(p->text.s[p->at]) >= 0 && point <= UNICODE_LAST; p->at++)
        point = point << 4 | (uint32_t)num_hex(p->text.s[p->at]);
    if (p->at == from || point > UNICODE_LAST || !regex_eat(p, '}'))
        return regex_wrong(p, from, "a character by number is \\u{0} to \\u{10ffff}");
    *out = point;
    return true;
}

static bool by_number(struct pattern *p, uint32_t *out)
{
    size_t at = p->at, second;
    uint32_t low;

    if (regex_eat(p, '{'))
        return braced(p, out);
    if (!hex(p, 4, out))
        return regex_wrong(p, at, "\\u is followed by four digits or {..}");
    if (*out < 0xd800 || *out > 0xdbff)
        return true;
    second = p->at; /* the second half of a pair, if it is one */
    if (regex_eat(p, '\\') && regex_eat(p, 'u') && hex(p, 4, &low) && low >= 0xdc00 &&
        low <= 0xdfff)
        *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
    else
        p->at = second;
    return true;
}

/* --- escapes --- */

/* clang-format off */
static const struct { char c, stands_for; } controls[] = {
    { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' }, { 'f', '\f' }, { 'v', '\v' },
};

static const struct { char c; bool others; const struct range *v; size_t n; } sets[] = {
    { 'd', false, regex_digit, COUNT(regex_digit) }, { 'D', true, regex_digit, COUNT(regex_digit) },
    { 's', false, regex_blank, COUNT(regex_blank) }, { 'S', true, regex_blank, COUNT(regex_blank) },
    { 'w', false, regex_word,  COUNT(regex_word) },  { 'W', true, regex_word,  COUNT(regex_word) },
};
/* clang-format on */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What ECMA-262 has besides \n, \p{..} and the signs. `c` was taken, `at` is where it stood. */
static bool ecma(struct pattern *p, size_t at, char c, struct item *out)
{
    for (size_t i = 0; i < COUNT(sets); i++) {
        if (c != sets[i].c)
            continue;
        for (size_t k = 0; k < sets[i].n; k++)
            regex_set_add(&out->set, p->a, sets[i].v[k].lo, sets[i].v[k].hi);
        if (sets[i].others)
            regex_set_turn(&out->set, p->a);
        out->is_set = true;
        return true;
    }
    if (c == 'u')
        return by_number(p, &out->point);
    if (c == 'x')
        return hex(p, 2, &out->point) || regex_wrong(p, at, "\\x is followed by two digits");
    if (c == 'c' && !regex_end(p) && is_letter(p->text.s[p->at]))
        return is_point(out, regex_take(p) % 32);
    if (c == '0' && (regex_end(p) || p->text.s[p->at] < '0' || p->text.s[p->at] > '9'))
        return is_point(out, 0);
    if (c == 'k' || (c >= '1' && c <= '9'))
        return regex_wrong(p, at,
                           "a back-reference is not regular: it would cost more than "
                           "linear time");
    return regex_wrong(p, at, "'\\%c' means nothing", c > ' ' && c < 0x7f ? c : '?');
}

static bool escape(struct pattern *p, bool inside, struct item *out)
{
    const char *signs = p->dialect == REGEX_I ? "()*+-.?[\\]^{|}" : "()*+.?[\\]^{|}$/";
    size_t at = p->at;
    uint32_t c;

    *out = (struct item){ 0 };
    if (regex_end(p))
        return regex_wrong(p, at, "the pattern ends in a backslash");
    c = regex_take(p);
    if (c < 0x80 && is_one_of((char)c, signs))
        return is_point(out, c);
    for (size_t i = 0; i < (p->dialect == REGEX_I ? 3 : COUNT(controls)); i++)
        if (c == (uint32_t)controls[i].c)
            return is_point(out, (uint32_t)controls[i].stands_for);
    if (c == 'p' || c == 'P')
        return property(p, c == 'P', out);
    if (inside && p->dialect == REGEX_ECMA && (c == '-' || c == 'b'))
        return is_point(out, c == 'b' ? '\b' : '-');
    if (p->dialect == REGEX_ECMA && c < 0x80)
        return ecma(p, at, (char)c, out);
    return regex_wrong(p, at, "'\\%c' means nothing", c > ' ' && c < 0x7f ? (char)c : '?');
}

bool regex_escape(struct pattern *p, struct set *out)
{
    struct item item = { 0 };

    if (!escape(p, false, &item))
        return false;
    if (item.is_set)
        regex_set_join(out, p->a, &item.set);
    else
        regex_set_add(out, p->a, item.point, item.point);
    return true;
}

/* --- classes --- */

/* RFC 9485 has a plain '-' at both ends of a class only, and '[' not at all. */
static bool class_item(struct pattern *p, bool first, struct item *out)
{
    size_t at = p->at;
    uint32_t c = regex_take(p);

    if (c == '\\')
        return escape(p, true, out);
    if (p->dialect == REGEX_I && (c == '[' || (c == '-' && !first && regex_peek(p) != ']')))
        return regex_wrong(p, at, "found '%c', which must be written '\\%c'", (char)c, (char)c);
    *out = (struct item){ .point = c };
    return true;
}

/* Is there a '-' that makes a range? In [a-] it is a character. */
static bool range_follows(struct pattern *p, bool dash)
{
    if (regex_peek(p) != '-' || (p->dialect == REGEX_I && dash) || p->at + 1 == p->text.n ||
        p->text.s[p->at + 1] == ']')
        return false;
    p->at++;
    return true;
}

static bool class_range(struct pattern *p, const struct item *from, struct set *out)
{
    size_t at = p->at;
    struct item to = { 0 };

    if (!class_item(p, false, &to))
        return false;
    if (p->dialect == REGEX_I && p->text.s[at] == '-')
        return regex_wrong(p, at, "found '-', which must be written '\\-'");
    if (from->is_set || to.is_set)
        return regex_wrong(p, at, "a range goes from one character to another");
    if (from->point > to.point)
        return regex_wrong(p, at, "a range has its smaller character first");
    regex_set_add(out, p->a, from->point, to.point);
    return true;
}

bool regex_bracket(struct pattern *p, struct set *out)
{
    bool others = regex_eat(p, '^');
    size_t from = p->at;

    while (!regex_end(p)) {
        bool first = p->at == from, dash = regex_peek(p) == '-';
        struct item item = { 0 };

        if (regex_peek(p) == ']')
            break;
        if (!class_item(p, first, &item))
            return false;
        if (range_follows(p, dash)) {
            if (!class_range(p, &item, out))
                return false;
        } else if (item.is_set)
            regex_set_join(out, p->a, &item.set);
        else
            regex_set_add(out, p->a, item.point, item.point);
        if (out->n > REGEX_RANGES)
            return regex_wrong(p, from, "more than %d ranges of characters", REGEX_RANGES);
    }
    if (p->dialect == REGEX_I && p->at == from)
        return regex_wrong(p, from, "a class has at least one character");
    if (!regex_eat(p, ']'))
        return regex_wrong(p, from, "a class that no ']' ends");
    regex_set_order(out);
    if (others)
        regex_set_turn(out, p->a);
    return true;
}
