/* SPDX-License-Identifier: Apache-2.0 */
/* headers.c: the values of headers that are for secrets, wherever a text has them. */
#include "adapter/redact/cuts.h"
#include "adapter/redact/json_line.h"
#include "adapter/redact/ways.h"
#include "adapter/secret.h"

static const char *const secret_headers[] = {
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key",
};

bool header_secret(struct str name)
{
    for (size_t i = 0; i < COUNT(secret_headers); i++)
        if (str_cmp_letters(name, str_of(secret_headers[i])) == 0)
            return true;
    return false;
}

static size_t header_at(struct str t, size_t at)
{
    for (size_t i = 0; i < COUNT(secret_headers); i++) {
        size_t n = strlen(secret_headers[i]);

        if (t.n - at > n &&
            str_cmp_letters((struct str){ t.s + at, n }, str_of(secret_headers[i])) == 0)
            return n;
    }
    return 0;
}

static size_t past(struct str t, size_t at, const char *these)
{
    while (at < t.n && is_one_of(t.s[at], these))
        at++;
    return at;
}

/* The first of those characters that no backslash stands before. */
static size_t until(struct str t, size_t at, const char *end)
{
    while (at < t.n && !is_one_of(t.s[at], end))
        at += t.s[at] == '\\' && at + 1 < t.n ? 2 : 1;
    return at < t.n ? at : t.n;
}

/* Gives back where it ends. */
static size_t cut(struct cuts *c, size_t from, size_t to)
{
    if (to > from)
        cuts_add(c, from, to);
    return to;
}

static const char json_blanks[] = " \t\r\n", quote_or_line[] = "\"\r\n";
static const char escaped_quote[] = "\\u0022"; /* as .NET writes it */

enum { ESCAPED_QUOTE = sizeof escaped_quote - 1 };

/* Each text of a list, and of lists in it; what else is in it is no header's value. A map in it
 * has names of its own. */
static size_t cut_list(struct cuts *c, struct str t, size_t at)
{
    size_t depth = 0;

    while (at < t.n && t.s[at] != '{' && t.s[at] != '}') {
        if (t.s[at] == '"')
            at = cut(c, at + 1, until(t, at + 1, quote_or_line));
        else if (t.s[at] == '[')
            depth++;
        else if (t.s[at] == ']' && --depth == 0)
            break;
        at += at < t.n;
    }
    return at;
}

/* Of a value in two texts the first. */
static const char *const schemes[] = {
    "bearer", "basic", "digest", "negotiate", "token", "apikey"
};

static bool is_scheme(struct str word)
{
    for (size_t i = 0; i < COUNT(schemes); i++)
        if (str_cmp_letters(word, str_of(schemes[i])) == 0)
            return true;
    return false;
}

/* The next text of a list, as it is written in JSON, or with blanks alone between. Where it has a
 * colon behind it, it is the name of a member, and no value. Gives back where it ends, or where the
 * one before it does. */
static size_t cut_text(struct cuts *c, struct str t, size_t quote)
{
    size_t at = past(t, quote + 1, json_blanks), end;

    if (at < t.n && is_one_of(t.s[at], ",:"))
        at = past(t, at + 1, json_blanks);
    else
        at = past(t, quote + 1, " \t");
    if (at >= t.n || t.s[at] != '"')
        return quote;
    end = until(t, at + 1, quote_or_line);
    quote = past(t, end + 1, json_blanks);
    return quote < t.n && t.s[quote] == ':' ? at : cut(c, at + 1, end);
}

/* A header in two texts, or three: the next one is the value, or says how to read it. */
static size_t cut_next(struct cuts *c, struct str t, size_t quote)
{
    size_t to = cut_text(c, t, quote), from = to;

    while (from > quote && t.s[from - 1] != '"')
        from--;
    return is_scheme((struct str){ t.s + from, to - from }) ? cut_text(c, t, to) : to;
}

static size_t moved_in(struct str t, size_t line)
{
    return past(t, line, " \t") - line;
}

/* The end of the line, and of those behind it that are moved in further: a header may be folded. */
static size_t folded_end(struct str t, size_t at)
{
    size_t line = at, in;

    while (line && !is_one_of(t.s[line - 1], "\r\n"))
        line--;
    in = moved_in(t, line);
    do {
        at = until(t, line > at ? line : at, "\r\n");
        line = at + (at < t.n && t.s[at] == '\r');
        line += line < t.n && t.s[line] == '\n';
    } while (line < t.n && moved_in(t, line) > in);
    return at;
}

/* A text that is searched: one that was given, or what a text of JSON in it says. */
struct search {
    struct cuts *c;
    struct str t;
    int depth; /* how many texts of JSON it stands in */
    bool open; /* it ends behind a name and its colon: the value is not in it */
};

/* Texts in texts are read so deep. Where there are deeper ones nothing behind a name is kept: so
 * hostile ones cost time and memory in proportion to their length alone. */
enum { DEEPEST = 4 };

/* The value of a header, from behind its name: to the end of the line, or of the JSON text. In JSON
 * what is neither a text nor a list of them is no header's value. Behind a quote that is escaped
 * all to the end of the text that it stands in is cut. One right before the name is closed, not
 * opened, behind it. Gives back where to go on. */
static size_t cut_value(struct search *s, size_t name, size_t name_end)
{
    struct str t = s->t;
    bool in_json = t.s[name_end] == '"', escaped = t.s[name_end] == '\\';
    size_t slashes = past(t, name_end, "\\") - name_end;
    bool begun = name && t.s[name - 1] == '"', may_be_text = in_json || (s->depth == 0 && !begun);
    size_t at = str_begins(str_from(t, name_end), escaped_quote) ? name_end + ESCAPED_QUOTE
                                                                 : name_end + slashes,
           to;

    at = past(t, at + (at < t.n && is_one_of(t.s[at], "\"'")), " ");
    if (at >= t.n || t.s[at] != ':')
        return name_end;
    to = at = past(t, at + 1, in_json ? json_blanks : " ");
    if (escaped) /* one that says more of them is no escape of this text */
        return cut(s->c, at, slashes % 2 ? until(t, at, quote_or_line) : folded_end(t, at));
    if (at < t.n && t.s[at] == '"' && may_be_text)
        to = until(t, at + 1, s->depth ? "\"" : quote_or_line);
    if (to < t.n && to > at && t.s[to] != '"')
        to = folded_end(t, at);
    if (to > at && (in_json || to == t.n || t.s[to] == '"'))
        return cut(s->c, at + 1, to);
    s->open = !in_json && past(t, at, json_blanks) == t.n;
    if (!in_json)
        return cut(s->c, at, s->open ? at : folded_end(t, at));
    return at < t.n && t.s[at] == '[' ? cut_list(s->c, t, at) : name_end;
}

static bool may_begin_there(struct str t, size_t at)
{
    if (at == 0 || is_one_of(t.s[at - 1], "\r\n\"' <>\t"))
        return true;
    if (at >= ESCAPED_QUOTE && str_begins(str_from(t, at - ESCAPED_QUOTE), escaped_quote))
        return true;
    return at > 1 && t.s[at - 2] == '\\' && is_one_of(t.s[at - 1], "rnt");
}

static bool cut_in_text(const struct search *outer, size_t begin, size_t end);

/* Of a name that has more of a JSON text behind it, the whole text is searched. */
static void search_all(struct search *s)
{
    struct json_line line = { 0 };
    struct str t = s->t;

    for (size_t at = 0; at < t.n;) {
        size_t n = is_one_of(t.s[at], "aApPcCsSxX") ? header_at(t, at) : 0;
        size_t end = n ? json_text_end(&line, t, at) : 0;

        if (at + n < end && s->depth == DEEPEST)
            at = cut(s->c, at + n, t.n);
        else if (at + n < end)
            at = cut_in_text(s, line.at + 1, end) ? cut_next(s->c, t, end) : end;
        else if (n && may_begin_there(t, at))
            at = cut_value(s, at, at + n);
        else
            at += n ? n : 1;
    }
}

/* The bytes of a text of JSON that say so many, from where another many were said. */
static size_t saying(struct str t, size_t *said, size_t at, size_t bytes)
{
    while (*said < bytes) {
        struct glyph g = json_glyph(t, at);

        *said += g.n;
        at += g.taken;
    }
    return at;
}

/* A text of JSON is searched in what it says, which may be lines, or JSON again; what is cut is cut
 * out between its own escapes, so it stays one. True: it ends where a value would begin. */
static bool cut_in_text(const struct search *outer, size_t begin, size_t end)
{
    _arena_ struct arena own = { 0 };
    struct str text = { outer->t.s + begin, end - begin };
    struct cuts cuts = { .a = &own };
    char *says = arena_raw(&own, text.n);
    struct search inner = { .c = &cuts, .t = { says, 0 }, .depth = outer->depth + 1 };
    size_t at = 0, said = 0;

    while (at < text.n) {
        struct glyph g = json_glyph(text, at);

        memcpy(says + inner.t.n, g.bytes, g.n);
        inner.t.n += g.n;
        at += g.taken;
    }
    search_all(&inner);
    cuts_merge(&cuts);
    at = 0;
    for (size_t i = 0; i < cuts.n; i++) {
        size_t from = saying(text, &said, at, cuts.v[i].from);

        at = saying(text, &said, from, cuts.v[i].to);
        cuts_add(outer->c, begin + from, begin + at);
    }
    return inner.open;
}

void cuts_add_headers(struct cuts *c, struct str t)
{
    search_all(&(struct search){ .c = c, .t = t });
}

/* Behind a line that is a text of a list and nothing else; where it begins if it is not. `more`: it
 * has a comma at its end, so another one comes. */
static size_t list_line_end(struct str t, size_t line, bool *more)
{
    size_t at = past(t, line, " \t");

    *more = false;
    if (at >= t.n || t.s[at] != '"')
        return line;
    at = until(t, at + 1, quote_or_line);
    if (at >= t.n)
        return t.n;
    if (t.s[at] != '"')
        return line;
    at = past(t, at + 1, " \t");
    *more = at < t.n && t.s[at] == ',';
    at = past(t, at + *more, " \t\r");
    if (at >= t.n)
        return t.n;
    *more = *more && t.s[at] == '\n';
    return t.s[at] == '\n' ? at + 1 : line;
}

size_t headers_rest(struct str t)
{
    const char *end = t.n ? memchr(t.s, '\n', t.n) : NULL;
    size_t at = end ? (size_t)(end - t.s) + 1 : t.n;
    bool more = true;

    while (more)
        at = list_line_end(t, at, &more);
    return at;
}
