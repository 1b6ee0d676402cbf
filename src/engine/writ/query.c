/* SPDX-License-Identifier: Apache-2.0 */
/* query.c: the public function that selects from a document by a JSONPath. */
#include <writ/writ.h>

#include "base/json_write.h"
#include "base/jsonpath.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/input.h"

static int wrong_path(const char *path, const struct error *e, struct buf *out)
{
    json_open(out, '{');
    json_put(out, "path", path);
    json_put_int(out, "character", e->at.col);
    json_put(out, "message", e->msg);
    json_put(out, "code", codes[e->code].name);
    json_close(out, '}');
    return WRIT_USAGE;
}

/* The values, or where they are; false: out of work. */
static bool write_nodes(const struct nodes *n, bool paths, struct work *w, struct buf *out)
{
    if (paths)
        return jsonpath_places(n, w, out);
    json_open(out, '[');
    for (size_t i = 0; i < n->n && buf_ok(out); i++)
        json_doc(out, n->v[i]);
    json_close(out, ']');
    return true;
}

static int query(const struct jsonpath *path, const struct writ_input *input, bool paths,
                 struct arena *a, struct buf *out)
{
    const struct document *document;
    const uint32_t most = ceiling_rows[CEILING_QUERY].value;
    struct work w = { .left = most };
    struct nodes nodes;
    struct report r;

    if (input_read(input, a, &document, &r)) {
        bool done = jsonpath_run(path, &document->root, a, &w, &nodes) &&
                    write_nodes(&nodes, paths, &w, out);

        if (done && buf_ok(out))
            return WRIT_OK;
        if (!done)
            report_add(&r, ABOUT_VALUE, &document->root, CODE_CEILING,
                       "the query takes more than %u steps", most);
        else
            report_add(&r, ABOUT_VALUE, &document->root, CODE_CEILING,
                       "what the query selects has more than %d bytes", ANSWER_MAX);
        buf_reset(out);
    }
    report_finish(&r);
    input_answer(&r, NULL, out);
    return WRIT_WRONG;
}

int writ_query(const char *path, const struct writ_input *input, bool paths, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const struct jsonpath *program;
    struct error e = { 0 };
    int status;

    if (!given(path, "path", answer) || !given_input(input, "input", answer))
        return WRIT_USAGE;
    if (jsonpath_read(str_of(path), &a, &program, &e))
        status = query(program, input, paths, &a, &out);
    else
        status = wrong_path(path, &e, &out);
    return take_answer(&out, status, answer);
}
