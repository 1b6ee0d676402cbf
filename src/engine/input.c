/* SPDX-License-Identifier: Apache-2.0 */
/* input.c: reads what a caller handed over, and tells what is wrong with it. */
#include "engine/input.h"

#include "base/doc_read.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "contract/codes.h"

static bool read_text(const struct writ_input *input, size_t max, struct arena *a, struct str *text,
                      struct error *e)
{
    if (input->text) {
        *text = (struct str){ input->text, input->len };
        return true;
    }
    if (strcmp(input->name, "-") == 0)
        return fd_read(STDIN_FILENO, max, a, text, e);
    return fs_read(input->name, max, a, text, e);
}

bool input_read(const struct writ_input *input, struct arena *a, const struct document **out,
                struct report *r)
{
    struct ceilings max = ceilings_default();
    struct str text = { 0 };
    struct error e;

    *r = report_new(a, input->name, text);
    if (!read_text(input, max.v[CEILING_BYTES], a, &text, &e) ||
        !doc_read(input->name, text, &max, a, out, &e)) {
        report_error(r, &e);
        return false;
    }
    r->text = (*out)->text;
    return true;
}

static void put_text(struct buf *to, const char *key, const char *text)
{
    json_key(to, key);
    json_outside(to, str_of(text));
}

static void put_problem(const struct problem *p, struct buf *to)
{
    json_open(to, '{');
    json_key(to, "line");
    json_int(to, p->line);
    json_key(to, "column");
    json_int(to, p->col);
    put_text(to, "pointer", p->pointer);
    put_text(to, "message", p->msg);
    json_key(to, "code");
    json_text(to, str_of(codes[p->code].name));
    json_key(to, "severity");
    json_text(to, str_of(p->warning ? "warning" : "error"));
    json_close(to, '}');
}

void input_answer(const struct report *r, const char *kind, struct buf *to)
{
    json_open(to, '{');
    put_text(to, "file", r->file);
    json_key(to, "kind");
    if (kind)
        json_text(to, str_of(kind));
    else
        json_nil(to);
    json_key(to, "ok");
    json_bool(to, r->errors == 0);
    json_key(to, "problems");
    json_open(to, '[');
    for (const struct problem *p = r->first; p; p = p->next)
        put_problem(p, to);
    json_close(to, ']');
    json_key(to, "errors");
    json_int(to, r->errors);
    json_key(to, "warnings");
    json_int(to, r->warnings);
    json_close(to, '}');
}

char *take_answer(struct buf *b)
{
    char *text = b->s;

    b->s = NULL;
    b->len = b->cap = 0;
    return text;
}
