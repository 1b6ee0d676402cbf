/* SPDX-License-Identifier: Apache-2.0 */
/* intoto.c: the subjects are the artifacts it left, and the event itself; the predicate is the
 * event. */
#include "engine/intoto.h"

#include "base/json_read.h"
#include "base/json_write.h"

/* {"name":..,"digest":{"sha256":"<hex>"}} */
static void put_subject(struct str name, struct str digest, struct buf *to)
{
    struct digest d;

    if (!digest_parse(digest, &d))
        return;
    json_open(to, '{');
    json_put_outside(to, "name", name);
    json_key(to, "digest");
    json_open(to, '{');
    json_put_text(to, "sha256", (struct str){ digest.s + 7, digest.n - 7 }); /* behind "sha256:" */
    json_close(to, '}');
    json_close(to, '}');
}

static void put_files(const struct doc *list, struct buf *to)
{
    for (const struct doc *f = doc_first(list, DOC_LIST); f; f = f->next)
        if (f->kind == DOC_MAP)
            put_subject(doc_text(f, "path"), doc_text(f, "digest"), to);
}

bool intoto_write(const struct entry *entry, struct arena *a, struct buf *to)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    const struct doc *result, *payload;
    char id[ENTRY_ID_TEXT], content[DIGEST_TEXT];
    struct error e;

    if (entry->kind != ENTRY_EVENT || event_states[place_state(entry->place)].rank < 2 ||
        entry->erased || !json_read("entry", entry->body, &max, a, &document, &e))
        return false;
    payload = doc_get(&document->root, "payload");
    result = payload ? doc_get(payload, "result") : NULL;
    entry_id_text(&entry->id, id);
    digest_text(&entry->content, content);
    json_open(to, '{');
    json_put(to, "_type", "https://in-toto.io/Statement/v1");
    json_key(to, "subject");
    json_open(to, '[');
    put_subject(str_of(id), str_of(content), to);
    if (result && result->kind == DOC_MAP) {
        put_files(doc_get(result, "output_files"), to);
        put_files(doc_get(result, "artifacts"), to);
    }
    json_close(to, ']');
    json_put(to, "predicateType", "urn:writ:execution_event:v1");
    json_key(to, "predicate");
    buf_add(to, entry->body.s, entry->body.n); /* JSON already */
    json_close(to, '}');
    return true;
}
