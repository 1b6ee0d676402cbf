/* SPDX-License-Identifier: Apache-2.0 */
/* test_config.c: configurations: classes and workers that people add, and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/config_doc.h"
#include "contract/kinds.h"
#include "unit/contract/data.h"

static const char least[] = "classes: [{class_id: go_test, allowed_prefixes: [go test], "
                            "hard_timeout_secs: 600}]\n";
static const char ssh[] = "workers: [{name: far, kind: ssh, host: build.example}]\n";
static const char wrap[] = "workers: [{name: far, kind: wrap, command: [rch]}]\n";

#define INVALID CODE_CONTRACT_INVALID
#define PREFIX  "/classes/0/allowed_prefixes/0"
#define UNSHOWN                                                                            \
    " holds characters a shell would read or a terminal would not show; letters, digits, " \
    "blanks and % + , - . / : = @ _ are allowed"

/* ---- what is right ---- */

static void the_example_is_read_as_given(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct config_doc *config =
        check_text(&c, &config_shape, data_text(&c.a, "../../examples/config.yaml"));
    const struct config_class *class = config->classes.v;
    const struct config_worker *worker = config->workers.v;

    (void)state;
    check_clean(&c);
    assert_int_equal(config->classes.n, 2);
    check_is(class[0].class_id, "deno_test");
    check_texts(&class[0].allowed_prefixes, (const char *const[]){ "deno test", "deno task test" },
                2);
    assert_int_equal(class[0].soft_timeout_secs, 750);
    assert_int_equal(class[1].soft_timeout_secs, 0);
    assert_int_equal(class[1].cancel_grace_secs, 10);
    assert_int_equal(config->workers.n, 3);
    assert_int_equal(worker[0].kind, WORKER_SSH);
    check_is(worker[0].host, "build@builder.example");
    assert_int_equal(worker[0].patience_secs, 10);
    assert_int_equal(worker[1].kind, WORKER_SLURM);
    assert_int_equal(worker[2].kind, WORKER_WRAP);
    assert_int_equal(((const int64_t *)worker[2].refusals.v)[0], 125);
    check_is(config->remote, "builder");
    assert_int_equal(config->fallback, FALLBACK_FAIL_CLOSED);
}

static void what_is_left_out_has_its_default(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct config_doc *config = check_text(&c, &config_shape, "classes: []\n");

    (void)state;
    check_clean(&c);
    assert_int_equal(config->fallback, CHOICE_NONE);
    assert_int_equal(config->workers.n, 0);
    assert_int_equal(config->remote.n, 0);
}

static void a_configuration_is_recognised_by_any_of_its_members(void **state)
{
    static const char *const texts[] = { "classes: []\n", "workers: []\n",
                                         "fallback: fail_closed\n",
                                         "network: {registries: [pip.corp.example]}\n" };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        _checked_ struct checked c = { 0 };

        (void)check_text(&c, &config_shape, texts[i]);
        assert_ptr_equal(kind_of(&c.document->root), kind_named(str_of("config")));
    }
}

static void that_a_class_is_shipped_is_told_with_all_else(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/classes/0",
          .code = CODE_CONTRACT_INVALID,
          .msg = "a class needs 'hard_timeout_secs'" },
        { .pointer = "/classes/0/class_id",
          .code = CODE_CONTRACT_INVALID,
          .msg = "'generic' is a class that writ ships, and means the same everywhere; choose "
                 "another id" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &config_shape, "classes: [{class_id: generic, allowed_prefixes: [rm]}]\n");
    check_problems(&c, rows, COUNT(rows));
}

static void a_url_of_a_server_has_no_password(void **state)
{
    static const struct refusal rows[] = {
        { "classes: []\n", "servers: [{name: far, url: 'https://me:pw@a.example/mcp'}]\n",
          "/servers/0/url", CODE_CONTRACT_INVALID,
          "the URL has a user name or a password in it; take out what stands before the '@', and "
          "name it under `secrets` instead" },
    };

    (void)state;
    check_refusals(&config_shape, "classes: []\n", rows, COUNT(rows));
}

static void R_001_051_registries_are_hosts(void **state)
{
    static const struct refusal rows[] = {
        { "classes: []\n", "network: {registries: ['https://pip.corp.example/']}\n",
          "/network/registries/0", CODE_VALIDATION_ERROR,
          "'https://pip.corp.example/' is no host: it is a URL or a path; write the host alone" },
        { "classes: []\n", "network: {registries: ['https://me:pw@pip.corp.example']}\n",
          "/network/registries/0", CODE_VALIDATION_ERROR,
          "'..@pip.corp.example' is no host: it names a user; write the host alone" },
        { "classes: []\n", "network: {registries: ['*.com:8443']}\n", "/network/registries/0",
          CODE_VALIDATION_ERROR,
          "'*.com:8443' means nearly everybody; a star stands before two names at least, as in "
          "*.corp.example" },
    };
    _checked_ struct checked c = { 0 };
    const struct config_doc *config =
        check_text(&c, &config_shape,
                   "network: {registries: [pip.corp.example, 'npm.x.org:8443', '*.x.org']}");

    (void)state;
    check_clean(&c);
    check_texts(&config->network->registries,
                (const char *const[]){ "pip.corp.example", "npm.x.org:8443", "*.x.org" }, 3);
    check_refusals(&config_shape, "classes: []\n", rows, COUNT(rows));
}

static void rch_is_a_wrapper_that_is_asked_for_its_version(void **state)
{
    (void)state;
    check_is(worker_rch.name, "rch");
    assert_int_equal(worker_rch.kind, WORKER_WRAP);
    check_texts(&worker_rch.command, (const char *const[]){ "rch" }, 1);
    check_texts(&worker_rch.probe, (const char *const[]){ "rch", "--version" }, 2);
    assert_int_equal(worker_rch.patience_secs, 5);
    assert_int_equal(worker_kinds[WORKER_WRAP].route, ROUTE_REMOTE_RCH);
    assert_int_equal(worker_kinds[WORKER_PIPE].route, ROUTE_LOCAL_WORKER);
    assert_int_equal(worker_kinds[WORKER_SLURM].route, ROUTE_REMOTE_SLURM);
    assert_int_equal(worker_kinds[WORKER_SSH].route, ROUTE_REMOTE_SSH);
    for (int i = 0; i < WORKER_KINDS; i++)
        assert_string_equal(worker_kinds[i].name, worker_kind_names[i]);
}

/* ---- hostile classes ---- */

/* clang-format off */
static void A00_5_A00_6_prefixes_are_plain(void **state)
{
    static const struct refusal rows[] = {
        { "go test]", "'go; rm']",           PREFIX, INVALID, "'go; rm'" UNSHOWN },
        { "go test]", "'go $HOME']",         PREFIX, INVALID, "'go $HOME'" UNSHOWN },
        { "go test]", "\"go 'x'\"]",         PREFIX, INVALID, "'go 'x''" UNSHOWN },
        { "go test]", "'go \"x\"']",         PREFIX, INVALID, "'go \"x\"'" UNSHOWN },
        { "go test]", "'go *']",             PREFIX, INVALID, "'go *'" UNSHOWN },
        { "go test]", "'~/go']",             PREFIX, INVALID, "'~/go'" UNSHOWN },
        { "go test]", "\"go\\u001b[2J\"]",   PREFIX, INVALID, "'go\\x1b[2J'" UNSHOWN },
        { "go test]", "\"go\\ntest\"]",      PREFIX, INVALID, "'go\\ntest'" UNSHOWN },
        { "go test]", "\"go\\ttest\"]",      PREFIX, INVALID, "'go\\ttest'" UNSHOWN },
        { "go test]", "\"go\\u202etest\"]",  PREFIX, INVALID, "'go\u202etest'" UNSHOWN },
        { "go test]", "\"gö test\"]",        PREFIX, INVALID, "'gö test'" UNSHOWN },
        { "go test]", "' go test']",         PREFIX, INVALID, "' go test' has blanks at an end or two in a row, and no command has" },
        { "go test]", "'go test ']",         PREFIX, INVALID, "'go test ' has blanks at an end or two in a row, and no command has" },
        { "go test]", "'go  test']",         PREFIX, INVALID, "'go  test' has blanks at an end or two in a row, and no command has" },
        { "go test]", "'']",                 PREFIX, INVALID, "allowed_prefixes has 0 characters, allowed 1..200" },
        { "[go test]", "[]",                 "/classes/0/allowed_prefixes", INVALID, "allowed_prefixes has 0 entries, allowed 1..64" },
        { "go test]", "go test, go test]",   "/classes/0/allowed_prefixes/1", INVALID, "'go test' is there already, allowed once" },
        { "go test]", "go test, '*']",       "/classes/0/allowed_prefixes/1", INVALID, "'*' takes any command already, and stands alone" },
    };

    (void)state;
    check_refusals(&config_shape, least, rows, COUNT(rows));
    check_accepts(&config_shape, least, "go test]", "'*']");
    check_accepts(&config_shape, least, "go test]", "bv --robot-]");
    check_accepts(&config_shape, least, "go test]", "/opt/a+b/go@1.2 test:x %y k=v]");
}

static void R_000_043_force_rch_is_for_cargo(void **state)
{
    static const struct refusal rows[] = {
        { "hard", "force_rch: true, hard",                        PREFIX, INVALID, "'go test' is not a cargo command, as force_rch asks" },
        { "go test], ", "cargo-x], force_rch: true, ",            PREFIX, INVALID, "'cargo-x' is not a cargo command, as force_rch asks" },
        { "go test], ", "cargo x, cargot], force_rch: true, ",    "/classes/0/allowed_prefixes/1", INVALID, "'cargot' is not a cargo command, as force_rch asks" },
        { "go test], ", "'*'], force_rch: true, ",                PREFIX, INVALID, "'*' is not a cargo command, as force_rch asks" },
    };

    (void)state;
    check_refusals(&config_shape, least, rows, COUNT(rows));
    check_accepts(&config_shape, least, "go test], ", "cargo nextest], force_rch: true, ");
}

static void R_000_046_R_000_047_A00_9_times_have_their_order(void **state)
{
    static const struct refusal rows[] = {
        { "600", "600, soft_timeout_secs: 601",    "/classes/0/soft_timeout_secs", INVALID, "soft_timeout_secs is 601, must not be above hard_timeout_secs, 600" },
        { "600", "600, default_timeout_secs: 601", "/classes/0/default_timeout_secs", INVALID, "default_timeout_secs is 601, must not be above hard_timeout_secs, 600" },
        { "600", "600, cancel_grace_secs: 0",      "/classes/0/cancel_grace_secs", INVALID, "cancel_grace_secs is 0, allowed 1..3600" },
        { "600", "604801",                         "/classes/0/hard_timeout_secs", INVALID, "hard_timeout_secs is 604801, allowed 1..604800" },
        { "600", "0",                              "/classes/0/hard_timeout_secs", INVALID, "hard_timeout_secs is 0, allowed 1..604800" },
        { "600", "-1",                             "/classes/0/hard_timeout_secs", INVALID, "hard_timeout_secs is -1, allowed 1..604800" },
        { "600", "9007199254740991",               "/classes/0/hard_timeout_secs", INVALID, "hard_timeout_secs is 9007199254740991, allowed 1..604800" },
    };

    (void)state;
    check_refusals(&config_shape, least, rows, COUNT(rows));
    check_accepts(&config_shape, least, "600", "600, soft_timeout_secs: 600, default_timeout_secs: 600");
}

#define NOT_AN_ID(text)                                                                            \
    "'" text "' is not a class id such as go_test: lower-case letters, digits, _ and - are "       \
    "allowed, and no - at the beginning"

static void names_of_classes_are_plain_and_unique(void **state)
{
    static const struct refusal rows[] = {
        { "go_test", "Go_test",   "/classes/0/class_id", INVALID, NOT_AN_ID("Go_test") },
        { "go_test", "'go test'", "/classes/0/class_id", INVALID, NOT_AN_ID("go test") },
        { "go_test", "../x",      "/classes/0/class_id", INVALID, NOT_AN_ID("../x") },
        { "go_test", "-x",        "/classes/0/class_id", INVALID, NOT_AN_ID("-x") },
        { "go_test", "''",        "/classes/0/class_id", INVALID, "class_id has 0 characters, allowed 1..64" },
        { "}]", "}, {class_id: go_test, allowed_prefixes: [go], hard_timeout_secs: 1}]",
          "/classes/1/class_id", INVALID, "the class 'go_test' is there already, allowed once" },
        { "go_test,", "go_test, label: \"a\\u0007b\",", "/classes/0/label", INVALID, "label holds a character that steers terminals, allowed are those that show" },
        { "go_test,", "go_test, shell: true,", "/classes/0/shell", INVALID, "a class has no field 'shell'; it has class_id, label, allowed_prefixes, force_rch, default_timeout_secs, soft_timeout_secs, hard_timeout_secs, cancel_grace_secs" },
    };

    (void)state;
    check_refusals(&config_shape, least, rows, COUNT(rows));
}

/* ---- hostile workers ---- */

static void a_worker_has_what_suits_its_kind(void **state)
{
    static const struct refusal of_ssh[] = {
        { ", host: build.example", "",              "/workers/0", INVALID, "a worker of the kind ssh needs 'host'" },
        { "build.example", "-oProxyCommand=x",      "/workers/0/host", INVALID, "'-oProxyCommand=x' is no host: letters, digits and - . _ @ : / % [ ] are allowed, and no '-' at the beginning" },
        { "build.example", "'a;b'",                 "/workers/0/host", INVALID, "'a;b' is no host: letters, digits and - . _ @ : / % [ ] are allowed, and no '-' at the beginning" },
        { "build.example", "'a b'",                 "/workers/0/host", INVALID, "'a b' is no host: letters, digits and - . _ @ : / % [ ] are allowed, and no '-' at the beginning" },
        { "example", "example, command: ['writ; x']", "/workers/0/command/0", INVALID, "'writ; x' would be read by a shell on the host; letters, digits and _ . / - are allowed" },
        { "example", "example, command: [writ, $x]", "/workers/0/command/1", INVALID, "'$x' would be read by a shell on the host; letters, digits and _ . / - are allowed" },
        { "example", "example, command: ['']",      "/workers/0/command/0", INVALID, "command has 0 characters, allowed 1..4096" },
        { "example", "example, probe: [x]",         "/workers/0/probe", INVALID, "probe is for workers of the kind wrap, and this is ssh" },
        { "example", "example, refusals: [1]",      "/workers/0/refusals", INVALID, "refusals is for workers of the kind wrap, and this is ssh" },
        { "example", "example, options: [x]",       "/workers/0/options/0", INVALID, "'x' is no option; the first begins with '-'" },
        { "example", "example, directory: a/b",     "/workers/0/directory", INVALID, "'a/b' is no absolute path" },
        { "example", "example, patience_secs: 0",   "/workers/0/patience_secs", INVALID, "patience_secs is 0, allowed 1..3600" },
        { "name: far", "name: local",               "/workers/0/name", INVALID, "a worker called 'local' is of the kind pipe, and this is ssh" },
        { "kind: ssh", "kind: telnet",              "/workers/0/kind", INVALID, "'telnet' is not one of pipe, slurm, ssh, wrap" },
        { "}]", "}, {name: far, kind: pipe}]",      "/workers/1/name", INVALID, "the worker 'far' is there already, allowed once" },
        { "}]\n", "}]\nremote: near\n",             "/remote", INVALID, "no worker is called 'near'; there are local, rch and those of 'workers'" },
        { "example", "example, directory: \"/a\\u0000b\"", "/workers/0/directory", CODE_VALIDATION_ERROR, "a NUL byte cannot be handed to a program or stand in a path" },
    };
    static const struct refusal of_wrap[] = {
        { "rch]", "rch], host: a",                  "/workers/0/host", INVALID, "host is for workers of the kind ssh, and this is wrap" },
        { "rch]", "rch], options: [-x]",            "/workers/0/options", INVALID, "options is for workers of the kind slurm and ssh, and this is wrap" },
        { "rch]", "rch], directory: /a",            "/workers/0/directory", INVALID, "directory is for workers of the kind pipe, slurm and ssh, and this is wrap" },
        { "rch]", "'']",                            "/workers/0/command/0", INVALID, "command has 0 characters, allowed 1..4096" },
        { "rch]", "rch], refusals: [0]",            "/workers/0/refusals/0", INVALID, "refusals is 0, allowed 1..255" },
    };

    (void)state;
    check_refusals(&config_shape, ssh, of_ssh, COUNT(of_ssh));
    check_refusals(&config_shape, wrap, of_wrap, COUNT(of_wrap));
    check_accepts(&config_shape, ssh, "build.example", "'ssh://me@[::1]:2222'");
    check_accepts(&config_shape, ssh, "example", "example, command: [/opt/writ/bin/writ]");
    check_accepts(&config_shape, ssh, "}]\n", "}]\nremote: far\n");
    check_accepts(&config_shape, ssh, "}]\n", "}]\nremote: rch\n");
    check_accepts(&config_shape, wrap, "rch]", "my wrapper, --fast], probe: [ready]");
}

static void a_project_names_no_worker_and_is_not_lax(void **state)
{
    static const char text[] = "workers: [{name: a, kind: pipe}]\nremote: a\nfallback: local\n";
    static const char why[] = "belongs in the user's own ~/.config/writ/config.yaml: a project "
                              "chooses no program outside of the sandbox, and no secret";
    _checked_ struct checked c = { 0 };
    const struct problem *p;

    (void)state;
    (void)check_text(&c, &config_shape, text);
    check_clean(&c);
    config_of_project(&c.document->root, &c.report);
    report_finish(&c.report);
    assert_int_equal(c.report.errors, 3);
    p = c.report.first;
    assert_string_equal(p->pointer, "/workers");
    assert_non_null(strstr(p->msg, why));
    assert_string_equal(p->next->pointer, "/remote");
    assert_non_null(strstr(p->next->msg, why));
    assert_string_equal(p->next->next->msg, "fallback is local, a project may only say fail_closed; local belongs in the user's own ~/.config/writ/config.yaml");
}
/* clang-format on */

static void a_project_may_name_classes_and_be_strict(void **state)
{
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &config_shape, "classes: []\nfallback: fail_closed\n");
    config_of_project(&c.document->root, &c.report);
    check_clean(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read_as_given),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(a_configuration_is_recognised_by_any_of_its_members),
        cmocka_unit_test(a_url_of_a_server_has_no_password),
        cmocka_unit_test(R_001_051_registries_are_hosts),
        cmocka_unit_test(rch_is_a_wrapper_that_is_asked_for_its_version),
        cmocka_unit_test(A00_5_A00_6_prefixes_are_plain),
        cmocka_unit_test(R_000_043_force_rch_is_for_cargo),
        cmocka_unit_test(R_000_046_R_000_047_A00_9_times_have_their_order),
        cmocka_unit_test(that_a_class_is_shipped_is_told_with_all_else),
        cmocka_unit_test(names_of_classes_are_plain_and_unique),
        cmocka_unit_test(a_worker_has_what_suits_its_kind),
        cmocka_unit_test(a_project_names_no_worker_and_is_not_lax),
        cmocka_unit_test(a_project_may_name_classes_and_be_strict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
