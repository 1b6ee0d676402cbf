/* SPDX-License-Identifier: Apache-2.0 */
/* form.c: the forms of Swagger 2.0, which has no body for them but parameters. */
#include "adapter/import/parts.h"

struct fields {
    bool any, file;
};

static void look_at(struct importing *im, const struct doc *list, struct fields *f)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        const char *ignored;
        const struct doc *p = import_deref(im, c, &ignored);

        if (!p || !str_is(map_text(p, "in"), "formData"))
            continue;
        f->any = true;
        f->file = f->file || str_is(map_text(p, "type"), "file");
    }
}

static bool lists(const struct doc *types, const char *type)
{
    for (const struct doc *c = doc_first(types, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && str_begins(c->text, type))
            return true;
    return false;
}

const char *import_form_type(struct importing *im, const struct doc *item, const struct doc *op)
{
    static const char plain[] = "application/x-www-form-urlencoded",
                      parts[] = "multipart/form-data";
    const struct doc *types = map_get(op, "consumes");
    struct fields f = { 0 };

    if (im->spec != SWAGGER_2)
        return NULL;
    look_at(im, map_get(item, "parameters"), &f);
    look_at(im, map_get(op, "parameters"), &f);
    if (!f.any)
        return NULL;
    if (!types)
        types = map_get(im->root, "consumes");
    return f.file || (lists(types, parts) && !lists(types, plain)) ? parts : plain;
}
