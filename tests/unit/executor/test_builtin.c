/* SPDX-License-Identifier: Apache-2.0 */
/* test_builtin.c: every row of the builtin executors, and the kind that runs them. */
#include "unit/base/trees.h"

#include "contract/forms.h"
#include "executor/builtin.h"
#include "executor/kind.h"

enum { LARGE = 64 << 20 };

/* One call, of a world whose clock goes on by `tick_ms` whenever it is asked. */
struct asked_world {
    struct world world;
    int64_t now_ms, tick_ms;
};

static int64_t mono_ms(void *self)
{
    struct asked_world *w = self;

    w->now_ms += w->tick_ms;
    return w->now_ms;
}

static struct call call_at(const char *id, const struct doc *payload, int64_t timeout_ms,
                           int64_t tick_ms, struct arena *a)
{
    struct asked_world w = { .world = { .mono_ms = mono_ms }, .tick_ms = tick_ms };
    struct call_program program = { .id = id, .world = &w.world };
    struct call call = { .value = payload };
    struct error e = { 0 };
    void *self = NULL;

    w.world.self = &w;
    program.bounds.timeout_ms = timeout_ms;
    assert_true(builtin_kind.start(&program, a, &self, &e));
    builtin_kind.calls(self, &call, 1, a);
    builtin_kind.stop(self);
    return call;
}

static struct call call_of(const char *id, const char *payload, struct arena *a)
{
    return call_at(id, tree(payload, a), 1000, 0, a);
}

static void assert_output(const struct call *call, const char *output, struct arena *a)
{
    if (call->end == CALL_EXCEPTION)
        fail_msg("%s", call->detail);
    assert_int_equal(call->end, output ? CALL_OUTPUT : CALL_NO_OUTPUT);
    if (!output) {
        assert_null(call->output);
        return;
    }
    assert_tree(call->output);
    assert_string_equal(canon(call->output, a), output);
}

static void R_003_015_every_example_gives_its_output_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        _arena_ struct arena a = { 0 };
        const struct builtin *b = &builtins[i];
        struct call call = call_of(b->id, b->example_payload, &a);

        assert_output(&call, b->example_output, &a);
    }
}

/* Members the other way round: other trees of the same canonical bytes. */
static void turn_round(struct doc *d)
{
    struct doc *turned = NULL, *first;

    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return;
    first = d->first;
    for (struct doc *c = first, *next; c; c = next) {
        next = c->next;
        turn_round(c);
        if (d->kind == DOC_MAP) {
            c->next = turned;
            turned = c;
        }
    }
    if (d->kind == DOC_MAP) {
        d->first = turned;
        d->last = first;
    }
}

static void R_003_016_equal_bytes_give_equal_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        _arena_ struct arena a = { 0 };
        const struct builtin *b = &builtins[i];
        const struct doc *read = tree(b->example_payload, &a);
        struct doc *turned = doc_root(&a, DOC_NULL);
        struct work w = { .left = LARGE };
        struct call first, second;

        assert_true(doc_copy(read, turned, &w, &a));
        turn_round(turned);
        assert_string_equal(canon(read, &a), canon(turned, &a));
        first = call_at(b->id, read, 1000, 0, &a);
        second = call_at(b->id, turned, 1000, 0, &a);
        assert_output(&first, b->example_output, &a);
        assert_output(&second, b->example_output, &a);
    }
}

static void R_003_016_the_payload_stays_as_it_was(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *payload = tree(builtins[i].example_payload, &a);
        const char *was = canon(payload, &a);

        (void)call_at(builtins[i].id, payload, 1000, 0, &a);
        assert_string_equal(canon(payload, &a), was);
        assert_tree(payload);
    }
}

static void rows_are_what_a_registry_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        const struct builtin *b = &builtins[i];
        const char *why;

        assert_true(forms[FORM_SNAKE].fits(str_of(b->id), &why));
        assert_true(forms[FORM_VERSION].fits(str_of(b->version), &why));
        assert_true(b->limits.timeout_ms >= 1000 && b->limits.max_payload_bytes >= 1 << 20);
        assert_true(b->limits.max_depth >= 64 && b->limits.max_list_items >= 100000);
        assert_true(b->about[strlen(b->about) - 1] == '.');
        assert_true(i == 0 || strcmp(builtins[i - 1].id, b->id) < 0);
        assert_ptr_equal(builtin_named(str_of(b->id)), b);
    }
    assert_null(builtin_named(str_of("json")));
    assert_null(builtin_named(str_of("")));
}

static void capabilities_are_normal(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        _arena_ struct arena a = { 0 };
        char *rest = arena_text(&a, str_of(builtins[i].capabilities)), *one;
        struct items said_so = { arena_alloc(&a, 100 * sizeof(struct str)), 0 }, normal;
        const struct str *v = said_so.v, *n;

        while (*builtins[i].capabilities && (one = strsep(&rest, " ")))
            ((struct str *)said_so.v)[said_so.n++] = str_of(one);
        capabilities_normal(&said_so, &a, &normal);
        n = normal.v;
        assert_int_equal(normal.n, said_so.n);
        for (size_t k = 0; k < normal.n; k++)
            assert_true(str_eq(v[k], n[k]));
    }
}

static void an_unknown_id_does_not_start(void **state)
{
    _arena_ struct arena a = { 0 };
    struct call_program program = { .id = "json_guess", .world = world_real() };
    struct error e = { 0 };
    void *self = NULL;

    (void)state;
    assert_false(builtin_kind.start(&program, &a, &self, &e));
    assert_string_equal(e.msg, "no builtin executor is named 'json_guess'");
    assert_null(self);
}

static void R_003_024_another_payload_is_an_exception(void **state)
{
    static const struct {
        const char *id, *payload, *says;
    } cases[] = {
        { "json_diff", "[]", "a json_diff payload must be a map, not a list of 0" },
        { "json_diff", "{\"before\":1}", "a json_diff payload needs 'after'" },
        { "json_merge", "{\"target\":1,\"patch\":2,\"pach\":3}",
          "/pach: a json_merge payload has no field 'pach' (did you mean 'patch'?)" },
        { "json_patch", "{\"document\":1,\"patch\":{}}",
          "/patch: patch is a map of 0, must be a list of maps" },
        { "json_patch", "{\"document\":1,\"patch\":[1]}", "/patch/0: patch is 1, must be a map" },
        { "json_patch", "{\"document\":{},\"patch\":[{\"op\":\"remove\",\"path\":\"/a\"}]}",
          "operation 1 of the patch (remove): nothing is at '/a'" },
        { "json_select", "{\"path\":\"\",\"document\":1}",
          "/path: path has 0 characters, allowed 1..4096" },
        { "schema_validate", "{\"schema\":{},\"document\":1,\"draft\":\"4\"}",
          "/draft: '4' is not one of 2020-12, draft-07" },
        { "rule_evaluate", "{\"facts\":{}}", "a rule_evaluate payload needs 'rules'" },
        { "semver_compare", "{\"left\":\"1.2\",\"right\":\"1.2.3\"}",
          "/left: '1.2' is not a version such as 1.2.3 or 1.2.3-rc.1" },
        { "semver_compare", "{\"left\":\"1.2.0\",\"right\":\"x\"}",
          "/right: 'x' is not a version such as 1.2.3 or 1.2.3-rc.1" },
        { "semver_compare", "{\"left\":\"1.2.0\",\"right\":\"1.2.0\",\"range\":\"new\"}",
          "/range: 'new' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "text_digest", "{\"text\":1}", "/text: text is 1, must be text" },
        { "text_digest", "{\"text\":\"YQ\",\"encoding\":\"base64\"}",
          "/text: 'YQ' is not base64 with its padding (RFC 4648)" },
        { "text_digest", "{\"text\":\"\",\"encoding\":\"hex\"}",
          "/encoding: 'hex' is not one of utf8, base64" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct call call = call_of(cases[i].id, cases[i].payload, &a);

        assert_int_equal(call.end, CALL_EXCEPTION);
        assert_null(call.output);
        assert_string_equal(call.detail, "the executor raised an exception");
        assert_string_equal(call.words.s, cases[i].says);
    }
}

static void R_003_024_every_row_refuses_what_is_no_map(void **state)
{
    static const char *const payloads[] = { "null", "[]", "1", "\"a\"", "true", "{\"zzz\":1}" };

    (void)state;
    for (size_t i = 0; i < builtin_count; i++)
        for (size_t k = 0; k < COUNT(payloads); k++) {
            _arena_ struct arena a = { 0 };
            struct call call = call_of(builtins[i].id, payloads[k], &a);

            assert_int_equal(call.end, builtins[i].payload ? CALL_EXCEPTION : CALL_NO_OUTPUT);
            assert_true(!builtins[i].payload || call.detail[0]);
        }
}

static void after_an_exception_the_next_call_is_served(void **state)
{
    _arena_ struct arena a = { 0 };
    struct call_program program = { .id = "text_digest", .world = world_real() };
    struct call calls[] = { { .value = tree("{\"text\":\"abc\"}", &a) },
                            { .value = tree("1", &a) },
                            { .value = tree("{\"text\":\"abc\"}", &a) } };
    struct error e = { 0 };
    void *self = NULL;

    (void)state;
    program.bounds.timeout_ms = 1000;
    assert_true(builtin_kind.start(&program, &a, &self, &e));
    builtin_kind.calls(self, calls, COUNT(calls), &a);
    builtin_kind.stop(self);
    assert_int_equal(calls[0].end, CALL_OUTPUT);
    assert_int_equal(calls[1].end, CALL_EXCEPTION);
    assert_int_equal(calls[2].end, CALL_OUTPUT);
    assert_string_equal(canon(calls[0].output, &a), canon(calls[2].output, &a));
}

/* A payload that asks for more than a call may do: 60 copies, each of all that is there. */
static void work_beyond_the_limit_is_a_timeout(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf payload = { .max = 1 << 20 };
    struct call call;

    (void)state;
    buf_adds(&payload, "{\"document\":[1],\"patch\":[");
    for (int i = 0; i < 60; i++)
        buf_addf(&payload, "%s{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"}", i ? "," : "");
    buf_adds(&payload, "]}");
    call = call_at("json_patch", tree(payload.s, &a), 10, 0, &a);
    assert_int_equal(call.end, CALL_TIMEOUT);
    assert_null(call.output);
    assert_string_equal(call.detail, "the work of a call is used up");
}

/* The steps would be enough, but the clock says otherwise. */
static void the_clock_is_the_backstop(void **state)
{
    _arena_ struct arena a = { 0 };
    struct doc *payload = doc_root(&a, DOC_MAP), *list;
    struct call call;

    (void)state;
    list = doc_add_kind(&a, payload, "patch", DOC_LIST);
    for (int64_t i = 0; i < 10000; i++)
        doc_add_int(&a, list, NULL, i);
    doc_add_kind(&a, payload, "target", DOC_NULL);
    call = call_at("json_merge", payload, 1000, 400, &a);
    assert_int_equal(call.end, CALL_TIMEOUT);
    call = call_at("json_merge", payload, 1000, 0, &a);
    assert_int_equal(call.end, CALL_OUTPUT);
}

/* With how little each example can be done: there is such a number, and below it is a timeout. */
static void every_row_counts_its_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < builtin_count; i++) {
        _arena_ struct arena a = { 0 };
        const struct doc *payload = tree(builtins[i].example_payload, &a), *output;
        struct work w = { .left = LARGE };
        struct error e = { 0 };
        uint64_t needed;

        assert_true(builtins[i].execute(payload, &w, &a, &output, &e));
        needed = LARGE - w.left;
        assert_true(needed > 0 || !builtins[i].payload);
        for (uint64_t left = 0; left < needed; left++) {
            w = (struct work){ .left = left };
            assert_false(builtins[i].execute(payload, &w, &a, &output, &e));
            assert_true(w.over);
        }
        w = (struct work){ .left = needed };
        assert_true(builtins[i].execute(payload, &w, &a, &output, &e));
    }
}

static void texts_have_the_digest_of_their_bytes(void **state)
{
    static const struct {
        const char *payload, *output;
    } cases[] = {
        { "{\"text\":\"\"}", "{\"bytes\":0,\"digest\":\"sha256:e3b0c44298fc1c149afbf4c8996fb92427a"
                             "e41e4649b934ca495991b7852b855\"}" },
        { "{\"text\":\"YWJj\",\"encoding\":\"base64\"}",
          "{\"bytes\":3,\"digest\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
          "f20015ad\"}" },
        { "{\"text\":\"abc\",\"encoding\":\"utf8\"}",
          "{\"bytes\":3,\"digest\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
          "f20015ad\"}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct call call = call_of("text_digest", cases[i].payload, &a);

        assert_output(&call, cases[i].output, &a);
    }
}

static void versions_are_older_the_same_or_newer(void **state)
{
    static const struct {
        const char *payload, *output;
    } cases[] = {
        { "{\"left\":\"1.0.0\",\"right\":\"1.0.0+b\"}", "{\"order\":0,\"relation\":\"same\"}" },
        { "{\"left\":\"1.10.0\",\"right\":\"1.9.0\"}", "{\"order\":1,\"relation\":\"newer\"}" },
        { "{\"left\":\"1.0.0-rc.1\",\"right\":\"1.0.0\",\"range\":\"1.x\"}",
          "{\"order\":-1,\"relation\":\"older\",\"satisfies\":false}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct call call = call_of("semver_compare", cases[i].payload, &a);

        assert_output(&call, cases[i].output, &a);
    }
}

static void paths_select_values_and_schemas_judge_them(void **state)
{
    static const struct {
        const char *id, *payload, *output;
    } cases[] = {
        { "json_select", "{\"path\":\"$.x\",\"document\":{}}", "[]" },
        { "json_select", "{\"path\":\"$\",\"document\":{\"a\":[1]}}", "[{\"a\":[1]}]" },
        { "json_select", "{\"path\":\"$['a','a']\",\"document\":{\"a\":[1]}}", "[[1],[1]]" },
        { "json_select", "{\"path\":\"$.*\",\"document\":{\"b\":2,\"a\":1}}", "[1,2]" },
        { "schema_validate", "{\"schema\":true,\"document\":1}",
          "{\"problems\":[],\"valid\":true}" },
        { "schema_validate",
          "{\"schema\":{\"definitions\":{\"n\":{\"type\":\"number\"}},\"$ref\":"
          "\"#/definitions/n\"},\"draft\":\"draft-07\",\"document\":1}",
          "{\"problems\":[],\"valid\":true}" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct call call = call_of(cases[i].id, cases[i].payload, &a);

        assert_output(&call, cases[i].output, &a);
    }
}

/* The words are the engine's; here it is about their places and their order. */
static void problems_have_the_places_they_have_in_the_document(void **state)
{
    _arena_ struct arena a = { 0 };
    struct call call =
        call_of("schema_validate",
                "{\"schema\":{\"items\":{\"properties\":{\"n\":{\"type\":\"number\"}}}},"
                "\"document\":[{\"n\":1},{\"n\":\"x\"},{\"n\":null}]}",
                &a);
    const struct doc *problems;

    (void)state;
    assert_int_equal(call.end, CALL_OUTPUT);
    assert_false(doc_get(call.output, "valid")->truth);
    problems = doc_get(call.output, "problems");
    assert_int_equal(problems->count, 2);
    assert_true(str_is(doc_text(problems->first, "pointer"), "/1/n"));
    assert_true(str_is(doc_text(problems->last, "pointer"), "/2/n"));
    assert_true(doc_text(problems->first, "message").n > 0);

    call = call_of("schema_validate", "{\"schema\":{\"type\":\"nubmer\"},\"document\":1}", &a);
    assert_int_equal(call.end, CALL_EXCEPTION);
    assert_int_equal(strncmp(call.words.s, "/schema/type: ", 14), 0);
    call = call_of("json_select", "{\"path\":\"$[\",\"document\":1}", &a);
    assert_int_equal(call.end, CALL_EXCEPTION);
    assert_int_equal(strncmp(call.words.s, "/path: ", 7), 0);
}

/* One large value, selected as often as a path can say it. */
static void a_value_that_is_selected_often_is_paid_for_often(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf payload = { .max = 1 << 20 };
    struct call call;

    (void)state;
    buf_adds(&payload, "{\"path\":\"$[0");
    for (int i = 0; i < 2000; i++)
        buf_adds(&payload, ",0");
    buf_adds(&payload, "]\",\"document\":[[0");
    for (int i = 0; i < 90000; i++)
        buf_adds(&payload, ",0");
    buf_adds(&payload, "]]}");
    call = call_of("json_select", payload.s, &a);
    assert_int_equal(call.end, CALL_TIMEOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_015_every_example_gives_its_output_or_none),
        cmocka_unit_test(R_003_016_equal_bytes_give_equal_outputs),
        cmocka_unit_test(R_003_016_the_payload_stays_as_it_was),
        cmocka_unit_test(rows_are_what_a_registry_takes),
        cmocka_unit_test(capabilities_are_normal),
        cmocka_unit_test(an_unknown_id_does_not_start),
        cmocka_unit_test(R_003_024_another_payload_is_an_exception),
        cmocka_unit_test(R_003_024_every_row_refuses_what_is_no_map),
        cmocka_unit_test(after_an_exception_the_next_call_is_served),
        cmocka_unit_test(work_beyond_the_limit_is_a_timeout),
        cmocka_unit_test(the_clock_is_the_backstop),
        cmocka_unit_test(every_row_counts_its_work),
        cmocka_unit_test(texts_have_the_digest_of_their_bytes),
        cmocka_unit_test(versions_are_older_the_same_or_newer),
        cmocka_unit_test(paths_select_values_and_schemas_judge_them),
        cmocka_unit_test(problems_have_the_places_they_have_in_the_document),
        cmocka_unit_test(a_value_that_is_selected_often_is_paid_for_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
