/* SPDX-License-Identifier: Apache-2.0 */
/* disclose.c: filters an adapter's document by the levels of its rows. */
#include "contract/disclose.h"

#include "base/json_write.h"
#include "contract/adapter_doc.h"

static void put_names(const struct doc *map, struct buf *to)
{
    json_open(to, '[');
    for (const struct doc *c = map->first; c; c = c->next)
        json_text(to, c->key);
    json_close(to, ']');
}

static void put_shown(const struct shape *shape, const struct doc *d, enum level level,
                      struct buf *to)
{
    json_open(to, '{');
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const struct doc *member = f->level <= level ? doc_get(d, f->name) : NULL;

        if (!member)
            continue;
        json_key(to, f->name);
        if (member->kind == DOC_MAP && f->kind == F_SHAPE)
            put_shown(f->sub, member, level, to);
        else if (member->kind == DOC_MAP && (f->many == DICT || f->kind == F_MAP) && level < L2)
            put_names(member, to);
        else
            json_doc(to, member);
    }
    json_close(to, '}');
}

void adapter_disclose(const struct doc *adapter, enum level level, struct buf *to)
{
    put_shown(&adapter_shape, adapter, level, to);
}
