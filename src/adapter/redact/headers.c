/* SPDX-License-Identifier: Apache-2.0 */
/* headers.c: the values of headers that are for secrets, wherever a text has them. */
#include "adapter/redact/cuts.h"
#include "adapter/redact/json_line.h"
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

/* What begins there, up to one of those characters that no backslash stands before; gives back
 * where that is. */
static size_t cut_until(struct cuts *c, struct str t, size_t from, const char *end)
{
    size_t at = from;

    while (at < t.n && !is_one_of(t.s[at], end))
        at += t.s[at] == '\\' && at + 1 < t.n ? 2 : 1;
    at = at < t.n ? at : t.n;
    if (at > from)
        cuts_add(c, from, at);
    return at;
}

static const char json_blanks[] = " \t\r\n", quote_or_line[] = "\"\r\n";

/* Each text of a list, and of lists in it; what else is in it is no header's value. A map in it
 * has names of its own. */
static size_t cut_list(struct cuts *c, struct str t, size_t at)
{
    size_t depth = 0;

    while (at < t.n && t.s[at] != '{' && t.s[at] != '}') {
        if (t.s[at] == '"')
            at = cut_until(c, t, at + 1, quote_or_line);
        else if (t.s[at] == '[')
            depth++;
        else if (t.s[at] == ']' && --depth == 0)
            break;
        at += at < t.n;
    }
    return at;
}

/* The end of a value that stands in a text of JSON which holds JSON of its own: at the quote that
 * is escaped once, and not twice. */
static size_t inner_end(struct str t, size_t at, size_t end)
{
    while (at + 1 < end) {
        if (t.s[at] != '\\')
            at++;
        else if (t.s[at + 1] == '"')
            return at;
        else
            at += t.s[at + 1] == '\\' && at + 2 < end && t.s[at + 2] == '\\' ? 4 : 2;
    }
    return end;
}

/* Up to the end of a line in the text, which is written as an escape there. */
static size_t text_line_end(struct str t, size_t at, size_t end)
{
    while (at + 1 < end && !(t.s[at] == '\\' && is_one_of(t.s[at + 1], "rn")))
        at += t.s[at] == '\\' ? 2 : 1;
    return at + 1 < end ? at : end;
}

/* Of JSON in a text: the value is a text, or a list of them; else it is no header's. */
static size_t cut_inner(struct cuts *c, struct str t, size_t at, size_t end)
{
    bool list = at < end && t.s[at] == '[';
    size_t to;

    for (at += list; at < end; at = to + 2) {
        while (list && at < end && is_one_of(t.s[at], " ,"))
            at++;
        if (!str_begins(str_from(t, at), "\\\""))
            return at;
        to = inner_end(t, at + 2, end);
        if (to > at + 2)
            cuts_add(c, at + 2, to);
        if (!list)
            return to;
    }
    return end;
}

/* How the quote is written behind a name in a text of JSON: not at all, or in JSON inside of it, or
 * in JSON inside of that. */
static const char *const inner_quotes[] = { "\\\\\\\"", "\\\"", "'", "" };

/* The value of a header that a text of JSON has in it, which goes on up to `end`: the text stays
 * one. What is deeper in it than once is cut to the end of all. */
static size_t cut_in_text(struct cuts *c, struct str t, size_t name_end, size_t end)
{
    struct str text = { t.s, end };
    size_t quote = 0, at, to;

    while (!str_begins(str_from(text, name_end), inner_quotes[quote]))
        quote++;
    at = past(text, name_end + strlen(inner_quotes[quote]), " ");
    if (at >= end || t.s[at] != ':')
        return name_end;
    at = past(text, at + 1, " ");
    if (quote == 1)
        return cut_inner(c, text, at, end);
    to = quote == 0 ? end : text_line_end(text, at, end);
    if (to > at)
        cuts_add(c, at, to);
    return to;
}

/* The value of a header, from behind its name: to the end of the line, or of the JSON text. In JSON
 * what is neither a text nor a list of them is no header's value. Gives back where to go on. */
static size_t cut_value(struct cuts *c, struct str t, size_t name_end)
{
    bool in_json = t.s[name_end] == '"';
    size_t at = past(t, name_end + is_one_of(t.s[name_end], "\"'"), " ");

    if (at >= t.n || t.s[at] != ':')
        return name_end;
    at = past(t, at + 1, in_json ? json_blanks : " ");
    if (at < t.n && t.s[at] == '"')
        return cut_until(c, t, at + 1, quote_or_line);
    if (!in_json)
        return cut_until(c, t, at, "\r\n");
    return at < t.n && t.s[at] == '[' ? cut_list(c, t, at) : name_end;
}

static bool may_begin_there(struct str t, size_t at)
{
    if (at == 0 || is_one_of(t.s[at - 1], "\r\n\"' <>\t"))
        return true;
    return at > 1 && t.s[at - 2] == '\\' && is_one_of(t.s[at - 1], "rnt");
}

void cuts_add_headers(struct cuts *c, struct str t)
{
    struct json_line line = { 0 };

    for (size_t at = 0; at < t.n;) {
        size_t n = is_one_of(t.s[at], "aApPcCsSxX") ? header_at(t, at) : 0, end;

        if (!n || !may_begin_there(t, at)) {
            at += n ? n : 1;
            continue;
        }
        end = json_text_end(&line, t, at);
        at = end && at + n < end ? cut_in_text(c, t, at + n, end) : cut_value(c, t, at + n);
    }
}
