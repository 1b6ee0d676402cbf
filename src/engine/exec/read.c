/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: what is asked for: a document, or a person's command line written as one.
 *
 * Nothing runs without an execution contract (contract 001): what a person types is turned into one
 * and checked by the same rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/doc_read.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "base/utf8.h"
#include "contract/admit.h"
#include "contract/kinds.h"
#include "contract/lane_doc.h"
#include "contract/plan_doc.h"
#include "contract/template_doc.h"
#include "engine/event.h"
#include "engine/exec.h"
#include "engine/home.h"
#include "engine/input.h"
#include "route/route.h"

/* The members a person's options give, one after the other; `skip` is put by us. */
static void put_members(struct buf *to, const struct doc *options, const char *skip,
                        struct arena *a)
{
    for (const struct doc *m = doc_first(options, DOC_MAP); m; m = m->next) {
        if (str_is(m->key, skip))
            continue;
        json_key(to, arena_text(a, m->key));
        json_doc(to, m);
    }
}

static void put_inputs(const struct exec *x, const struct doc *options, struct buf *to)
{
    const struct doc *inputs = options ? doc_get(options, "inputs") : NULL;

    json_key(to, "inputs");
    json_open(to, '{');
    json_put(to, "command", x->command->argv[0]);
    json_key(to, "arguments");
    json_open(to, '[');
    for (const char *const *arg = x->command->argv + 1; *arg; arg++)
        json_outside(to, str_of(*arg));
    json_close(to, ']');
    if (inputs)
        put_members(to, inputs, "command", x->a);
    json_close(to, '}');
}

static void put_name(const struct exec *x, const char *tool, struct buf *to)
{
    struct uuid id = x->world->new_id(x->world->self);
    char text[UUID_TEXT];

    uuid_text(&id, text);
    json_put(to, "execution_id", text);
    if (tool)
        json_put(to, "tool_id", tool);
    json_put(to, "adapter_id", "none");
}

static void put_metadata(const struct exec *x, const char *purpose, struct buf *to)
{
    const char *user = home_variable(x->command->environment, "USER");
    char at[STAMP_TEXT];

    stamp_text(x->world->wall_ms(x->world->self), at);
    json_key(to, "metadata");
    json_open(to, '{');
    if (user && *user)
        json_put(to, "requested_by", user);
    else
        json_put(to, "requested_by", x->caller.name[0] ? x->caller.name : "unknown");
    json_put(to, "requested_at", at);
    if (purpose)
        json_put(to, "purpose", purpose);
    json_close(to, '}');
}

/* The contract of a person's command, as text. */
static void write_request(const struct exec *x, const struct doc *options, struct buf *to)
{
    json_open(to, '{');
    put_name(x, "caller", to);
    put_inputs(x, options, to);
    if (options)
        put_members(to, options, "inputs", x->a);
    if (x->command->approve) {
        json_key(to, "approval");
        json_open(to, '{');
        json_put(to, "reason", x->command->approve);
        json_close(to, '}');
    }
    put_metadata(x, NULL, to);
    json_close(to, '}');
}

/* The contract of a step's command: its payload, named. */
static void write_step(const struct exec *x, struct buf *to)
{
    const struct doc *payload = x->step->payload;

    json_open(to, '{');
    put_name(x, doc_get(payload, "tool_id") ? NULL : ADMIT_LISTED, to);
    put_members(to, payload, "", x->a);
    put_metadata(x, x->step->purpose, to);
    json_close(to, '}');
}

static bool read_text(struct exec *x, const char *name, struct str text,
                      const struct document **out, struct report *r)
{
    struct ceilings max = ceilings_default();
    struct error e;

    *r = report_new(x->a, name, text);
    if (doc_read(name, text, &max, x->a, out, &e))
        return true;
    report_error(r, &e);
    return false;
}

/* Two commands that differ must not be one in the record: what is no text is not replaced. */
static bool are_texts(const struct exec *x, struct report *r)
{
    struct error e = { 0 };

    for (size_t i = 0; x->command->argv[i]; i++) {
        struct str word = str_of(x->command->argv[i]);

        if (utf8_valid(word) == word.n)
            continue;
        *r = report_new(x->a, "options", (struct str){ "", 0 });
        (void)error_set(&e, CODE_ENCODING, "word %zu of the command, '%.*s', is not UTF-8", i + 1,
                        STR_ARG(word));
        report_error(r, &e);
        return false;
    }
    return true;
}

/* What is no map has no members to take: a limit in it would not be applied. */
static bool read_options(struct exec *x, const struct document **out, struct report *r)
{
    const char *given = x->command->options;

    if (!given)
        return true;
    if (!read_text(x, "options", str_of(given), out, r))
        return false;
    if ((*out)->root.kind != DOC_MAP)
        report_add(r, ABOUT_VALUE, &(*out)->root, CODE_VALIDATION_ERROR, "options are a map");
    return (*out)->root.kind == DOC_MAP;
}

static bool read_person(struct exec *x, const struct document **out, struct report *r)
{
    const struct document *options = NULL;
    struct buf text = { .max = ANSWER_MAX };
    bool ok;

    if (!are_texts(x, r) || !read_options(x, &options, r))
        return false;
    write_request(x, options ? &options->root : NULL, &text);
    ok =
        read_text(x, "options", (struct str){ arena_text(x->a, buf_str(&text)), text.len }, out, r);
    buf_free(&text);
    return ok;
}

static bool read_step(struct exec *x, const struct document **out, struct report *r)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };

    write_step(x, &text);
    return read_text(x, "step", (struct str){ arena_text(x->a, buf_str(&text)), text.len }, out, r);
}

/* Two requests that ask for the same have this digest in common. */
static void digest_inputs(struct exec *x, const struct doc *request)
{
    static const char *const members[] = { "inputs", "outputs", "sandbox" };
    struct sha256 sum;

    sha256_begin(&sum);
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct doc *member = doc_get(request, members[i]);
        _buf_ struct buf canon = { .max = ANSWER_MAX };

        if (member)
            json_canon(member, x->a, &canon);
        buf_addc(&canon, '\n');
        sha256_add(&sum, canon.s, canon.len);
    }
    x->inputs_digest = sha256_end(&sum);
}

void exec_set_time(struct exec *x, int64_t ms)
{
    struct request_sandbox *held = arena_new(x->a, struct request_sandbox);

    *held = *x->request.sandbox;
    held->timeout_ms = ms;
    x->request.sandbox = held;
}

bool exec_has_own_time(const struct doc *payload)
{
    const struct doc *sandbox = doc_get(payload, "sandbox"), *own = NULL;

    if (sandbox && sandbox->kind == DOC_MAP)
        own = doc_get(sandbox, limits[LIMIT_TIMEOUT_MS].name);
    return own && own->kind == DOC_INT;
}

int64_t exec_step_time(const struct doc *payload, int64_t step_ms)
{
    const struct limit_row *row = &limits[LIMIT_TIMEOUT_MS];

    if (exec_has_own_time(payload))
        return doc_whole(doc_get(payload, "sandbox"), row->name);
    return step_ms < row->min ? row->min : step_ms > row->max ? row->max : step_ms;
}

/* What is asked for, as it was written; NULL: the report says why it cannot be read. */
static const struct doc *read_asked(struct exec *x, struct report *r)
{
    const struct document *document;
    bool ok;

    if (x->served)
        return x->served->request;
    if (x->call)
        return x->call->request;
    ok = x->step                ? read_step(x, &document, r)
         : !x->command->request ? read_person(x, &document, r)
                                : input_read(x->command->request, x->a, &document, r);
    return ok ? &document->root : NULL;
}

/* ---- a lane of contract 000 ---- */

static void write_lane(const struct exec *x, const struct lane_doc *lane, struct words words,
                       struct buf *to)
{
    json_open(to, '{');
    put_name(x, ADMIT_LISTED, to);
    json_key(to, "inputs");
    json_open(to, '{');
    json_key(to, "command");
    json_text(to, words.v[0]);
    json_key(to, "arguments");
    json_open(to, '[');
    for (size_t i = 1; i < words.n; i++)
        json_text(to, words.v[i]);
    json_close(to, ']');
    json_close(to, '}');
    json_key(to, "route");
    json_open(to, '{');
    json_put_text(to, "class", lane->command_class);
    json_put_bool(to, "remote", lane->prefer_remote);
    json_put_text(to, "command_id", lane->command_id);
    json_put_text(to, "correlation_id", lane->correlation_id);
    if (lane->scenario_id.n)
        json_put_text(to, "scenario_id", lane->scenario_id);
    json_close(to, '}');
    put_metadata(x, NULL, to);
    json_close(to, '}');
}

/* The request of a lane's document: its command, held to the defaults and admitted by whichever
 * tool of the registry lists it. False: the report says what is wrong with the lane. */
static bool take_lane(struct exec *x, struct report *r)
{
    const struct kind_row *kind = x->named || x->served ? NULL : kind_of(x->asked);
    _buf_ struct buf text = { .max = ANSWER_MAX };
    const struct document *document;
    struct lane_doc lane;
    struct words words;
    struct error e;

    if (!kind || kind->shape != &lane_shape)
        return true;
    if (!shape_decode(&lane_shape, x->asked, r, &lane))
        return false;
    if (!route_words(&lane, x->a, &words, &e)) {
        report_add(r, ABOUT_VALUE, doc_get(x->asked, "raw_command"), e.code, "%s", e.msg);
        return false;
    }
    write_lane(x, &lane, words, &text);
    x->named = true;
    if (!read_text(x, "lane", (struct str){ arena_text(x->a, buf_str(&text)), text.len }, &document,
                   r))
        return false;
    x->asked = &document->root;
    return true;
}

/* A document that is another kind of thing altogether is not held against the rows of a request. */
static bool is_another(const struct exec *x, struct report *r)
{
    const struct kind_row *kind = x->named || x->served ? NULL : kind_of(x->asked);

    if (!kind || kind->shape == &request_shape)
        return false;
    report_add(r, ABOUT_VALUE, x->asked, CODE_KIND_UNKNOWN,
               "this looks like the kind %s%s; a request has inputs", kind->name,
               kind->shape == &plan_shape || kind->shape == &template_shape
                   ? ", which `writ run` runs"
                   : "");
    return true;
}

bool exec_read(struct exec *x, struct report *r)
{
    _buf_ struct buf canon = { .max = ANSWER_MAX };
    struct error e;

    x->caller = caller_now();
    x->person = x->served ? x->served->person : !x->command->request && !x->step && !x->call;
    x->named = !x->served && (x->call || x->step || !x->command->request);
    x->asked = read_asked(x, r);
    if (!x->asked || !take_lane(x, r) || is_another(x, r) ||
        !shape_decode(&request_shape, x->asked, r, &x->request))
        return false;
    digest_inputs(x, x->asked);
    if (x->step && !x->call && x->step->timeout_ms)
        exec_set_time(x, exec_step_time(x->step->payload, x->step->timeout_ms));
    if (x->served) { /* by whom it is recorded, and held to another time */
        exec_set_time(x, x->served->timeout_ms);
        return true;
    }
    json_canon(x->asked, x->a, &canon);
    if (!body_whole(&canon, &e)) {
        report_error(r, &e);
        return false;
    }
    x->request_text = (struct str){ arena_text(x->a, buf_str(&canon)), canon.len };
    x->request_digest = digest_of(canon.s, canon.len);
    return true;
}

bool exec_registry(struct exec *x, struct report *r)
{
    struct registries *all = x->step     ? x->step->registries
                             : x->served ? x->served->registries
                                         : NULL;

    if (x->call) {
        x->registry = x->call->registry;
        return true;
    }
    return registry_above(all, x->reach.home_root, x->command->environment, x->a, &x->registry, r);
}
