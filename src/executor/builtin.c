/* SPDX-License-Identifier: Apache-2.0 */
/* builtin.c: the executors that ship, as rows, and the kind that runs them. */
#include "executor/builtin.h"

#include "base/doc_make.h"
#include "executor/builtin_run.h"
#include "executor/kind.h"

/* What a millisecond of timeout_ms is in steps of work. A step takes some 20 ns where machines are
 * slow, so the steps are used up before the clock says so: equal payloads meet equal verdicts
 * (A03-3). */
enum { STEPS_PER_MS = 50000 };

/* clang-format off */
/* The limits: timeout_ms, max_payload_bytes, max_depth, max_list_items. Large enough for a document
 * that people look at, small enough to be done with in a second. */
const struct builtin builtins[] = {
    { "json_diff", "1.0.0", "COMPARE JSON", { 1000, 1 << 20, 64, 100000 },
      "Compares two documents: the JSON Patch (RFC 6902) that turns one into the other.",
      &json_diff_payload,
      "{\"before\":{\"name\":\"web\",\"tags\":[\"a\",\"b\"]},\"after\":{\"name\":\"web\",\"tags\":[\"b\",\"c\"]}}",
      "[{\"op\":\"remove\",\"path\":\"/tags/0\"},{\"op\":\"add\",\"path\":\"/tags/1\",\"value\":\"c\"}]",
      json_diff_run },
    { "json_merge", "1.0.0", "JSON TRANSFORM", { 1000, 1 << 20, 64, 100000 },
      "Merges a patch into a document by JSON Merge Patch (RFC 7386).",
      &json_merge_payload,
      "{\"target\":{\"name\":\"web\",\"size\":{\"cpu\":1,\"ram\":2}},\"patch\":{\"name\":null,\"size\":{\"cpu\":4}}}",
      "{\"size\":{\"cpu\":4,\"ram\":2}}",
      json_merge_run },
    { "json_patch", "1.0.0", "JSON TRANSFORM", { 1000, 1 << 20, 64, 100000 },
      "Applies a JSON Patch (RFC 6902) to a document: all of its operations or none.",
      &json_patch_payload,
      "{\"document\":{\"tags\":[\"a\"]},\"patch\":[{\"op\":\"test\",\"path\":\"/tags/0\",\"value\":\"a\"},{\"op\":\"add\",\"path\":\"/tags/-\",\"value\":\"b\"}]}",
      "{\"tags\":[\"a\",\"b\"]}",
      json_patch_run },
    { "json_select", "1.0.0", "JSON QUERY", { 1000, 1 << 20, 64, 100000 },
      "Selects values from a document by a JSONPath (RFC 9535).",
      &json_select_payload,
      "{\"path\":\"$.steps[?@.timeout_ms > 1000].id\",\"document\":{\"steps\":[{\"id\":\"build\",\"timeout_ms\":5000},{\"id\":\"lint\",\"timeout_ms\":500}]}}",
      "[\"build\"]",
      json_select_run },
    { "noop", "1.0.0", "", { 1000, 1 << 20, 64, 100000 },
      "Does nothing and has no output, whatever it is given.",
      NULL, "null", NULL,
      noop_run },
    { "rule_evaluate", "1.0.0", "DECIDE JSON", { 1000, 1 << 20, 64, 100000 },
      "Finds the rules that apply to some facts, and hands out what they say.",
      &rule_evaluate_payload,
      "{\"facts\":{\"branch\":\"main\",\"changed\":12},\"mode\":\"first\",\"rules\":["
        "{\"id\":\"large\",\"when\":{\"pointer\":\"/changed\",\"op\":\"gt\",\"value\":100},\"then\":\"two reviews\"},"
        "{\"id\":\"main\",\"when\":{\"all\":[{\"pointer\":\"/branch\",\"op\":\"in\",\"value\":[\"main\",\"release\"]},{\"not\":{\"pointer\":\"/draft\",\"op\":\"exists\"}}]},\"then\":\"one review\"},"
        "{\"id\":\"else\",\"then\":\"no review\"}]}",
      "{\"count\":1,\"matched\":[{\"id\":\"main\",\"then\":\"one review\"}]}",
      rule_evaluate_run },
    { "schema_validate", "1.0.0", "JSON VALIDATE", { 1000, 1 << 20, 64, 100000 },
      "Holds a document against a JSON Schema (2020-12 or draft-07).",
      &schema_validate_payload,
      "{\"schema\":{\"type\":\"object\",\"required\":[\"name\"]},\"document\":{\"name\":\"web\"}}",
      "{\"problems\":[],\"valid\":true}",
      schema_validate_run },
    { "semver_compare", "1.0.0", "COMPARE VERSION", { 1000, 1 << 20, 64, 100000 },
      "Compares two versions (Semantic Versioning 2.0.0), and says whether the first is in a range.",
      &semver_compare_payload,
      "{\"left\":\"1.4.0-rc.1\",\"right\":\"1.4.0\",\"range\":\">=1.2.0 <2.0.0 || ^1.4.0-rc\"}",
      "{\"order\":-1,\"relation\":\"older\",\"satisfies\":true}",
      semver_compare_run },
    { "text_digest", "1.0.0", "DIGEST TEXT", { 1000, 1 << 20, 64, 100000 },
      "Takes the SHA-256 digest of a text, or of the bytes that base64 stands for.",
      &text_digest_payload,
      "{\"text\":\"abc\"}",
      "{\"bytes\":3,\"digest\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}",
      text_digest_run },
};

static const struct column builtin_columns[] = {
    { "id",                COLUMN_TEXT,  offsetof(struct builtin, id) },
    { "version",           COLUMN_TEXT,  offsetof(struct builtin, version) },
    { "capabilities",      COLUMN_TEXT,  offsetof(struct builtin, capabilities) },
    { "timeout_ms",        COLUMN_INT64, offsetof(struct builtin, limits.timeout_ms) },
    { "max_payload_bytes", COLUMN_INT64, offsetof(struct builtin, limits.max_payload_bytes) },
    { "max_depth",         COLUMN_INT64, offsetof(struct builtin, limits.max_depth) },
    { "max_list_items",    COLUMN_INT64, offsetof(struct builtin, limits.max_list_items) },
    { "about",             COLUMN_TEXT,  offsetof(struct builtin, about) },
    { "payload",           COLUMN_TEXT,  offsetof(struct builtin, example_payload) },
    { "output",            COLUMN_TEXT,  offsetof(struct builtin, example_output) },
};
/* clang-format on */

const size_t builtin_count = COUNT(builtins);

const struct table builtins_table = {
    .name = "executors",
    .about = "The executors that ship: pure functions, with what one call of them may use.",
    COLUMNS(builtin_columns),
    .keys = 1,
    ROWS(builtins),
};

const struct builtin *builtin_named(struct str id)
{
    for (size_t i = 0; i < builtin_count; i++)
        if (str_is(id, builtins[i].id))
            return &builtins[i];
    return NULL;
}

/* ---- the kind ---- */

struct runner {
    const struct builtin *row;
    const struct world *world;
    int64_t timeout_ms, deadline_ms;
};

static bool start(const struct call_program *program, struct arena *a, void **self, struct error *e)
{
    const struct builtin *row = builtin_named(str_of(program->id));
    struct runner *r;

    if (!row)
        return error_set(e, CODE_ACTION_NOT_FOUND, "no builtin executor is named %s",
                         said(str_of(program->id), a));
    r = arena_new(a, struct runner);
    *r = (struct runner){ row, program->world, program->bounds.timeout_ms, 0 };
    *self = r;
    return true;
}

static bool is_late(void *self)
{
    const struct runner *r = self;

    return r->world->mono_ms(r->world->self) > r->deadline_ms;
}

/* A tree may have its members in any order, and canonical bytes have not: what is executed is in
 * their order, so that equal bytes give equal outputs. */
static bool execute(const struct runner *r, const struct call *call, struct work *w,
                    struct arena *a, const struct doc **output, struct error *e)
{
    const struct doc *payload;

    return doc_ordered(call->value, w, a, &payload) && r->row->execute(payload, w, a, output, e);
}

static uint64_t steps(int64_t timeout_ms)
{
    return timeout_ms < INT64_MAX / STEPS_PER_MS ? (uint64_t)timeout_ms * STEPS_PER_MS : INT64_MAX;
}

static void run_call(struct runner *r, struct call *call, struct arena *a)
{
    struct work w = { .left = steps(r->timeout_ms), .late = is_late, .self = r };
    int64_t begun = r->world->mono_ms(r->world->self);
    struct error e = { 0 };
    bool done;

    call->output = NULL;
    r->deadline_ms = begun + r->timeout_ms;
    done = execute(r, call, &w, a, &call->output, &e);
    if (w.over) {
        call->end = CALL_TIMEOUT;
        call->detail = "the work of a call is used up";
    } else if (!done) {
        call->end = CALL_EXCEPTION;
        call->detail = "the executor raised an exception";
        call->words = str_of(arena_text(a, str_of(e.msg)));
    } else {
        call->end = call->output ? CALL_OUTPUT : CALL_NO_OUTPUT;
    }
    if (call->end != CALL_OUTPUT)
        call->output = NULL;
    call->took_ms = r->world->mono_ms(r->world->self) - begun;
}

static void run_calls(void *self, struct call *calls, size_t n, struct arena *a)
{
    for (size_t i = 0; i < n; i++)
        run_call(self, &calls[i], a);
}

static void stop(void *self)
{
    (void)self; /* all of it is in the arena */
}

const struct kind builtin_kind = { "builtin", start, run_calls, stop };
