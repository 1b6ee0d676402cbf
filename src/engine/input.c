/* SPDX-License-Identifier: Apache-2.0 */
/* input.c: reads what a caller handed over, and tells what is wrong with it. */
#include "engine/input.h"

#include "base/doc_read.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "contract/codes.h"

bool input_bytes(const struct writ_input *input, size_t max, struct arena *a, struct str *text,
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

    return input_read_within(input, &max, a, out, r);
}

bool input_read_within(const struct writ_input *input, const struct ceilings *max, struct arena *a,
                       const struct document **out, struct report *r)
{
    struct str text = { 0 };
    struct error e;

    *r = report_new(a, input->name, text);
    if (!input_bytes(input, max->v[CEILING_BYTES], a, &text, &e) ||
        !doc_read(input->name, text, max, a, out, &e)) {
        report_error(r, &e);
        return false;
    }
    r->text = (*out)->text;
    return true;
}

bool input_read_file(const char *name, struct arena *a, const struct document **out,
                     struct report *r)
{
    struct writ_input input = { .name = name };
    struct str text = { 0 };
    struct error e;

    if (!fs_read_file(name, ceilings_default().v[CEILING_BYTES], a, &text, &e)) {
        *r = report_new(a, name, text);
        report_error(r, &e);
        return false;
    }
    input.text = text.s;
    input.len = text.n;
    return input_read(&input, a, out, r);
}

static void put_problem(const struct problem *p, struct buf *to)
{
    json_open(to, '{');
    json_put_int(to, "line", p->line);
    json_put_int(to, "column", p->col);
    json_put(to, "pointer", p->pointer);
    json_put(to, "message", p->msg);
    json_put(to, "code", codes[p->code].name);
    json_put(to, "severity", p->warning ? "warning" : "error");
    json_close(to, '}');
}

void input_problems(const struct report *r, struct buf *to)
{
    json_key(to, "problems");
    json_open(to, '[');
    for (const struct problem *p = r->first; p; p = p->next)
        put_problem(p, to);
    json_close(to, ']');
}

/* What every answer begins with that is no yes, whoever gives it; here it is the first problem's.
 */
static void put_first(const struct report *r, struct buf *to)
{
    const struct problem *p = report_wrong(r);

    if (!p)
        return;
    json_put(to, "code", codes[p->code].name);
    json_put(to, "message", p->msg);
}

void input_answer(const struct report *r, const char *kind, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "file", r->file);
    json_put(to, "kind", kind);
    json_put_bool(to, "ok", r->errors == 0);
    put_first(r, to);
    input_problems(r, to);
    json_put_int(to, "errors", r->errors);
    json_put_int(to, "warnings", r->warnings);
    json_close(to, '}');
}

int take_answer(struct buf *b, int status, char **answer)
{
    if (!buf_ok(b)) {
        buf_free(b);
        *b = (struct buf){ .max = ANSWER_MAX };
        json_open(b, '{');
        json_put(b, "code", codes[CODE_CEILING].name);
        json_put(b, "message", "the answer has more than 256 MiB, and is not given");
        json_close(b, '}');
        status = WRIT_UNRECORDED;
    }
    *answer = b->s;
    b->s = NULL;
    b->len = b->cap = 0;
    return status;
}

int input_wrong(struct report *r, const char *kind, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };

    report_finish(r);
    input_answer(r, kind, &out);
    return take_answer(&out, WRIT_WRONG, answer);
}
