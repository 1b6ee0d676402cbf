/* SPDX-License-Identifier: Apache-2.0 */
/* value.c: reads what came on descriptor 3, by whoever wrote it. */
#include "adapter/sdk_bind.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"

/* Its own words, in one line. */
static const char *line(struct str text, struct arena *a)
{
    char *copy = arena_text(a, text);

    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
            copy[i] = ' ';
    return copy;
}

/* For who reads bytes: a text as it is, anything else as JSON. Numbers may be longer there than
 * they came. */
static struct str text_of(const struct doc *value, size_t came, struct arena *a)
{
    _buf_ struct buf text = { .max = 32 * came + 64 };

    if (value->kind == DOC_TEXT)
        return value->text;
    json_doc(&text, value);
    return (struct str){ arena_text(a, buf_str(&text)), text.len };
}

static bool take_failure(const struct doc *answer, struct arena *a, struct error *e)
{
    const struct doc *error = doc_get(answer, "error");
    struct str type = { 0 }, message = { 0 };

    if (error && error->kind == DOC_MAP) {
        type = doc_text(error, "type");
        message = doc_text(error, "message");
    }
    if (type.n == 0 || answer->count != 2)
        return error_set(
            e, CODE_PEER_PROTOCOL,
            "what the function wrote to descriptor 3 says neither how it went nor why");
    return error_set(e, CODE_COMMAND_FAILED, "%s%s%s", line(type, a), message.n ? ": " : "",
                     line(message, a));
}

bool sdk_value(struct str bytes, struct arena *a, struct value *out, struct error *e)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;
    const struct doc *ok, *value;

    if (bytes.n == 0)
        return error_set(e, CODE_PEER_PROTOCOL, "the function ended without a result");
    if (!json_read("result", bytes, &max, a, &document, e)) {
        e->code = CODE_PEER_PROTOCOL;
        return error_wrap(e, "what the function wrote to descriptor 3 is no result");
    }
    ok = document->root.kind == DOC_MAP ? doc_get(&document->root, "ok") : NULL;
    if (!ok || ok->kind != DOC_BOOL)
        return error_set(e, CODE_PEER_PROTOCOL,
                         "what the function wrote to descriptor 3 does not say how it went");
    if (!ok->truth)
        return take_failure(&document->root, a, e);
    value = doc_get(&document->root, "value");
    if (!value || document->root.count != 2)
        return error_set(e, CODE_PEER_PROTOCOL,
                         "what the function wrote to descriptor 3 is not a value alone");
    *out = (struct value){ .bytes = text_of(value, bytes.n, a), .doc = value };
    return true;
}
