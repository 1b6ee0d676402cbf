/* SPDX-License-Identifier: Apache-2.0 */
/* reject.c: writes and reads what was refused. */
#include "ledger/reject.h"

#include "base/json_read.h"
#include "base/json_write.h"

/* Each byte of the text may become six. */
enum { BODY_MAX = 6 * (REJECT_KEPT + (64 << 10)) };

/* Sorted, as RFC 8785 wants it. */
static struct str write_body(const struct reject *r, struct arena *a)
{
    _buf_ struct buf body = { .max = BODY_MAX };

    json_open(&body, '{');
    if (!r->erased) {
        json_put_outside(&body, "event", r->event);
        json_put_outside(&body, "message", str_of(r->message));
        json_put_outside(&body, "pointer", str_of(r->pointer));
    }
    json_close(&body, '}');
    if (!buf_ok(&body))
        return str_of("{}");
    return (struct str){ arena_text(a, buf_str(&body)), body.len };
}

struct entry reject_entry(const struct reject *r, const struct world *world, struct arena *a)
{
    struct entry entry;

    entry_of(ENTRY_REFUSAL, r->tenant, r->subject, write_body(r, a), world, &entry);
    entry.robot = str_of(r->code);
    entry.place = r->bytes;
    entry.content = r->digest;
    if (!entry_header_fits(&entry)) /* no event can be of these names; the text has them */
        entry.tenant = entry.subject = str_of("");
    return entry;
}

struct reject reject_read(const struct entry *entry, struct arena *a)
{
    struct reject r = { .recorded_ms = entry->recorded_ms,
                        .code = arena_text(a, entry->robot),
                        .pointer = "",
                        .message = "",
                        .tenant = entry->tenant,
                        .subject = entry->subject,
                        .digest = entry->content,
                        .bytes = entry->place,
                        .erased = true };
    struct ceilings any = ceilings_none();
    const struct document *document;
    const struct doc *root;
    struct error e;

    if (entry->erased || !json_read("refusal", entry->body, &any, a, &document, &e))
        return r;
    root = &document->root;
    if (root->kind != DOC_MAP || !doc_get(root, "event"))
        return r;
    r.event = doc_text(root, "event");
    r.message = arena_text(a, doc_text(root, "message"));
    r.pointer = arena_text(a, doc_text(root, "pointer"));
    r.erased = false;
    return r;
}
