/* SPDX-License-Identifier: Apache-2.0 */
/* imported.h: imports a document and looks at what came of it.
 *
 * Include it after cmocka.h.
 */
#pragma once

#include "adapter/import_openapi.h"
#include "base/json_write.h"
#include "unit/adapter/given.h"

struct imported {
    struct arena a;
    struct import_made made;
    struct adapter adapter;
    struct error e;
    bool good;
};

static inline void imported_free(struct imported *i)
{
    arena_free(&i->a);
}

#define _imported_ _cleanup_(imported_free)

/* What is made must be an adapter, whatever it was made of. */
static inline void import_with(struct imported *i, const char *text, struct import_ask ask)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct error e = { 0 };

    if (!doc_read("api", str_of(text), &max, &i->a, &document, &e))
        fail_msg("%d:%d: %s", e.at.line, e.at.col, e.msg);
    ask.root = &document->root;
    ask.today = "2026-11-16";
    i->good = import_openapi(&ask, &i->a, &i->made, &i->e);
    if (i->good)
        load_adapter(&i->a, i->made.yaml.s, &i->adapter);
}

static inline void import(struct imported *i, const char *text)
{
    import_with(i, text, (struct import_ask){ 0 });
    if (!i->good)
        fail_msg("%s", i->e.msg);
}

/* The value at a dotted place of the adapter, as JSON. */
static inline const char *at(struct imported *i, const char *place)
{
    _buf_ struct buf out = { .max = 1 << 16 };
    const struct doc *d = i->adapter.tree;

    while (d && *place) {
        size_t n = strcspn(place, ".");

        d = doc_get(d, arena_text(&i->a, (struct str){ place, n }));
        place += n + (place[n] == '.');
    }
    if (!d)
        return "";
    json_doc(&out, d);
    return arena_text(&i->a, buf_str(&out));
}

static inline const char *left_out(const struct imported *i, const char *operation)
{
    for (size_t k = 0; k < i->made.left_count; k++)
        if (strcmp(i->made.left[k].operation, operation) == 0)
            return i->made.left[k].why;
    return "";
}

static inline void check_says(const char *text, const char *says)
{
    if (!strstr(text, says))
        fail_msg("'%s' does not say '%s'", text, says);
}
