/* SPDX-License-Identifier: Apache-2.0 */
/* head.c: reads the heads of requests and answers. */
#include "sandbox/net/head.h"

#include "base/num.h"

enum { METHOD_MAX = 32 };

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of(c, "!#$%&'*+-.^_`|~");
}

static bool is_token(struct str t)
{
    for (size_t i = 0; i < t.n; i++)
        if (!is_token_char(t.s[i]))
            return false;
    return t.n > 0;
}

size_t head_length(struct str bytes, size_t *looked)
{
    size_t begin = *looked > 3 ? *looked - 3 : 0;
    const char *end =
        bytes.n > begin ? memmem(bytes.s + begin, bytes.n - begin, "\r\n\r\n", 4) : NULL;

    *looked = bytes.n;
    return end ? (size_t)(end - bytes.s) + 4 : 0;
}

/* ---- lines ---- */

/* The next line without its CR LF; false: there is none, or it has a CR, LF or NUL in it. */
static bool next_line(struct str *rest, struct str *line)
{
    const char *end = rest->n ? memmem(rest->s, rest->n, "\r\n", 2) : NULL;

    if (!end)
        return false;
    *line = (struct str){ rest->s, (size_t)(end - rest->s) };
    *rest = str_from(*rest, line->n + 2);
    return line->n == 0 || (!memchr(line->s, '\r', line->n) && !memchr(line->s, '\n', line->n) &&
                            !memchr(line->s, '\0', line->n));
}

static bool read_version(struct str word, int *minor)
{
    *minor = str_is(word, "HTTP/1.1") ? 1 : 0;
    return *minor == 1 || str_is(word, "HTTP/1.0");
}

static const char *read_field(struct str line, struct head *out)
{
    const char *colon = memchr(line.s, ':', line.n);
    struct head_field field;

    if (!colon)
        return "a line of its head has no ':'";
    field.name = (struct str){ line.s, (size_t)(colon - line.s) };
    field.value = str_trim(str_from(line, field.name.n + 1), " \t");
    if (!is_token(field.name))
        return "the name of a header has a character that is not allowed";
    for (size_t i = 0; i < field.value.n; i++)
        if (((unsigned char)field.value.s[i] < ' ' && field.value.s[i] != '\t') ||
            field.value.s[i] == 0x7f)
            return "the value of a header has a character that is not allowed";
    if (out->n == HEAD_FIELDS)
        return "it has too many headers";
    out->v[out->n++] = field;
    return NULL;
}

static const char *read_fields(struct str rest, struct head *out)
{
    struct str line;
    const char *why;

    while (next_line(&rest, &line)) {
        if (line.n == 0)
            return rest.n == 0 ? NULL : "its head does not end with an empty line";
        why = read_field(line, out);
        if (why)
            return why;
    }
    return "its head does not end with an empty line";
}

/* ---- what the headers mean ---- */

static bool same(struct str a, const char *word)
{
    return str_cmp_letters(a, str_of(word)) == 0;
}

/* Is the word in the list "close, x-other"? */
static bool has_word(struct str list, struct str word)
{
    while (list.n > 0) {
        struct str one = str_cut(&list, ",");

        if (str_cmp_letters(str_trim(one, " \t"), word) == 0)
            return true;
    }
    return false;
}

static const char *read_length(struct str value, struct head *out)
{
    if (out->body != BODY_NONE)
        return "it says more than once how long its body is";
    if (!num_int(value, &out->length) || out->length < 0)
        return "the length of its body is no number";
    out->body = BODY_LENGTH;
    return NULL;
}

static const char *read_coding(struct str value, struct head *out)
{
    if (out->body != BODY_NONE)
        return "it says more than once how long its body is";
    if (!same(value, "chunked") || out->minor == 0)
        return "its body is neither plain nor chunked";
    out->body = BODY_CHUNKED;
    return NULL;
}

static const char *weigh(struct head *out)
{
    size_t hosts = 0;

    out->ends = out->minor == 0;
    for (size_t i = 0; i < out->n; i++) {
        const struct head_field *f = &out->v[i];
        const char *why = NULL;

        if (same(f->name, "content-length"))
            why = read_length(f->value, out);
        else if (same(f->name, "transfer-encoding"))
            why = read_coding(f->value, out);
        else if (same(f->name, "connection") || same(f->name, "proxy-connection"))
            out->ends = out->ends || has_word(f->value, str_of("close"));
        else if (same(f->name, "host") && hosts++ > 0)
            why = "it names its host more than once";
        if (why)
            return why;
    }
    return NULL;
}

const char *head_read_request(struct str bytes, struct head *out)
{
    struct str line, rest = bytes;
    const char *why;

    *out = (struct head){ 0 };
    if (!next_line(&rest, &line))
        return "its first line has no end";
    out->method = str_cut(&line, " ");
    out->target = str_cut(&line, " ");
    if (!is_token(out->method) || out->method.n > METHOD_MAX)
        return "its method is no word";
    if (out->target.n == 0 || !read_version(line, &out->minor))
        return "its first line is not 'METHOD URL HTTP/1.1'";
    why = read_fields(rest, out);
    return why ? why : weigh(out);
}

struct str head_target(struct str bytes, struct str *method)
{
    struct str line = str_cut(&bytes, "\r\n");

    *method = str_cut(&line, " ");
    return str_cut(&line, " ");
}

const char *head_read_answer(struct str bytes, bool to_head, struct head *out)
{
    struct str line, rest = bytes, word;
    int64_t status;
    const char *why;

    *out = (struct head){ 0 };
    if (!next_line(&rest, &line))
        return "its first line has no end";
    if (!read_version(str_cut(&line, " "), &out->minor))
        return "its first line is not 'HTTP/1.1 STATUS'";
    word = str_cut(&line, " ");
    if (word.n != 3 || !num_int(word, &status) || status < 100 || status > 599)
        return "its status is not 100 to 599";
    out->status = (int)status;
    out->reason = line;
    why = read_fields(rest, out);
    why = why ? why : weigh(out);
    if (why)
        return why;
    if (out->body == BODY_NONE)
        out->body = BODY_TO_END;
    if (to_head || status < 200 || status == 204 || status == 304)
        out->body = BODY_NONE;
    return NULL;
}

bool head_is_hop(const struct head *head, struct str name)
{
    static const char *const hops[] = { "connection",
                                        "proxy-connection",
                                        "keep-alive",
                                        "proxy-authorization",
                                        "proxy-authenticate",
                                        "te",
                                        "upgrade",
                                        "http2-settings" };

    for (size_t i = 0; i < COUNT(hops); i++)
        if (same(name, hops[i]))
            return true;
    /* Who lists what tells where the body ends must not get rid of it so. */
    if (same(name, "content-length") || same(name, "transfer-encoding") || same(name, "host"))
        return false;
    for (size_t i = 0; i < head->n; i++)
        if (same(head->v[i].name, "connection") && has_word(head->v[i].value, name))
            return true;
    return false;
}
