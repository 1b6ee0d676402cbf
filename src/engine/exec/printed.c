/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c: what a command printed, in its record, and held against what was expected. */
#include <string.h>

#include "adapter/secret.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/exec.h"

/* Bytes that are not UTF-8 come as base64: a record never changes what was printed. */
static void put_bytes(struct buf *to, struct str bytes)
{
    if (utf8_valid(bytes) == bytes.n) {
        json_put_text(to, "text", bytes);
    } else {
        json_key(to, "base64");
        json_base64(to, bytes);
    }
}

/* A character that the ceiling cut in two is left to the digest. */
static struct str whole_characters(const struct printed *p)
{
    struct str head = p->head;
    size_t cut = 0;

    if (!printed_cut(p))
        return head;
    while (cut < 3 && cut < head.n && ((unsigned char)head.s[head.n - 1 - cut] & 0xc0) == 0x80)
        cut++;
    if (cut < head.n && ((unsigned char)head.s[head.n - 1 - cut] & 0x80))
        cut++;
    if (utf8_valid(head) != head.n && utf8_valid(head) >= head.n - cut)
        head.n -= cut;
    return head;
}

void exec_put_printed(struct buf *to, const struct printed *p, bool text)
{
    if (text)
        put_bytes(to, whole_characters(p));
    json_put_int(to, "bytes", p->bytes);
    json_put_bool(to, "truncated", printed_cut(p));
    json_put_digest(to, "digest", &p->digest);
    if (p->lost)
        json_put(to, "lost", error_words(p->lost));
}

void exec_put_tail(struct buf *to, const struct printed *p)
{
    if (!p->tail.n)
        return;
    json_key(to, "tail");
    json_base64(to, p->tail);
}

void exec_redact(struct printed *p, const struct secrets *secrets, struct arena *a)
{
    struct str raw = p->head;

    if (!raw.s)
        return;
    p->cut = printed_cut(p);
    p->redacted = true;
    p->head = p->cut ? redact_cut(raw, secrets, a) : redact(raw, secrets, a);
    if (p->tail.n)
        p->tail = redact_tail(p->tail, secrets, a);
    if (p->head.s != raw.s || p->head.n != raw.n)
        p->digest = digest_of(p->head.s, p->head.n);
}

/* ---- what was expected ---- */

static bool stream_fits(const struct doc *stream, const struct printed *p)
{
    struct str content;
    struct digest d;

    if (!request_expects(stream, &content))
        return true;
    d = digest_of(content.s, content.n);
    return memcmp(&d, &p->digest, sizeof d) == 0;
}

static bool is_judged(const struct exec *x)
{
    return x->outcome.cause == CAUSE_UNMET || x->outcome.cause == CAUSE_UNDELIVERED;
}

static int own_code(const struct exec *x)
{
    return is_judged(x) ? x->now.own_exit_code : x->outcome.exit_code;
}

static bool code_fits(const struct exec *x)
{
    const struct request_outputs *o = x->request.outputs;

    return o->exit_code == EXIT_CODE_ANY || o->exit_code == own_code(x);
}

/* A file that is withheld is there, and writ does not keep it; what could not be kept is told by
 * `unkept`. */
static const struct collected *undelivered(const struct exec *x)
{
    for (size_t i = 0; i < x->now.files.n; i++) {
        enum collect_state state = x->now.files.v[i].state;

        if (state != COLLECT_DONE && state != COLLECT_WITHHELD && state != COLLECT_NOT_KEPT)
            return &x->now.files.v[i];
    }
    return NULL;
}

void exec_judge(struct exec *x)
{
    const struct request_outputs *asked = x->request.outputs;
    struct outcome *o = &x->outcome;
    bool fits =
        code_fits(x) && stream_fits(asked->out, &o->out) && stream_fits(asked->err, &o->err);

    if (x->served || o->cause != CAUSE_EXITED || (o->exit_code != 0 && !code_fits(x)) ||
        (o->exit_code != 0 && asked->exit_code == EXIT_CODE_ANY) || (fits && !undelivered(x)))
        return;
    x->now.own_exit_code = o->exit_code;
    o->cause = fits ? CAUSE_UNDELIVERED : CAUSE_UNMET;
    o->exit_code = fits ? EXIT_UNDELIVERED : EXIT_UNMET;
}

void exec_put_expected(const struct exec *x, struct buf *to)
{
    const struct request_outputs *o = x->request.outputs;
    struct str content;

    if (is_judged(x))
        json_put_int(to, "own_exit_code", x->now.own_exit_code);
    json_key(to, "expected");
    json_open(to, '{');
    if (o->exit_code != EXIT_CODE_ANY)
        json_put_bool(to, "exit_code", code_fits(x));
    if (request_expects(o->out, &content))
        json_put_bool(to, "stdout", stream_fits(o->out, &x->outcome.out));
    if (request_expects(o->err, &content))
        json_put_bool(to, "stderr", stream_fits(o->err, &x->outcome.err));
    json_close(to, '}');
}

const char *exec_shortfall(const struct exec *x, struct arena *a)
{
    const struct request_outputs *o = x->request.outputs;
    static const char *const streams[] = { "", "stdout is", "stderr is", "stdout and stderr are" };
    int which = !stream_fits(o->out, &x->outcome.out) + 2 * !stream_fits(o->err, &x->outcome.err);
    const struct collected *file = undelivered(x);
    const char *code = "";

    if (x->outcome.cause == CAUSE_UNDELIVERED && file)
        return arena_printf(a, "the output file %s was not delivered: %s", said(file->path, a),
                            collect_state_names[file->state]);
    if (x->outcome.cause != CAUSE_UNMET)
        return NULL;
    if (!code_fits(x))
        code =
            arena_printf(a, "the exit code is %d, expected was %d", own_code(x), (int)o->exit_code);
    if (which == 0)
        return code;
    return arena_printf(a, "%s%s%s not what was expected", code, *code ? "; " : "", streams[which]);
}
