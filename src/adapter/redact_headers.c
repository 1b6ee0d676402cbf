/* SPDX-License-Identifier: Apache-2.0 */
/* redact_headers.c: the values of headers that are for secrets, wherever a text has them. */
#include "adapter/redact_cuts.h"
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

/* The value of a header, from behind its name: to the end of the line, or of the JSON text. In JSON
 * what is no text is no header's value, and of a list the first text is taken. */
static bool header_value(struct str t, size_t at, struct cut *out)
{
    const char *end = "\r\n";
    bool in_json = at < t.n && t.s[at] == '"';

    at += at < t.n && is_one_of(t.s[at], "\"'");
    while (at < t.n && t.s[at] == ' ')
        at++;
    if (at >= t.n || t.s[at] != ':')
        return false;
    for (at++; at < t.n && t.s[at] == ' ';)
        at++;
    while (in_json && at < t.n && is_one_of(t.s[at], "[ "))
        at++;
    if (at < t.n && t.s[at] == '"') {
        end = "\"\r\n";
        at++;
    } else if (in_json) {
        return false;
    }
    out->from = at;
    while (at < t.n && !is_one_of(t.s[at], end))
        at += t.s[at] == '\\' && at + 1 < t.n ? 2 : 1;
    out->to = at < t.n ? at : t.n;
    return out->to > out->from;
}

void cuts_add_headers(struct cuts *c, struct str t)
{
    for (size_t at = 0; at < t.n;) {
        size_t n = is_one_of(t.s[at], "aApPcCsSxX") ? header_at(t, at) : 0;
        struct cut value;

        if (n && (at == 0 || is_one_of(t.s[at - 1], "\r\n\"' <>\t")) &&
            header_value(t, at + n, &value)) {
            cuts_add(c, value.from, value.to);
            at = value.to;
        } else {
            at += n ? n : 1;
        }
    }
}
