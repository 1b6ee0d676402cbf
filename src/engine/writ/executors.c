/* SPDX-License-Identifier: Apache-2.0 */
/* executors.c: the public functions about executors: which there are, and one more. */
#include <string.h>

#include <writ/writ.h>

#include "base/fs.h"
#include "base/json_write.h"
#include "engine/approval.h"
#include "engine/builder.h"
#include "engine/event.h"
#include "engine/exec.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/keeping.h"
#include "engine/record.h"
#include "executor/shelf.h"

enum { SOURCE_BYTES = 16 << 20 };

/* ---- which there are ---- */

static void put_limits(const struct executor_limits *l, struct buf *to)
{
    json_key(to, "limits");
    json_open(to, '{');
    json_put_int(to, "timeout_ms", l->timeout_ms);
    json_put_int(to, "max_payload_bytes", l->max_payload_bytes);
    json_put_int(to, "max_depth", l->max_depth);
    json_put_int(to, "max_list_items", l->max_list_items);
    json_close(to, '}');
}

static void put_text(const char *key, struct str text, struct buf *to)
{
    json_key(to, key);
    if (text.s)
        json_outside(to, text);
    else
        json_nil(to);
}

static void put_executor(const struct executor *x, struct buf *to)
{
    const struct str *capabilities = x->capabilities.v;

    json_open(to, '{');
    put_text("executor_id", x->id, to);
    put_text("version", x->version, to);
    json_put(to, "kind", executor_kind_names[x->kind]);
    json_key(to, "capabilities");
    json_open(to, '[');
    for (size_t i = 0; i < x->capabilities.n; i++)
        json_text(to, capabilities[i]);
    json_close(to, ']');
    put_limits(&x->limits, to);
    json_put(to, "about", x->about);
    put_text("approval", x->approval, to);
    json_close(to, '}');
}

static void put_damage(const struct shelf_damage *x, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "executor_id", x->id);
    json_put(to, "version", x->version);
    json_put(to, "message", x->why);
    json_close(to, '}');
}

int writ_executors(const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct executors all;
    struct error e;

    if (!shelf_list(home_executors(environment, &a), &a, &all, &e))
        return record_unread(&e, answer);
    json_open(&out, '{');
    json_key(&out, "executors");
    json_open(&out, '[');
    for (size_t i = 0; i < all.n; i++)
        put_executor(&all.v[i], &out);
    json_close(&out, ']');
    json_key(&out, "damaged");
    json_open(&out, '[');
    for (size_t i = 0; i < all.damages; i++)
        put_damage(&all.damaged[i], &out);
    json_close(&out, ']');
    json_close(&out, '}');
    return take_answer(&out, all.damages ? WRIT_REFUSED : WRIT_OK, answer);
}

/* ---- one more ---- */

struct adding {
    const struct writ_input *input;
    const char *const *environment;
    struct keeping keeping;
    struct workshop workshop;
    struct executor_doc doc;
    struct executor executor;
    struct str source;  /* its bytes */
    const char *object; /* what it was compiled to, or NULL */
    struct review review;
    const char *ledger_id; /* of the approval, or NULL */
    struct arena *a;
};

/* The source is named from where the manifest is. */
static const char *source_path(const struct adding *x)
{
    const char *source = arena_text(x->a, x->doc.source), *slash = strrchr(x->input->name, '/');

    if (*source == '/' || !slash)
        return source;
    return arena_printf(x->a, "%.*s/%s", (int)(slash - x->input->name), x->input->name, source);
}

static bool read_source(struct adding *x, struct error *e)
{
    if (x->doc.kind == EXECUTOR_BUILTIN)
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "a builtin ships with writ; kind is wasm or jq for your own");
    if (!x->doc.source.s)
        return error_set(e, CODE_EXECUTOR_REFUSED,
                         "source is missing: the %s program it is made of",
                         executor_kind_names[x->doc.kind]);
    x->executor.program = source_path(x);
    return fs_read_file(x->executor.program, SOURCE_BYTES, x->a, &x->source, e) ||
           error_wrap(e, "%s", x->executor.program);
}

/* A module becomes what a worker can call; it cannot be called by any other way. */
static bool compile(struct adding *x, struct error *e)
{
    if (x->doc.kind != EXECUTOR_WASM)
        return true;
    if (!workshop_build(&x->workshop, x->source, x->a, &x->object, e))
        return error_wrap(e, "%s", x->executor.program);
    x->executor.program = x->object;
    return true;
}

static int compile_status(const struct adding *x, const struct error *e)
{
    if (x->workshop.refused)
        return x->workshop.refused;
    return e->sys ? WRIT_UNAVAILABLE : WRIT_REFUSED;
}

/* What the manifest asks for, as it would be on the shelf. */
static void candidate(struct adding *x)
{
    x->executor.id = x->doc.executor_id;
    x->executor.version = x->doc.version;
    x->executor.limits = *x->doc.limits;
    x->executor.kind = (enum executor_kind)x->doc.kind;
    capabilities_normal(&x->doc.capabilities, x->a, &x->executor.capabilities);
}

static bool digest_file(const char *path, struct arena *a, struct digest *out, struct error *e)
{
    struct str bytes;

    if (!fs_read_file(path, SOURCE_BYTES, a, &bytes, e))
        return error_wrap(e, "%s", path);
    *out = digest_of(bytes.s, bytes.n);
    return true;
}

/* Enters the approval, then puts the executor on the shelf: what is there was approved. */
static bool accept(struct adding *x, const char *shelf, struct error *e)
{
    _buf_ struct buf manifest = { .max = 1 << 20 }, body = { .max = ANSWER_MAX };
    struct digest program = digest_of(x->source.s, x->source.n), object, whole;
    char *id = arena_alloc(x->a, ENTRY_ID_TEXT);
    struct entry entry;

    if (x->object && !digest_file(x->object, x->a, &object, e))
        return false;
    shelf_manifest(&x->executor, &program, x->object ? &object : NULL, &manifest);
    whole = digest_of(manifest.s, manifest.len);
    approval_write(&x->review, &whole, &body);
    entry_of(ENTRY_APPROVAL, str_of("local"), x->executor.id, buf_str(&body), x->review.world,
             &entry);
    if (!body_whole(&body, e) || !keeping_enter(&x->keeping, &entry, e))
        return false;
    entry_id_text(&entry.id, id);
    x->ledger_id = id;
    return shelf_put(
        shelf,
        &(struct shelving){ &x->executor, buf_str(&manifest), x->source, x->object, x->ledger_id },
        e);
}

static void put_checks(const struct review *r, struct buf *to)
{
    json_key(to, "checks");
    json_open(to, '[');
    for (size_t i = 0; i < r->checked; i++) {
        json_open(to, '{');
        json_put(to, "check", review_rows[i].name);
        json_put(to, "requirement", review_rows[i].req);
        json_put_bool(to, "ok", r->accepted || i + 1 < r->checked);
        json_put(to, "detail", r->detail[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_fixtures(const struct review *r, struct buf *to)
{
    json_key(to, "fixtures");
    json_open(to, '[');
    for (size_t i = 0; r->tried && i < r->fixture_count; i++) {
        json_open(to, '{');
        json_put(to, "status", action_status_names[r->tried[i].status]);
        put_text("input_digest", r->tried[i].input_digest, to);
        put_text("output_digest", r->tried[i].output_digest, to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static int answer_review(const struct adding *x, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };

    json_open(&out, '{');
    put_text("executor_id", x->executor.id, &out);
    put_text("version", x->executor.version, &out);
    json_put(&out, "kind", executor_kind_names[x->executor.kind]);
    json_put_bool(&out, "accepted", x->review.accepted);
    put_checks(&x->review, &out);
    put_fixtures(&x->review, &out);
    json_put(&out, "ledger_id", x->ledger_id);
    json_close(&out, '}');
    return take_answer(&out, x->review.accepted ? WRIT_OK : WRIT_REFUSED, answer);
}

static int refuse(const struct error *e, int status, char **answer)
{
    *answer = record_failure(e->code, e->msg);
    return status;
}

static int add(struct adding *x, char **answer)
{
    const char *shelf = home_executors(x->environment, x->a);
    struct error e;

    if (!shelf)
        return refuse(&x->keeping.why, WRIT_UNRECORDED, answer);
    if (!read_source(x, &e))
        return refuse(&e, e.code == CODE_EXECUTOR_REFUSED ? WRIT_REFUSED : WRIT_WRONG, answer);
    candidate(x);
    x->review = (struct review){ .candidate = &x->executor,
                                 .fixtures = x->doc.fixtures.v,
                                 .fixture_count = x->doc.fixtures.n,
                                 .shelf = shelf,
                                 .worker = home_program("writ-pure", x->environment, x->a),
                                 .world = world_real() };
    if (!x->keeping.open)
        return refuse(&x->keeping.why, WRIT_UNRECORDED, answer);
    if (!compile(x, &e))
        return refuse(&e, compile_status(x, &e), answer);
    if (!review_run(&x->review, x->a, &e))
        return refuse(&e, WRIT_UNAVAILABLE, answer);
    if (x->review.accepted && !accept(x, shelf, &e))
        return refuse(&e, WRIT_UNRECORDED, answer);
    return answer_review(x, answer);
}

int writ_executor_add(const struct writ_input *manifest, const char *const *environment,
                      const char *ledger, const char *const *weak, char **answer)
{
    _arena_ struct arena a = { 0 };
    struct adding x = { .input = manifest,
                        .environment = environment,
                        .workshop = { .environment = environment, .ledger = ledger, .weak = weak },
                        .a = &a };
    const struct document *document;
    struct report r;
    struct error e;
    unsigned spared;
    int status;

    if (!given_input(manifest, "manifest", answer) || !given_ledger(ledger, environment, answer))
        return WRIT_USAGE;
    if (!exec_weak(weak, &a, &spared, &e))
        return refuse(&e, WRIT_USAGE, answer);
    if (!input_read(manifest, &a, &document, &r) ||
        !shape_decode(&executor_shape, &document->root, &r, &x.doc)) {
        _buf_ struct buf out = { .max = ANSWER_MAX };

        report_finish(&r);
        input_answer(&r, "executor", &out);
        return take_answer(&out, WRIT_WRONG, answer);
    }
    keeping_open(&x.keeping, ledger, environment, world_real(), -1);
    status = add(&x, answer);
    workshop_close(&x.workshop);
    keeping_close(&x.keeping);
    return status;
}
