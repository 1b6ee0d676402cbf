/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c: finds a value of a plan in the template it was made of.
 *
 * Both have their steps in the same order, so that a pointer into one leads into the other, as far
 * as the other has what it names: a payload that was made has its step.
 */
#include "cli/origin.h"

#include "base/doc_make.h"
#include "base/doc_read.h"
#include "base/fs.h"
#include "base/pointer.h"

static const struct doc *read_again(const struct writ_input *input, struct arena *a)
{
    struct ceilings max = ceilings_default();
    struct str text = { input->text, input->len };
    const struct document *document;
    struct error e;

    if (!input->text && !fs_read(input->name, max.v[CEILING_BYTES], a, &text, &e))
        return NULL;
    if (!doc_read(input->name, text, &max, a, &document, &e))
        return NULL;
    return &document->root;
}

static const struct doc *deepest(const struct doc *d, struct str pointer, struct arena *a)
{
    struct work plenty = { .left = UINT64_MAX };
    struct pointer p;
    struct error e;

    if (!pointer_read(pointer, a, &p, &e))
        return d;
    for (size_t i = 0; i < p.n; i++) {
        struct doc *before;
        const struct doc *next = pointer_step(d, p.names[i], &before, &plenty);

        if (!next)
            break;
        d = next;
    }
    return d;
}

const struct doc *origin_problems(const struct writ_input *input, const struct doc *problems,
                                  struct arena *a)
{
    static const char *const kept[] = { "message", "code", "severity" };
    const struct doc *origin = read_again(input, a);
    struct doc *list = doc_root(a, DOC_LIST);

    for (const struct doc *p = doc_first(problems, DOC_LIST); p; p = p->next) {
        struct doc *to = doc_add_kind(a, list, NULL, DOC_MAP);
        struct str pointer = doc_text(p, "pointer");

        if (origin) {
            struct at at = doc_at(deepest(origin, pointer, a));

            doc_add_int(a, to, "line", at.line);
            doc_add_int(a, to, "column", at.col);
            pointer = str_of(arena_text(a, str_of(at.ptr)));
        }
        doc_add_text(a, to, "pointer", pointer);
        for (size_t i = 0; i < COUNT(kept); i++)
            doc_add_text(a, to, kept[i], doc_text(p, kept[i]));
    }
    return list;
}
