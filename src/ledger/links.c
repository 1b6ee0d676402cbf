/* SPDX-License-Identifier: Apache-2.0 */
/* links.c: reads the lineage of an event that is in the ledger, and nothing else of it. */
#include "ledger/links.h"

#include "base/json_pick.h"
#include "base/json_read.h"

/* A text with escapes is rare enough to be read in full. */
static struct str read_text(struct str value, struct arena *a)
{
    struct str plain = json_pick_plain(value);
    const struct document *document;
    struct ceilings max;
    struct error e;

    if (plain.n || value.n <= 2)
        return plain;
    max = ceilings_default();
    if (!json_read("entry", value, &max, a, &document, &e) || document->root.kind != DOC_TEXT)
        return plain;
    return document->root.text;
}

static void read_depends(struct str list, struct arena *a, struct links *out)
{
    struct uuid *depends = NULL, id;
    size_t at = 0, room = 0;
    struct str item;

    while (json_pick_item(list, &at, &item)) {
        if (!entry_id_read(json_pick_plain(item), &id))
            continue;
        depends = arena_more(a, depends, out->count, &room, sizeof *depends);
        depends[out->count++] = id;
    }
    out->depends = depends;
}

struct links links_of(const struct entry *entry, struct arena *a)
{
    return links_like(entry, &(struct links){ 0 }, a);
}

struct links links_like(const struct entry *entry, const struct links *other, struct arena *a)
{
    struct links links = { .rerun_of = { "", 0 } };

    if (entry->kind != ENTRY_EVENT || entry->erased || !entry->body.n)
        return links;
    links.lineage = json_pick(entry->body, "lineage");
    if (links.lineage.n && str_eq(links.lineage, other->lineage))
        return *other;
    read_depends(json_pick(links.lineage, "dependsOnLedgerIds"), a, &links);
    links.rerun_of = read_text(json_pick(links.lineage, "rerunOfExecutionId"), a);
    return links;
}
