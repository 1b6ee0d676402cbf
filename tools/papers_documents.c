/* SPDX-License-Identifier: Apache-2.0 */
/* papers_documents.c: writ-documents(5): every kind of document, its fields, and every table. */
#include <assert.h>

#include "base/json_read.h"
#include "contract/kinds.h"
#include "contract/operation_doc.h"
#include "contract/tables.h"
#include "papers.h"

enum { FIELDS_MAX = 1 << 20 };

static void put_if(const char *before, struct str text, struct buf *to)
{
    if (text.n == 0)
        return;
    buf_adds(to, before);
    man_text(text, to);
}

static void put_field(const struct doc *row, struct buf *to)
{
    man_bold(doc_text(row, "field"), to);
    buf_adds(to, " \\- ");
    man_text(doc_text(row, "type"), to);
    put_if(": ", doc_text(row, "allowed"), to);
    if (doc_get(row, "needed")->truth)
        buf_adds(to, "; needed");
    put_if("; default ", doc_text(row, "default"), to);
    buf_adds(to, "\n\t");
    man_text(doc_text(row, "meaning"), to);
    buf_adds(to, "\n\n");
}

static void put_fields(const struct shape *shape, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf rows = { .max = FIELDS_MAX };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;
    bool ok;

    shape_fields(shape, &rows);
    ok = json_read(shape->name, buf_str(&rows), &max, &a, &document, &e);
    assert(ok); /* we wrote it ourselves */
    for (const struct doc *row = document->root.first; row; row = row->next)
        put_field(row, to);
}

static void put_rules(const struct shape *shape, struct buf *to)
{
    if (shape->rule_count == 0)
        return;
    buf_adds(to, "Besides:\n\n");
    for (size_t i = 0; i < shape->rule_count; i++) {
        buf_adds(to, "- ");
        man_text(str_of(shape->rules[i].says), to);
        buf_addc(to, '\n');
    }
    buf_addc(to, '\n');
}

static void put_kind(const struct kind_row *kind, struct buf *to)
{
    buf_addf(to, "## %s\n\n", kind->name);
    man_text(str_of(kind->meaning), to);
    buf_addf(to, " Contract %s. Recognised by", kind->contract);
    if (kind->least > 1)
        buf_addf(to, " %zu of", kind->least);
    for (size_t i = 0; i < KIND_MARKS && kind->marks[i]; i++) {
        buf_adds(to, !i ? " " : kind->least > 1 ? ", " : kind->least ? " or " : " and ");
        man_bold(str_of(kind->marks[i]), to);
    }
    buf_adds(to, ".\n\n");
    put_fields(kind->shape, to);
    put_rules(kind->shape, to);
}

/* Under "operations" of an adapter there are names of its own, so that no kind lists what is below.
 */
static const struct shape *shape_named(struct str name)
{
    const struct kind_row *kind = kind_named(name);

    return kind ? kind->shape : str_is(name, "operation") ? &operation_shape : NULL;
}

bool paper_kind(struct str name, struct buf *to)
{
    const struct shape *shape = shape_named(name);

    if (!shape)
        return false;
    put_fields(shape, to);
    put_rules(shape, to);
    return true;
}

static void put_table(const struct table *t, struct buf *to)
{
    buf_addf(to, "## %s\n\n", t->name);
    man_text(str_of(t->about), to);
    buf_adds(to, "\n\n");
    for (size_t row = 0; row < t->row_count; row++)
        man_row(t, row, to);
}

void paper_documents(struct buf *to)
{
    man_begin("writ-documents", 5, "the documents writ reads, and the tables it runs on", to);
    buf_adds(to, "\n# DESCRIPTION\n\n"
                 "A document is one YAML or JSON text in UTF-8. Files that end in .json or .jsonl "
                 "are JSON, those that end in .yaml or .yml are YAML; any other text is JSON when "
                 "it begins with { or \\[. *writ-check*(1) tells whether one is right, "
                 "*writ explain* KIND shows the fields of a kind, and *writ explain* KIND "
                 "*\\-\\-schema* gives them as a JSON Schema.\n\n"
                 "In the lists below, a.b is the field b of the map a, and a\\[\\].b that of every "
                 "map in the list a.\n\n# KINDS\n\n");
    for (size_t i = 0; i < kind_count; i++)
        put_kind(&kinds[i], to);
    buf_adds(to, "# TABLES\n\n");
    for (size_t i = 0; i < contract_table_count; i++)
        if (contract_tables[i] != &kinds_table)
            put_table(contract_tables[i], to);
    buf_adds(to, "# SEE ALSO\n\n*writ*(1), *writ-check*(1), *writ-explain*(1)\n");
}
