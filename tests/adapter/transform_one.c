/* SPDX-License-Identifier: Apache-2.0 */
/* transform_one.c: transforms without an adapter, for tests: a request on each line of stdin, an
 * answer on each line of stdout.
 *
 *     {"output":[{"type":"parse","spec":..},..],"text":..|"value":..} -> {"text":..}|{"value":..}
 *     {"input":[..],"params":{..}}                                    -> {"value":..}
 *     anything that fails                                             -> {"error":..}
 */
#include <stdio.h>
#include <stdlib.h>

#include "adapter/transform.h"
#include "base/json_read.h"
#include "base/json_write.h"

static const char *const input_types[] = { "rename", "map", "default", "validate", NULL };
static const char *const output_types[] = { "parse", "extract", "format", NULL };

static struct items read_list(const struct doc *list, const char *const *names, struct arena *a)
{
    struct transform *all = arena_alloc(a, (list ? list->count : 0) * sizeof *all);
    struct items out = { all, 0 };

    for (const struct doc *c = list ? list->first : NULL; c; c = c->next) {
        struct str type = doc_text(c, "type");

        for (int i = 0; names[i]; i++)
            if (str_is(type, names[i]))
                all[out.n++] = (struct transform){ i, doc_get(c, "spec") };
    }
    return out;
}

static bool answer(const struct doc *request, struct arena *a, struct buf *to, struct error *e)
{
    struct adapter_transforms transforms = {
        .input = read_list(doc_get(request, "input"), input_types, a),
        .output = read_list(doc_get(request, "output"), output_types, a),
    };
    struct adapter adapter = { .tree = request, .doc = { .transforms = &transforms } };
    const struct doc *params = doc_get(request, "params");
    struct value value = { .bytes = doc_text(request, "text"), .doc = doc_get(request, "value") };

    if (params ? !transform_input(&adapter, str_of("get"), params, a, &value.doc, e)
               : !transform_output(&adapter, &value, a, &value, e))
        return false;
    json_key(to, value.doc ? "value" : "text");
    if (value.doc)
        json_doc(to, value.doc);
    else
        json_outside(to, value.bytes);
    return true;
}

int main(void)
{
    struct ceilings max = ceilings_default();
    size_t room = 0;
    char *line = NULL;
    ssize_t n;

    while ((n = getline(&line, &room, stdin)) > 0) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf to = { .max = 1 << 28 };
        const struct document *request;
        struct error e = { 0 };

        json_open(&to, '{');
        if (!json_read("request", (struct str){ line, (size_t)n }, &max, &a, &request, &e) ||
            !answer(&request->root, &a, &to, &e)) {
            json_put(&to, "error", e.msg);
            json_put(&to, "place", e.at.ptr);
        }
        json_close(&to, '}');
        printf("%s\n", to.s);
        (void)fflush(stdout);
    }
    free(line);
    return 0;
}
