/* SPDX-License-Identifier: Apache-2.0 */
/* test_api_auth.c: what proves who calls is added, kept, renewed, and sent nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/api_bind.h"
#include "unit/adapter/given.h"

/* ---- in place of writ-http: a token endpoint that answers what the test wants ---- */

struct played {
    enum http_end end;
    int status;
    const char *body;
};

static struct {
    struct played answers[4];
    size_t asked;
    char url[200], body[1000], authorization[1000], host[200];
} token;

bool http_call(struct http *h, const struct http_request *request, struct arena *a,
               struct http_answer *out, struct error *e)
{
    const struct played *p = &token.answers[token.asked++];

    (void)h;
    (void)a;
    (void)e;
    assert_int_equal(request->hosts.allow_count, 1);
    assert_int_equal(request->redirects_max, 0);
    assert_false(request->plain);
    (void)snprintf(token.url, sizeof token.url, "%s %s", request->method, request->url);
    (void)snprintf(token.body, sizeof token.body, "%.*s", STR_ARG(request->body));
    (void)snprintf(token.host, sizeof token.host, "%.*s", STR_ARG(request->hosts.allow[0]));
    token.authorization[0] = '\0';
    for (size_t i = 0; i < request->header_count; i++)
        if (str_is(request->headers[i].name, "Authorization"))
            (void)snprintf(token.authorization, sizeof token.authorization, "%.*s",
                           STR_ARG(request->headers[i].value));
    *out = (struct http_answer){ .end = p->end,
                                 .why = "it does not answer",
                                 .status = p->status,
                                 .body = p->body ? str_of(p->body) : (struct str){ 0 } };
    return true;
}

struct str http_header(const struct http_answer *answer, const char *name)
{
    (void)answer;
    (void)name;
    return (struct str){ 0 };
}

/* ---- a call ---- */

static const char frame[] = "adapter_id: s\nname: s\nversion: 1.0.0\ntool_id: s\ntype: api\n"
                            "interface:\n  api:\n    base_url: %s\n    auth_method: %s\n"
                            "    headers: {X-Own: one, Authorization: less right}\n"
                            "    endpoint_mapping: {get: 'GET /x', find: 'GET /x?y=1'}\n"
                            "%s"
                            "secrets:\n"
                            "  - {name: key, env: KEY}\n"
                            "  - {name: bound, env: KEY, hosts: [other.example.org]}\n"
                            "  - {name: broken, env: BROKEN}\n"
                            "  - {name: id, env: ID}\n  - {name: word, env: WORD}\n"
                            "sandbox_override: {network: {enabled: true, allow: "
                            "[api.example.org, '*.login.example.org', 'id.example.org:8443', "
                            "localhost]}}\n"
                            "metadata: {author: x, created: 2026-01-16, updated: 2026-01-16, "
                            "status: active}\n";

static const char *const environment[] = { "KEY=k&y/1",    "BROKEN=a\r\nX: y", "ID=the id",
                                           "WORD=w:o/r+d", "MINE=mine-42",     NULL };

struct calling {
    struct arena a;
    struct adapter adapter;
    struct api_call call;
    struct secrets secrets;
    struct secret_places places;
    struct api_auth auth;
    struct error e;
    bool good;
};

static void calling_free(struct calling *c)
{
    api_tokens_close(c->auth.tokens);
    arena_free(&c->a);
}

#define _calling_ _cleanup_(calling_free)

static struct str mine_hosts[] = { { "api.example.org", 15 } };
static const struct secret_doc mine = { .env = { "MINE", 4 }, .hosts = { mine_hosts, 1 } };

static void start(struct calling *c, const char *base, const char *method, const char *auth)
{
    load_adapter(&c->a, arena_printf(&c->a, frame, base, method, auth), &c->adapter);
    c->places = (struct secret_places){ environment, &mine, 1 };
    c->auth =
        (struct api_auth){ .tokens = api_tokens_open(), .places = &c->places, .now_ms = 1000 };
    assert_true(secrets_find(&c->adapter, &c->places, &c->a, &c->secrets, &c->e));
    assert_true(api_bind(&c->adapter, str_of("get"), NULL, &c->a, &c->call, &c->e));
    c->call.request.hosts.allow = c->adapter.doc.sandbox_override->network->allow.v;
    c->call.request.hosts.allow_count = c->adapter.doc.sandbox_override->network->allow.n;
}

static void authorize(struct calling *c)
{
    c->good = api_authorize(&c->adapter, &c->auth, &c->a, &c->call, &c->secrets, &c->e);
}

static const char *sent(struct calling *c, const char *name)
{
    const char *found = NULL;

    for (size_t i = 0; i < c->call.request.header_count; i++)
        if (str_cmp_letters(c->call.request.headers[i].name, str_of(name)) == 0) {
            assert_null(found);
            found = arena_text(&c->a, c->call.request.headers[i].value);
        }
    return found ? found : "";
}

static void check_fails(const char *base, const char *method, const char *auth, int code,
                        const char *why)
{
    _calling_ struct calling c = { 0 };

    start(&c, base, method, auth);
    authorize(&c);
    assert_false(c.good);
    assert_int_equal(c.e.code, code);
    if (!strstr(c.e.msg, why))
        fail_msg("'%s' does not say '%s'", c.e.msg, why);
    assert_null(strstr(c.e.msg, "k&y/1"));
    assert_null(strstr(c.e.msg, "w:o/r+d"));
}

/* ---- keys and bearers ---- */

static void R_001_091_a_key_goes_to_its_header_query_or_cookie(void **state)
{
    static const struct {
        const char *auth, *header, *value, *url, *shown;
    } rows[] = {
        { "    auth: {secret: key}\n", "X-API-Key", "k&y/1", "https://api.example.org/x",
          "GET https://api.example.org/x" },
        { "    auth: {secret: key, name: x-own}\n", "x-own", "k&y/1", "https://api.example.org/x",
          "GET https://api.example.org/x" },
        { "    auth: {secret: key, in: query, name: 'a k'}\n", "X-Own", "one",
          "https://api.example.org/x?a%20k=k%26y%2F1", "GET https://api.example.org/x?a%20k=.." },
        { "    auth: {secret: key, in: cookie, name: sid}\n", "Cookie", "sid=k%26y%2F1",
          "https://api.example.org/x", "GET https://api.example.org/x" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _calling_ struct calling c = { 0 };

        start(&c, "https://api.example.org", "api_key", rows[i].auth);
        for (int twice = 0; twice < 2; twice++) {
            authorize(&c);
            if (!c.good)
                fail_msg("%s", c.e.msg);
            assert_string_equal(sent(&c, rows[i].header), rows[i].value);
            assert_string_equal(c.call.request.url, rows[i].url);
            assert_string_equal(c.call.shown, rows[i].shown);
        }
    }
}

static void R_001_091_a_bearer_is_the_adapter_s_secret_or_the_user_s_for_the_host(void **state)
{
    _calling_ struct calling named = { 0 }, own = { 0 };

    (void)state;
    start(&named, "https://api.example.org", "bearer", "    auth: {secret: key}\n");
    authorize(&named);
    assert_string_equal(sent(&named, "Authorization"), "Bearer k&y/1");
    start(&own, "https://api.example.org:8443", "bearer", "");
    authorize(&own);
    assert_string_equal(sent(&own, "Authorization"), "Bearer mine-42");
    assert_non_null(secret_named(&own.secrets, str_of("host")));
}

/* RFC 7617: base64 of "ada:k&y/1". What is sent is taken out of what is kept, as the password is.
 */
static void a_user_and_a_password_are_sent_as_one(void **state)
{
    static const char *const users[] = { "", ", user: 'a:b'", ", user: \"a\\nb\"" };
    _calling_ struct calling c = { 0 };

    (void)state;
    start(&c, "https://api.example.org", "basic", "    auth: {user: ada, secret: key}\n");
    authorize(&c);
    assert_string_equal(sent(&c, "Authorization"), "Basic YWRhOmsmeS8x");
    assert_string_equal(secret_named(&c.secrets, str_of("basic"))->value.s, "YWRhOmsmeS8x");
    for (size_t i = 0; i < COUNT(users); i++) {
        char auth[64];

        (void)snprintf(auth, sizeof auth, "    auth: {secret: key%s}\n", users[i]);
        check_fails("https://api.example.org", "basic", auth, CODE_VALIDATION_ERROR, "basic needs");
    }
    check_fails("http://api.example.org", "basic", "    auth: {user: ada, secret: key}\n",
                CODE_HOST_REFUSED, "plain http");
}

static void none_adds_nothing(void **state)
{
    _calling_ struct calling c = { 0 };

    (void)state;
    start(&c, "http://plain.example.org", "none", "");
    authorize(&c);
    assert_true(c.good);
    assert_string_equal(sent(&c, "Authorization"), "less right");
}

static void R_001_116_a_secret_goes_to_no_host_but_its_own(void **state)
{
    (void)state;
    check_fails("https://evil.example.net", "bearer", "", CODE_SECRET_MISSING,
                "there is no secret for evil.example.net");
    check_fails("https://evil.example.net", "bearer", "", CODE_SECRET_MISSING,
                "~/.config/writ/config.yaml");
    check_fails("https://evil.example.net", "bearer", "", CODE_SECRET_MISSING,
                "interface.api.auth.secret");
    check_fails("https://api.example.org.evil.net", "bearer", "", CODE_SECRET_MISSING, "no secret");
    check_fails("https://api.example.org", "bearer", "    auth: {secret: bound}\n",
                CODE_HOST_REFUSED, "'bound' is not for api.example.org");
    check_fails("https://api.example.org", "bearer", "    auth: {secret: absent}\n",
                CODE_SECRET_MISSING, "not among the adapter's `secrets`");
}

static void a_secret_does_not_go_over_plain_http(void **state)
{
    static const char *const loopback[] = { "http://localhost:80", "http://127.0.0.1:4010",
                                            "http://127.8.8.8", "http://[::1]:80" };

    (void)state;
    check_fails("http://api.example.org", "bearer", "", CODE_HOST_REFUSED, "over plain http");
    check_fails("http://127.0.0.1.evil.net", "bearer", "    auth: {secret: key}\n",
                CODE_HOST_REFUSED, "over plain http");
    check_fails("http://localhost.evil.net", "api_key", "    auth: {secret: key}\n",
                CODE_HOST_REFUSED, "over plain http");
    for (size_t i = 0; i < COUNT(loopback); i++) {
        _calling_ struct calling c = { 0 };

        start(&c, loopback[i], "bearer", "    auth: {secret: key}\n");
        authorize(&c);
        if (!c.good)
            fail_msg("%s: %s", loopback[i], c.e.msg);
    }
}

static void a_secret_with_a_line_end_is_not_sent(void **state)
{
    (void)state;
    check_fails("https://api.example.org", "bearer", "    auth: {secret: broken}\n",
                CODE_SECRET_MISSING, "a line end");
    check_fails("https://api.example.org", "api_key", "    auth: {secret: key, name: Host}\n",
                CODE_VALIDATION_ERROR, "no header for a key");
}

/* ---- OAuth ---- */

static const char oauth[] =
    "    auth: {token_url: 'https://id.example.org:8443/t?x=1', client_id: id, "
    "client_secret: word, scope: 'a b', resource: 'https://r.example.org/'}\n";

static void play(struct played first, struct played second)
{
    memset(&token, 0, sizeof token);
    token.answers[0] = first;
    token.answers[1] = second;
}

#define GIVES(text) ((struct played){ HTTP_DONE, 200, text })

static void R_001_091_a_token_is_had_by_client_credentials_and_kept(void **state)
{
    _calling_ struct calling c = { 0 };

    (void)state;
    play(GIVES("{\"access_token\":\"tok-1\",\"token_type\":\"bearer\",\"expires_in\":100}"),
         GIVES("{\"access_token\":\"tok-2\",\"token_type\":\"Bearer\"}"));
    start(&c, "https://api.example.org", "oauth", oauth);
    authorize(&c);
    if (!c.good)
        fail_msg("%s", c.e.msg);
    assert_string_equal(sent(&c, "Authorization"), "Bearer tok-1");
    assert_string_equal(token.url, "POST https://id.example.org:8443/t?x=1");
    assert_string_equal(token.host, "id.example.org:8443");
    assert_string_equal(token.body, "grant_type=client_credentials&scope=a%20b&"
                                    "resource=https%3A%2F%2Fr.example.org%2F");
    /* RFC 6749: "the%20id:w%3Ao%2Fr%2Bd" */
    assert_string_equal(token.authorization, "Basic dGhlJTIwaWQ6dyUzQW8lMkZyJTJCZA==");
    assert_non_null(secret_named(&c.secrets, str_of("token")));
    assert_false(c.call.token_kept);

    c.auth.now_ms = 1000 + 74999;
    authorize(&c);
    assert_string_equal(sent(&c, "Authorization"), "Bearer tok-1");
    assert_true(c.call.token_kept);
    assert_int_equal(token.asked, 1);

    c.auth.now_ms = 1000 + 75000; /* a quarter before its end */
    authorize(&c);
    assert_string_equal(sent(&c, "Authorization"), "Bearer tok-2");
    assert_int_equal(token.asked, 2);
}

static void a_kept_token_that_is_refused_is_renewed_once(void **state)
{
    _calling_ struct calling c = { 0 };
    struct http_answer no = { .end = HTTP_DONE, .status = 401 };
    struct http_answer yes = { .end = HTTP_DONE, .status = 200 };

    (void)state;
    play(GIVES("{\"access_token\":\"tok-1\"}"), GIVES("{\"access_token\":\"tok-2\"}"));
    start(&c, "https://api.example.org", "oauth", oauth);
    authorize(&c);
    assert_false(api_renew(&c.adapter, &c.auth, &no, &c.call, &c.secrets)); /* it was fresh */
    authorize(&c);
    assert_false(api_renew(&c.adapter, &c.auth, &yes, &c.call, &c.secrets));
    assert_true(api_renew(&c.adapter, &c.auth, &no, &c.call, &c.secrets));
    authorize(&c);
    assert_string_equal(sent(&c, "Authorization"), "Bearer tok-2");
    assert_false(api_renew(&c.adapter, &c.auth, &no, &c.call, &c.secrets));
    assert_int_equal(token.asked, 2);
}

static void a_server_that_wants_the_secret_in_the_body_gets_it_there(void **state)
{
    _calling_ struct calling c = { 0 };

    (void)state;
    play((struct played){ HTTP_DONE, 401, "{\"error\":\"invalid_client\"}" },
         GIVES("{\"access_token\":\"tok-1\"}"));
    start(&c, "https://api.example.org", "oauth", oauth);
    authorize(&c);
    assert_true(c.good);
    assert_string_equal(token.authorization, "");
    assert_non_null(strstr(token.body, "client_id=the%20id&client_secret=w%3Ao%2Fr%2Bd"));
}

static void a_token_that_is_not_to_be_had_is_told_without_secrets(void **state)
{
    static const struct {
        struct played answer;
        int code;
        const char *why;
    } rows[] = {
        { { HTTP_DONE, 400,
            "{\"error\":\"invalid_scope\",\"error_description\":\"no w:o/r+d\\nb\"}" },
          CODE_PEER_ERROR,
          "refuses: invalid_scope: no [redacted] b" },
        { { HTTP_DONE, 400, "{\"error\":\"unauthorized_client\"}" },
          CODE_PEER_ERROR,
          "id.example.org:8443 refuses: unauthorized_client" },
        { { HTTP_DONE, 403, "w:o/r+d is wrong" }, CODE_PEER_ERROR, "answers with status 403" },
        { { HTTP_DONE, 503, NULL }, CODE_PEER_UNAVAILABLE, "answers with status 503" },
        { { HTTP_DONE, 302, NULL }, CODE_PEER_ERROR, "answers with status 302" },
        { { HTTP_DONE, 200, "no json" }, CODE_PEER_PROTOCOL, "no access_token" },
        { { HTTP_DONE, 200, "[1]" }, CODE_PEER_PROTOCOL, "no access_token" },
        { { HTTP_DONE, 200, "{\"access_token\":7}" }, CODE_PEER_PROTOCOL, "no access_token" },
        { { HTTP_DONE, 200, "{\"access_token\":\"a\\r\\nX: y\"}" },
          CODE_PEER_PROTOCOL,
          "access_token with a blank, a control character or one beyond ASCII" },
        { { HTTP_DONE, 200, "{\"access_token\":\"tok\"}" }, CODE_PEER_PROTOCOL, "fewer than 4" },
        { { HTTP_DONE, 200, "{\"access_token\":\"a\",\"token_type\":\"mac\"}" },
          CODE_PEER_PROTOCOL,
          "not a bearer" },
        { { HTTP_TIMEOUT, 0, NULL }, CODE_COMMAND_TIMEOUT, "it does not answer; it may take" },
        { { HTTP_REFUSED, 0, NULL }, CODE_HOST_REFUSED, "it does not answer" },
        { { HTTP_BROKEN, 0, NULL }, CODE_PEER_PROTOCOL, "it does not answer" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        play(rows[i].answer, rows[i].answer);
        check_fails("https://api.example.org", "oauth", oauth, rows[i].code, rows[i].why);
    }
}

static void tokens_are_had_at_an_allowed_host_over_https(void **state)
{
    static const char start_of[] =
        "    auth: {client_id: x, client_secret: word, token_url: '%s'}\n";
    static const struct {
        const char *url;
        int code;
        const char *why;
    } rows[] = {
        { "https://evil.example.net/t", CODE_HOST_REFUSED, "which sandbox_override" },
        { "https://id.example.org/t", CODE_HOST_REFUSED, "which sandbox_override" },
        { "http://a.login.example.org/t", CODE_HOST_REFUSED, "over plain http" },
        { "https://api.example.org/t#x", CODE_VALIDATION_ERROR, "not a URL" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };

        play(GIVES("{\"access_token\":\"tok-0\"}"), GIVES("{}"));
        check_fails("https://api.example.org", "oauth", arena_printf(&a, start_of, rows[i].url),
                    rows[i].code, rows[i].why);
        assert_int_equal(token.asked, 0);
    }
    check_fails("https://api.example.org", "oauth", "    auth: {client_id: x}\n",
                CODE_VALIDATION_ERROR, "oauth needs");
    check_fails(
        "https://api.example.org", "oauth",
        "    auth: {client_id: x, client_secret: no, token_url: 'https://api.example.org'}\n",
        CODE_SECRET_MISSING, "'no'");
}

static void the_caller_s_hosts_come_before_the_adapter_s(void **state)
{
    struct str hosts[] = { str_of("api.example.org") };

    (void)state;
    for (size_t n = 0; n <= COUNT(hosts); n++) {
        _calling_ struct calling c = { 0 };

        play(GIVES("{\"access_token\":\"tok-0\"}"), GIVES("{}"));
        start(&c, "https://api.example.org", "oauth", oauth);
        c.call.request.hosts.allow = hosts;
        c.call.request.hosts.allow_count = n;
        authorize(&c);
        assert_false(c.good);
        assert_int_equal(c.e.code, CODE_HOST_REFUSED);
        assert_int_equal(token.asked, 0);
    }
}

static void a_token_s_life_has_bounds(void **state)
{
    static const struct {
        const char *body;
        int64_t good_ms, over_ms;
    } rows[] = {
        { "{\"access_token\":\"tok-0\",\"expires_in\":3600}", 3569999, 3570000 },
        { "{\"access_token\":\"tok-0\"}", 269999, 270000 },
        { "{\"access_token\":\"tok-0\",\"expires_in\":\"soon\"}", 269999, 270000 },
        { "{\"access_token\":\"tok-0\",\"expires_in\":9007199254740993}", 86369999, 86370000 },
        { "{\"access_token\":\"tok-0\",\"expires_in\":0}", -1, 0 },
        { "{\"access_token\":\"tok-0\",\"expires_in\":-5}", -1, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _calling_ struct calling c = { 0 };

        play(GIVES(rows[i].body), GIVES(rows[i].body));
        start(&c, "https://api.example.org", "oauth", oauth);
        authorize(&c);
        assert_true(c.good);
        c.auth.now_ms = 1000 + rows[i].good_ms;
        if (rows[i].good_ms >= 0) {
            authorize(&c);
            assert_true(c.call.token_kept);
        }
        c.auth.now_ms = 1000 + rows[i].over_ms;
        authorize(&c);
        assert_false(c.call.token_kept);
        assert_int_equal(token.asked, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_091_a_key_goes_to_its_header_query_or_cookie),
        cmocka_unit_test(R_001_091_a_bearer_is_the_adapter_s_secret_or_the_user_s_for_the_host),
        cmocka_unit_test(a_user_and_a_password_are_sent_as_one),
        cmocka_unit_test(none_adds_nothing),
        cmocka_unit_test(R_001_116_a_secret_goes_to_no_host_but_its_own),
        cmocka_unit_test(a_secret_does_not_go_over_plain_http),
        cmocka_unit_test(a_secret_with_a_line_end_is_not_sent),
        cmocka_unit_test(R_001_091_a_token_is_had_by_client_credentials_and_kept),
        cmocka_unit_test(a_kept_token_that_is_refused_is_renewed_once),
        cmocka_unit_test(a_server_that_wants_the_secret_in_the_body_gets_it_there),
        cmocka_unit_test(a_token_that_is_not_to_be_had_is_told_without_secrets),
        cmocka_unit_test(tokens_are_had_at_an_allowed_host_over_https),
        cmocka_unit_test(the_caller_s_hosts_come_before_the_adapter_s),
        cmocka_unit_test(a_token_s_life_has_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
