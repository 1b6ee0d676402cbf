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

static bool is_among(const struct doc *list, const struct doc *file)
{
    for (const struct doc *f = doc_first(list, DOC_LIST); f; f = f->next)
        if (f->kind == DOC_MAP && str_eq(doc_text(f, "path"), doc_text(file, "path")) &&
            str_eq(doc_text(f, "path_base64"), doc_text(file, "path_base64")))
            return true;
    return false;
}

/* Those that `told` does not have: no two subjects may have one name. Names that are no UTF-8 may
 * look the same: such a name is told by its bytes. */
static void put_files(const struct doc *list, const struct doc *told, struct arena *a,
                      struct buf *to)
{
    for (const struct doc *f = doc_first(list, DOC_LIST); f; f = f->next) {
        struct str bytes = f->kind == DOC_MAP ? doc_text(f, "path_base64") : (struct str){ 0 };

        if (f->kind != DOC_MAP || is_among(told, f))
            continue;
        if (bytes.n)
            put_subject(str_of(arena_printf(a, "base64:%.*s", STR_ARG(bytes))),
                        doc_text(f, "digest"), to);
        else
            put_subject(doc_text(f, "path"), doc_text(f, "digest"), to);
    }
}

static const struct doc *read_body(const struct entry *entry, struct arena *a)
{
    struct ceilings max = ceilings_none(); /* what was entered is not refused for its size */
    const struct document *document;
    struct error e;

    if (entry->erased || !json_read("entry", entry->body, &max, a, &document, &e))
        return NULL;
    return document->root.kind == DOC_MAP ? &document->root : NULL;
}

/* What tells of the files that it left: its manifest, which one that failed has, too; else its
 * result; else NULL. */
static bool find_files(struct ledger *l, const struct entry *entry, const struct doc *payload,
                       struct arena *a, const struct doc **out, struct error *e)
{
    const struct doc *refs = doc_get(payload, "externalRefs"), *result = doc_get(payload, "result");
    struct entry manifest;
    struct uuid id;
    bool there = false;

    *out = result && result->kind == DOC_MAP ? result : NULL;
    if (!refs || refs->kind != DOC_MAP || !entry_id_read(doc_text(refs, "manifest"), &id))
        return true;
    if (!ledger_find(l, &id, a, &manifest, &there, e))
        return false;
    if (there && manifest.kind == ENTRY_MANIFEST && str_eq(manifest.subject, entry->subject) &&
        str_eq(manifest.tenant, entry->tenant) && read_body(&manifest, a))
        *out = read_body(&manifest, a);
    return true;
}

bool intoto_can(const struct entry *entry)
{
    _arena_ struct arena a = { 0 };

    return entry->kind == ENTRY_EVENT && event_states[place_state(entry->place)].rank >= 2 &&
           read_body(entry, &a);
}

bool intoto_write(struct ledger *l, const struct entry *entry, struct arena *a, struct buf *to,
                  struct error *e)
{
    const struct doc *body = read_body(entry, a), *payload = body ? doc_get(body, "payload") : NULL;
    const struct doc *files = NULL;
    char id[ENTRY_ID_TEXT], content[DIGEST_TEXT];

    if (payload && payload->kind == DOC_MAP && !find_files(l, entry, payload, a, &files, e))
        return false;
    entry_id_text(&entry->id, id);
    digest_text(&entry->content, content);
    json_open(to, '{');
    json_put(to, "_type", "https://in-toto.io/Statement/v1");
    json_key(to, "subject");
    json_open(to, '[');
    put_subject(str_of(id), str_of(content), to);
    if (files) {
        put_files(doc_get(files, "output_files"), NULL, a, to);
        put_files(doc_get(files, "artifacts"), doc_get(files, "output_files"), a, to);
    }
    json_close(to, ']');
    json_put(to, "predicateType", "urn:writ:execution_event:v1");
    json_key(to, "predicate");
    buf_add(to, entry->body.s, entry->body.n); /* JSON already */
    json_close(to, '}');
    return true;
}
