/* SPDX-License-Identifier: Apache-2.0 */
/* command.c: a command as one line of text and as a list of words. */
#include "route/command.h"

#include <ctype.h>

#include "base/buf.h"
#include "contract/classes.h"
#include "contract/codes.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str command_collapse(struct str raw, struct arena *a)
{
    char *line = arena_alloc(a, raw.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < raw.n; i++) {
        if (!is_space(raw.s[i]))
            line[n++] = raw.s[i];
        else if (n && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    n -= n && line[n - 1] == ' ';
    line[n] = '\0';
    return (struct str){ line, n };
}

struct words command_split(struct str line, struct arena *a)
{
    struct words words = { .n = line.n > 0 };
    struct str *v;
    size_t from = 0, n = 0;

    for (size_t i = 0; i < line.n; i++)
        words.n += line.s[i] == ' ';
    v = arena_alloc(a, words.n * sizeof *v);
    for (size_t i = 0; i <= line.n && n < words.n; i++) {
        if (i < line.n && line.s[i] != ' ')
            continue;
        v[n++] = (struct str){ line.s + from, i - from };
        from = i + 1;
    }
    words.v = v;
    return words;
}

/* Characters that mean themselves to every shell, wherever they stand. */
static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("%+,-./:=@_", c));
}

static void add_word(struct buf *line, struct str word)
{
    size_t plain = 0;

    while (plain < word.n && is_plain(word.s[plain]))
        plain++;
    if (word.n && plain == word.n) {
        buf_add(line, word.s, word.n);
        return;
    }
    buf_addc(line, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.s[i] == '\'')
            buf_adds(line, "'\\''");
        else
            buf_addc(line, word.s[i]);
    }
    buf_addc(line, '\'');
}

struct str command_join(struct words words, struct arena *a)
{
    _buf_ struct buf line = { .max = LINE_MAX_BYTES };

    for (size_t i = 0; i < words.n; i++) {
        if (i)
            buf_addc(&line, ' ');
        add_word(&line, words.v[i]);
    }
    if (!buf_ok(&line))
        return (struct str){ 0 };
    return (struct str){ arena_text(a, buf_str(&line)), line.len };
}

struct words command_unwrap(struct words words)
{
    static const char *const wrapper[] = { "rch", "exec", "--" };

    if (words.n <= COUNT(wrapper))
        return words;
    for (size_t i = 0; i < COUNT(wrapper); i++)
        if (!str_is(words.v[i], wrapper[i]))
            return words;
    return (struct words){ words.v + COUNT(wrapper), words.n - COUNT(wrapper) };
}

bool command_has_prefix(struct str line, struct str prefix)
{
    if (str_is(prefix, PREFIX_ANY))
        return true;
    if (prefix.n == 0 || line.n < prefix.n || memcmp(line.s, prefix.s, prefix.n) != 0)
        return false;
    return line.n == prefix.n || line.s[prefix.n] == ' ' ||
           !isalnum((unsigned char)prefix.s[prefix.n - 1]);
}

/* A line that begins with a quote came in words, the first of which holds more than a name: most
 * often by quotes too many, but a program may be called so. */
static const char one_word[] = "; where its first word is meant as a whole line, give each word by "
                               "itself (-- CMD ARG.., or each an item of argv)";

bool command_allowed(struct str line, const struct class_doc *class, struct error *e)
{
    _buf_ struct buf list = { .max = 4096 };
    const char *quote;
    const struct str *prefixes = class->allowed_prefixes.v;

    for (size_t i = 0; i < class->allowed_prefixes.n; i++) {
        if (command_has_prefix(line, prefixes[i]))
            return true;
        buf_addf(&list, "%s'%.*s'", i ? ", " : "", STR_ARG(prefixes[i]));
    }
    /* A line with quotes of its own is kept apart from ours. */
    quote = line.n && memchr(line.s, '\'', line.n) ? "`" : "'";
    return error_set(e, CODE_CONTRACT_INVALID,
                     "%s%.*s%s is no command of the class %.*s; these begin with %.*s%s", quote,
                     STR_ARG(line), quote, STR_ARG(class->class_id), STR_ARG(buf_str(&list)),
                     line.n && line.s[0] == '\'' ? one_word : "");
}
