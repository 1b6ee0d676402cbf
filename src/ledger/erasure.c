/* SPDX-License-Identifier: Apache-2.0 */
/* erasure.c: writes and reads the note about an erased body. */
#include "ledger/erasure.h"

#include "base/json_read.h"
#include "base/json_write.h"

void erasure_write(const struct erasure *erasure, struct buf *to)
{
    char id[ENTRY_ID_TEXT], digest[DIGEST_TEXT];

    entry_id_text(&erasure->id, id);
    digest_text(&erasure->body_digest, digest);
    json_open(to, '{'); /* sorted, as RFC 8785 wants it */
    json_put(to, "body_digest", digest);
    json_put(to, "erases", id);
    json_put_outside(to, "reason", erasure->reason);
    json_put_int(to, "seq", erasure->seq);
    json_close(to, '}');
}

bool erasure_read(const struct entry *entry, struct arena *a, struct erasure *out)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    const struct doc *root, *seq;
    struct error e;

    if (entry->kind != ENTRY_NOTE || entry->erased ||
        !json_read("note", entry->body, &max, a, &document, &e))
        return false;
    root = &document->root;
    if (root->kind != DOC_MAP)
        return false;
    seq = doc_get(root, "seq");
    out->reason = doc_text(root, "reason");
    out->seq = seq && seq->kind == DOC_INT ? seq->whole : -1;
    return out->seq >= 0 && entry_id_read(doc_text(root, "erases"), &out->id) &&
           digest_parse(doc_text(root, "body_digest"), &out->body_digest);
}
