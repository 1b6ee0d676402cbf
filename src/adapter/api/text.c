/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: percent-encoding, and what fits a header. */
#include "adapter/api/text.h"

#include "base/json_write.h"
#include "base/number.h"

void percent_add(struct buf *to, struct str text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.s[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        char coded[3] = { '%', hex[c >> 4], hex[c & 15] };

        if (letter || (c >= '0' && c <= '9') || is_one_of(text.s[i], "-._~"))
            buf_addc(to, text.s[i]);
        else
            buf_add(to, coded, sizeof coded);
    }
}

bool scalar_add(struct buf *to, const struct doc *d)
{
    _buf_ struct buf number = { .max = NUMBER_MAX };

    switch (d->kind) {
    case DOC_TEXT: buf_add(to, d->text.s, d->text.n); return true;
    case DOC_INT:
    case DOC_NUMBER:
    case DOC_BOOL:
        json_doc(&number, d); /* by itself: JSON looks at what stands before it */
        buf_add(to, number.s, number.len);
        return true;
    case DOC_NULL:
    case DOC_LIST:
    case DOC_MAP: break;
    }
    return false;
}

bool path_climbs(struct str path)
{
    size_t dots = 0, others = 0;

    for (size_t i = 0; i <= path.n; i++) {
        struct str rest = { path.s + i, path.n - i };
        bool slash = i == path.n || is_one_of(rest.s[0], "/\\?");
        bool coded = rest.n >= 3 && rest.s[0] == '%';

        if (coded && (str_begins(rest, "%2F") || str_begins(rest, "%2f") ||
                      str_begins(rest, "%5C") || str_begins(rest, "%5c")))
            slash = true;
        if (slash && others == 0 && (dots == 1 || dots == 2))
            return true;
        if (slash)
            dots = others = 0;
        else if (rest.s[0] == '.' ||
                 (coded && (str_begins(rest, "%2E") || str_begins(rest, "%2e"))))
            dots++;
        else
            others++;
        i += coded ? 2 : 0;
        if (i < path.n && path.s[i] == '?')
            break;
    }
    return false;
}

struct str type_alone(struct str type)
{
    const char *more = type.n ? memchr(type.s, ';', type.n) : NULL;

    if (!type.n)
        return type;
    return str_trim(more ? (struct str){ type.s, (size_t)(more - type.s) } : type, " \t");
}

bool header_safe(struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.s[i] < ' ' && value.s[i] != '\t') || value.s[i] == 0x7f)
            return false;
    return true;
}

bool header_ours(struct str name)
{
    static const char *const ours[] = {
        "connection", "content-length",      "expect",           "host",
        "keep-alive", "proxy-authorization", "proxy-connection", "te",
        "trailer",    "transfer-encoding",   "upgrade",
    };

    for (size_t i = 0; i < COUNT(ours); i++)
        if (name.n == strlen(ours[i]) && str_cmp_letters(name, str_of(ours[i])) == 0)
            return true;
    return false;
}
