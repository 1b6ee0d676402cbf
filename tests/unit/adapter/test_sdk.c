/* SPDX-License-Identifier: Apache-2.0 */
/* test_sdk.c: what is run for a function of a package, and what is made of its answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>

#include "adapter/sdk_bind.h"
#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"

/* A project with two packages, and tools that are only there. */
static struct {
    struct arena a;
    char dir[64];
    struct sdk_interface sdk;
    struct adapter_interface interface;
    struct adapter adapter;
    struct sdk_ask ask;
} at;

static struct pair mapping[] = {
    { { "shout", 5 }, { "Shout", 5 } },
    { { "again", 5 }, { "Shout", 5 } },
    { { "whisper", 7 }, { "Whisper", 7 } },
};

static const char *path_of(const char *name)
{
    return arena_printf(&at.a, "%s/%s", at.dir, name);
}

static void put(const char *name, const char *text)
{
    struct error e = { 0 };
    char *path = arena_text(&at.a, str_of(path_of(name))), *slash = strrchr(path, '/');

    *slash = '\0';
    assert_true(fs_make_dirs(path, &e));
    *slash = '/';
    assert_true(fs_write(path, str_of(text), &e));
    assert_int_equal(chmod(path, 0755), 0);
}

static int make(void **state)
{
    (void)state;
    (void)snprintf(at.dir, sizeof at.dir, "/tmp/writ-sdk-XXXXXX");
    assert_non_null(mkdtemp(at.dir));
    at.interface.sdk = &at.sdk;
    at.sdk = (struct sdk_interface){ .language = SDK_PYTHON,
                                     .package = str_of("./text"),
                                     .import_path = str_of("text"),
                                     .function_mapping = { mapping, COUNT(mapping) } };
    at.adapter = (struct adapter){ .doc = { .name = str_of("words"), .interface = &at.interface },
                                   .directory = at.dir,
                                   .origin = ORIGIN_USER };
    at.ask = (struct sdk_ask){ .adapter = &at.adapter,
                               .operation = str_of("shout"),
                               .cache = path_of("cache"),
                               .path = path_of("bin"),
                               .home = at.dir };
    put("text/text.go", "package text\n");
    put("text/.git/config", "hidden");
    put("text/target/left", "built");
    put("text/deep/down.rs", "");
    put("crate/Cargo.toml", "[lib]\nname = \"no\"\n[package]\nname = \"our-text\"\n");
    put("crate/src/lib.rs", "");
    put("bin/go", "");
    put("bin/rustc", "");
    put("bin/cargo", "");
    return 0;
}

static int end(void **state)
{
    struct error e;

    (void)state;
    assert_true(fs_remove(at.dir, &e));
    arena_free(&at.a);
    return 0;
}

static struct sdk_call bound(void)
{
    struct sdk_call call = { 0 };
    struct error e = { 0 };

    if (!sdk_bind(&at.ask, &at.a, &call, &e))
        fail_msg("%s", e.msg);
    return call;
}

static void assert_refused(enum code code, const char *msg)
{
    struct sdk_call call = { .build = NULL };
    struct error e = { 0 };

    assert_false(sdk_bind(&at.ask, &at.a, &call, &e));
    if (!strstr(e.msg, msg))
        fail_msg("%s", e.msg);
    assert_int_equal(e.code, code);
}

static void assert_word(struct items words, size_t i, const char *word)
{
    const struct str *v = words.v;

    assert_true(i < words.n);
    if (!str_is(v[i], word))
        fail_msg("%.*s is not %s", STR_ARG(v[i]), word);
}

static const struct doc *params(const char *text)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    assert_true(json_read("params", str_of(text), &max, &at.a, &document, &e));
    return &document->root;
}

/* ---- scripts ---- */

static void R_001_094_R_001_095_R_001_096_R_001_097_python_is_given_what_to_call(void **state)
{
    struct sdk_call call;
    const struct pair *variables;

    (void)state;
    at.ask.params = params("{\"b\":\"$(id)\",\"a\":1}");
    call = bound();
    variables = call.call.environment.v;
    assert_true(str_is(call.call.command, "python3"));
    assert_int_equal(call.call.arguments.n, 7);
    assert_word(call.call.arguments, 0, "-s");
    assert_word(call.call.arguments, 1, "-B");
    assert_word(call.call.arguments, 2, "-c");
    assert_word(call.call.arguments, 4, path_of("text"));
    assert_word(call.call.arguments, 5, "text");
    assert_word(call.call.arguments, 6, "Shout");
    assert_int_equal(call.call.environment.n, 1);
    assert_true(str_is(variables[0].key, "PYTHONHASHSEED") && str_is(variables[0].text, "0"));
    assert_true(str_is(call.call.input, "{\"a\":1,\"b\":\"$(id)\"}"));
    assert_int_equal(call.read.n, 1);
    assert_word(call.read, 0, path_of("text"));
    assert_null(call.build);
    at.ask.params = NULL;
    assert_true(str_is(bound().call.input, "{}"));
}

static void R_001_095_a_package_is_a_path_or_installed(void **state)
{
    (void)state;
    at.sdk.package = str_of("./text/text.go");
    assert_word(bound().call.arguments, 4, path_of("text"));
    at.sdk.package = str_of(path_of("crate/../text"));
    assert_word(bound().call.arguments, 4, path_of("text"));
    at.sdk.package = str_of("crate/../text"); /* no name in Python has a slash */
    assert_word(bound().call.arguments, 4, path_of("text"));
    at.sdk.package = str_of("requests");
    assert_word(bound().call.arguments, 4, "");
    assert_int_equal(bound().read.n, 0);
    at.sdk.package = str_of("./absent");
    assert_refused(CODE_IO, "package './absent' cannot be found: No such file");
    at.sdk.package = str_of("/dev/null");
    assert_refused(CODE_IO, "is neither a directory nor a file in one");
    at.adapter.directory = NULL;
    at.sdk.package = str_of("../text");
    assert_refused(CODE_IO, "is beside the adapter, which has no directory");
}

static void R_001_097_only_what_is_mapped_is_called(void **state)
{
    (void)state;
    at.ask.operation = str_of("Shout");
    assert_refused(CODE_OPERATION_UNKNOWN, "'words' has no operation 'Shout'");
    at.ask.operation = str_of("again");
    at.ask.params = params("[1]");
    assert_refused(CODE_PARAMETER_REFUSED, "the parameters must be a map");
}

static void node_is_given_what_to_call(void **state)
{
    struct sdk_call call;

    (void)state;
    at.sdk.language = SDK_NODE;
    call = bound();
    assert_true(str_is(call.call.command, "node"));
    assert_word(call.call.arguments, 0, "--random-seed=42");
    assert_word(call.call.arguments, 1, "--input-type=module");
    assert_word(call.call.arguments, 2, "-e");
    assert_word(call.call.arguments, 4, "--");
    assert_word(call.call.arguments, 5, "path");
    assert_word(call.call.arguments, 6, path_of("text"));
    put("node_modules/text/index.js", "");
    at.sdk.package = str_of("@scope/text"); /* a name, for all its slash */
    call = bound();
    assert_word(call.call.arguments, 5, "installed");
    assert_word(call.call.arguments, 6, at.dir);
    assert_int_equal(call.read.n, 1);
    assert_word(call.read, 0, path_of("node_modules"));
}

/* ---- what is built ---- */

static const struct pair *file_of(const struct sdk_build *build, const char *name)
{
    for (size_t i = 0; i < build->file_count; i++)
        if (str_is(build->files[i].key, name))
            return &build->files[i];
    return NULL;
}

static void assert_holds(const struct sdk_build *build, const char *name, const char *text)
{
    const struct pair *file = file_of(build, name);

    assert_non_null(file);
    if (!strstr(arena_text(&at.a, file->text), text))
        fail_msg("%.*s", STR_ARG(file->text));
}

static void go_is_built_beside_its_sources(void **state)
{
    struct sdk_call call;

    (void)state;
    at.sdk.language = SDK_GO;
    at.sdk.import_path = str_of("example.com/text");
    call = bound();
    assert_true(str_is(call.build->call.command, path_of("bin/go")));
    assert_true(str_is(call.call.command, call.build->product));
    assert_word(call.call.arguments, 0, "Shout");
    assert_int_equal(call.call.arguments.n, 1);
    assert_int_equal(call.build->read.n, 0); /* nothing there is a standard library */
    assert_holds(call.build, "go.mod", "module example.com/text\n");
    assert_holds(call.build, "writ_call_main/main.go",
                 "\t\t\"Shout\": target.Shout,\n\t\t\"Whisper\": target.Whisper,\n\t})");
    assert_non_null(file_of(call.build, "deep/down.rs"));
    assert_null(file_of(call.build, ".git/config"));
    assert_null(file_of(call.build, "target/left"));
}

static void rust_is_built_below_its_crate_or_as_a_module(void **state)
{
    struct sdk_call call;

    (void)state;
    at.sdk.language = SDK_RUST;
    at.sdk.package = str_of("./crate");
    at.sdk.import_path = str_of("our_text::deep");
    call = bound();
    assert_true(str_is(call.build->call.command, path_of("bin/cargo")));
    assert_holds(call.build, "writ_call_main/Cargo.toml",
                 "target = { path = \"..\", package = \"our-text\" }");
    assert_holds(call.build, "writ_call_main/src/main.rs",
                 "(\"Shout\", target::deep::Shout as call::Function),\n        (\"Whisper\"");
    at.sdk.package = str_of("./text/deep");
    at.sdk.import_path = str_of("down");
    call = bound();
    assert_true(str_is(call.build->call.command, path_of("bin/rustc")));
    assert_holds(call.build, "writ_call_main/main.rs", "#[path = \"../down.rs\"]\nmod down;\n");
    at.sdk.import_path = str_of("other");
    assert_refused(CODE_IO, "neither a Cargo.toml nor a 'other.rs'");
    at.sdk.package = str_of("serde");
    assert_refused(CODE_VALIDATION_ERROR, "package 'serde' is not a path");
}

/* Behind rustup's own programs there is a toolchain. */
static void rustup_is_looked_behind(void **state)
{
    (void)state;
    at.sdk.language = SDK_RUST;
    at.sdk.package = str_of("./crate");
    put("bin/rustup", "");
    assert_int_equal(unlink(path_of("bin/cargo")), 0);
    assert_int_equal(unlink(path_of("bin/rustc")), 0);
    assert_int_equal(symlink("rustup", path_of("bin/cargo")), 0);
    assert_int_equal(symlink("rustup", path_of("bin/rustc")), 0);
    assert_refused(CODE_PEER_UNAVAILABLE, "has no default toolchain; run `rustup default stable`");
    put(".rustup/settings.toml", ""); /* with its directory */
    assert_int_equal(unlink(path_of(".rustup/settings.toml")), 0);
    assert_int_equal(mkfifo(path_of(".rustup/settings.toml"), 0600), 0); /* is not waited for */
    assert_refused(CODE_PEER_UNAVAILABLE, "has no default toolchain; run `rustup default stable`");
    assert_int_equal(unlink(path_of(".rustup/settings.toml")), 0);
    put(".rustup/settings.toml", "version = \"12\"\ndefault_toolchain = \"stable-x\"\n");
    put(".rustup/toolchains/stable-x/bin/cargo", "");
    put(".rustup/toolchains/stable-x/bin/rustc", "");
    put(".rustup/toolchains/stable-x/lib/rustlib/it", "");
    assert_true(
        str_is(bound().build->call.command, path_of(".rustup/toolchains/stable-x/bin/cargo")));
    assert_word(bound().build->read, 0, path_of(".rustup/toolchains/stable-x"));
}

static void what_is_no_name_does_not_get_into_a_program(void **state)
{
    static const char *const names[] = {
        "a\"; import \"os", "a b", "a\nb", "", "a::b()", "\"", "1a", "a:b", "a::", "::a", "a//*",
        "\xc3\xa4"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct pair one = { str_of("shout"), str_of(names[i]) };

        at.sdk.function_mapping = (struct items){ &one, 1 };
        at.sdk.language = SDK_GO;
        at.sdk.import_path = str_of("text");
        at.sdk.package = str_of("./text");
        assert_refused(CODE_VALIDATION_ERROR, " is no exported function of Go");
        at.sdk.language = SDK_RUST;
        at.sdk.package = str_of("./crate");
        assert_refused(CODE_VALIDATION_ERROR, " is no function of Rust");
        at.sdk.function_mapping = (struct items){ mapping, COUNT(mapping) };
        at.sdk.import_path = str_of(names[i]);
        if (!strchr(names[i], ')'))
            assert_refused(CODE_VALIDATION_ERROR, " is no path of Rust");
    }
    at.sdk.import_path = str_of("a\"b");
    at.sdk.language = SDK_GO;
    assert_refused(CODE_VALIDATION_ERROR, " is no import path of Go");
    at.sdk.import_path = str_of("text");
    put("crate/writ_call_main/main.go", "");
    assert_refused(CODE_VALIDATION_ERROR, "where ours must be");
    at.sdk.package = str_of("./crate");
    at.sdk.language = SDK_RUST;
    assert_refused(CODE_VALIDATION_ERROR, "where ours must be");
}

static void a_program_is_kept_by_what_it_is_built_from(void **state)
{
    const char *first, *changed;

    (void)state;
    at.sdk.language = SDK_GO;
    first = bound().build->directory;
    assert_string_equal(first, bound().build->directory);
    assert_memory_equal(first, path_of("cache/"), strlen(path_of("cache/")));
    at.ask.operation = str_of("whisper"); /* one program has them all */
    assert_string_equal(first, bound().build->directory);
    put("text/text.go", "package text // changed\n");
    changed = bound().build->directory;
    assert_string_not_equal(first, changed);
    put("text/text.go", "package text\n");
    assert_string_equal(first, bound().build->directory);
    put("text/target/left", "built anew");
    assert_string_equal(first, bound().build->directory);
    put("bin/go", "a newer one");
    assert_string_not_equal(first, bound().build->directory);
    at.ask.path = "/nonexistent";
    assert_refused(CODE_PEER_UNAVAILABLE, "go is not installed, or not in PATH");
}

static void links_of_a_package_are_not_followed(void **state)
{
    (void)state;
    at.sdk.language = SDK_GO;
    assert_int_equal(symlink("/etc/passwd", path_of("text/secret.go")), 0);
    assert_int_equal(symlink("/etc", path_of("text/etc")), 0);
    assert_null(file_of(bound().build, "secret.go"));
    assert_int_equal(mkfifo(path_of("text/pipe.go"), 0600), 0);
    assert_null(file_of(bound().build, "pipe.go"));
    for (int i = 0; i < 20; i++)
        put(arena_printf(&at.a, "text/%.*s/x", 2 * i + 1,
                         "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d"),
            "");
    assert_refused(CODE_IO, "the package has more than 16 directories in each other");
}

static void a_directory_is_laid_out_anew(void **state)
{
    const struct sdk_build *build;
    struct error e = { 0 };
    struct str text;

    (void)state;
    at.sdk.language = SDK_GO;
    build = bound().build;
    assert_true(sdk_lay_out(build, &e));
    put(arena_printf(&at.a, "%s/program", build->directory + strlen(at.dir) + 1), "half");
    assert_true(sdk_lay_out(build, &e));
    assert_int_not_equal(access(build->product, F_OK), 0);
    assert_true(fs_read(arena_printf(&at.a, "%s/writ_call_main/main.go", build->directory), 1 << 16,
                        &at.a, &text, &e));
    assert_true(str_begins(text, "package main\n"));
}

/* ---- what it answers ---- */

static void an_answer_is_a_value_or_why_there_is_none(void **state)
{
    static const struct {
        const char *bytes, *value, *msg;
        enum code code;
    } rows[] = {
        { "{\"ok\":true,\"value\":{\"a\":[1,null]}}", "{\"a\":[1,null]}", NULL, 0 },
        { " {\"value\":null,\"ok\":true}\n", "null", NULL, 0 },
        { "{\"ok\":true,\"value\":\"a,b\\n\"}", "a,b\n", NULL, 0 },
        { "", NULL, "the function ended without a result", CODE_PEER_PROTOCOL },
        { "garbage", NULL, "is no result: ", CODE_PEER_PROTOCOL },
        { "{\"ok\":true,\"value\":1}{\"ok\":true,\"value\":2}", NULL,
          "is no result: ", CODE_PEER_PROTOCOL },
        { "{\"ok\":true,\"value\":1,\"value\":2}", NULL, "is no result: ", CODE_PEER_PROTOCOL },
        { "{\"ok\":true,\"value\":NaN}", NULL, "is no result: ", CODE_PEER_PROTOCOL },
        { "{\"ok\":true,\"val", NULL, "is no result: ", CODE_PEER_PROTOCOL },
        { "[true]", NULL, "does not say how it went", CODE_PEER_PROTOCOL },
        { "{\"ok\":1,\"value\":1}", NULL, "does not say how it went", CODE_PEER_PROTOCOL },
        { "{\"ok\":true}", NULL, "is not a value alone", CODE_PEER_PROTOCOL },
        { "{\"ok\":true,\"value\":1,\"more\":2}", NULL, "is not a value alone",
          CODE_PEER_PROTOCOL },
        { "{\"ok\":false}", NULL, "neither how it went nor why", CODE_PEER_PROTOCOL },
        { "{\"ok\":false,\"error\":\"x\"}", NULL, "neither how it went nor why",
          CODE_PEER_PROTOCOL },
        { "{\"ok\":false,\"error\":{\"type\":1}}", NULL, "neither how it went nor why",
          CODE_PEER_PROTOCOL },
        { "{\"ok\":false,\"error\":{\"type\":\"KeyError\"}}", NULL, "KeyError",
          CODE_COMMAND_FAILED },
        { "{\"ok\":false,\"error\":{\"type\":\"E\",\"message\":\"a\\nb\\u001b[31mc\"}}", NULL,
          "E: a b [31mc", CODE_COMMAND_FAILED },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct value value = { 0 };
        struct error e = { 0 };
        bool ok = sdk_value(str_of(rows[i].bytes), &at.a, &value, &e);

        if (ok != (rows[i].value != NULL) ||
            (ok ? !str_is(value.bytes, rows[i].value) : !strstr(e.msg, rows[i].msg)))
            fail_msg("%s: %s", rows[i].bytes, ok ? value.bytes.s : e.msg);
        assert_true((value.doc != NULL) == ok);
        assert_int_equal(e.code, rows[i].code);
    }
}

#define AT(f) cmocka_unit_test_setup_teardown(f, make, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT(R_001_094_R_001_095_R_001_096_R_001_097_python_is_given_what_to_call),
        AT(R_001_095_a_package_is_a_path_or_installed),
        AT(R_001_097_only_what_is_mapped_is_called),
        AT(node_is_given_what_to_call),
        AT(go_is_built_beside_its_sources),
        AT(rust_is_built_below_its_crate_or_as_a_module),
        AT(rustup_is_looked_behind),
        AT(what_is_no_name_does_not_get_into_a_program),
        AT(a_program_is_kept_by_what_it_is_built_from),
        AT(links_of_a_package_are_not_followed),
        AT(a_directory_is_laid_out_anew),
        AT(an_answer_is_a_value_or_why_there_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
