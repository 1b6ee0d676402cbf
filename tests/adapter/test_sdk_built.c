/* SPDX-License-Identifier: Apache-2.0 */
/* test_sdk_built.c: functions in Go and Rust, built and called for real in the sandbox.
 *
 * usage: test_sdk_built [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/functions.h"

/* Where the tool is not there, that is what the binding says. */
static bool has_tool(const struct package *p)
{
    struct error e = { 0 };
    struct sdk_call bound;

    if (function_bind(p, p->language == SDK_GO ? "Add" : "echo", "{}", &bound, &e))
        return true;
    print_message("# %s\n", e.msg);
    assert_int_equal(e.code, CODE_PEER_UNAVAILABLE);
    return false;
}

/* ---- go ---- */

static const char go_text[] =
    "package text\n"
    "import (\"context\"; \"errors\"; \"fmt\"; \"math\"; \"os\"; \"strings\"; \"time\"; "
    "\"example.com/text/internal/inner\")\n"
    "type Pair struct { A int `json:\"a\"`; B int `json:\"b\"` }\n"
    "func Add(p Pair) int { return p.A + p.B }\n"
    "func Echo(p map[string]interface{}) map[string]interface{} { return p }\n"
    "func Later(ctx context.Context, p Pair) (*Pair, error) { return &p, ctx.Err() }\n"
    "func Nothing() {}\n"
    "func Inner() string { return inner.Name() }\n"
    "func Prints() int { fmt.Println(\"noise\"); return 1 }\n"
    "func Fails() (int, error) { return 1, errors.New(\"a bad\\nthing\") }\n"
    "func Panics() int { var m map[string]int; m[\"a\"] = 1; return 1 }\n"
    "func Nan() float64 { return math.NaN() }\n"
    "func Exits() { os.Exit(0) }\n"
    "func Garbage() int { os.NewFile(3, \"\").WriteString(\"garbage\"); return 1 }\n"
    "func Closes() int { os.NewFile(3, \"\").Close(); return 1 }\n"
    "func Big() string { return strings.Repeat(\"x\", 2 << 20) }\n"
    "func Waits() int { go time.Sleep(time.Hour); return 1 }\n"
    "func Many(a, b int) int { return a + b }\n";

static void R_001_094_R_001_097_a_function_in_go_is_built_and_called(void **state)
{
    static const struct function_row rows[] = {
        { "Add", "{\"a\":2,\"b\":3}", "5", NULL, 0 },
        { "Add", "{\"a\":2,\"c\":3}", NULL, "*errors.errorString: json: unknown field \"c\"", 1 },
        { "Add", "{\"a\":\"2\"}", NULL, "*json.UnmarshalTypeError: ", 1 },
        { "Echo", "{\"z\":[1,null,\"<&>\"],\"a\":{\"b\":true}}",
          "{\"a\":{\"b\":true},\"z\":[1,null,\"<&>\"]}", NULL, 0 },
        { "Later", "{\"a\":1}", "{\"a\":1,\"b\":0}", NULL, 0 },
        { "Nothing", "{}", "null", NULL, 0 },
        { "Inner", "{}", "\"inner\"", NULL, 0 },
        { "Prints", "{}", "1", NULL, 0 },
        { "Fails", "{}", NULL, "*errors.errorString: a bad thing", 1 },
        { "Panics", "{}", NULL, "panic: assignment to entry in nil map", 1 },
        { "Nan", "{}", NULL, "*json.UnsupportedValueError: json: unsupported value: NaN", 1 },
        { "Exits", "{}", NULL, "the function ended without a result", 0 },
        { "Garbage", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
        { "Closes", "{}", NULL, "the function ended without a result", 1 },
        { "Big", "{}", NULL, "ResultTooLarge: the result has 2097175 bytes, allowed", 1 },
        { "Waits", "{}", "1", NULL, 0 },
        { "Many", "{}", NULL, "*errors.errorString: the function takes more than", 1 },
    };
    static const struct package go = {
        &r, SDK_GO, "./text", "example.com/text", rows, COUNT(rows)
    };

    (void)state;
    make_dir("text");
    make_dir("text/internal");
    make_dir("text/internal/inner");
    runs_write(&r, "text/go.mod", "module example.com/text\n\ngo 1.16\n");
    runs_write(&r, "text/text.go", go_text);
    runs_write(&r, "text/internal/inner/inner.go",
               "package inner\nfunc Name() string { return \"inner\" }\n");
    if (!has_tool(&go))
        return;
    functions_check(&go, rows, COUNT(rows));
}

static void R_001_095_R_001_096_go_takes_a_file_or_the_standard_library(void **state)
{
    static const struct package file = { &r, SDK_GO, "./one.go", "one" };
    static const struct package standard = { &r, SDK_GO, "std", "strings" };
    static const struct function_row ours = { "Add", "{}", "1", NULL, 0 };
    static const struct function_row upper = { "Clone", "{}", NULL, "*json.UnmarshalTypeError", 1 };

    (void)state;
    runs_write(&r, "one.go", "package one\nfunc Add() int { return 1 }\n");
    if (!has_tool(&file))
        return;
    function_check(&file, &ours);
    function_check(&standard, &upper);
}

/* ---- rust ---- */

static const char rust_text[] =
    "pub mod deep { pub fn name(_: &str) -> Result<String, String> { Ok(\"\\\"deep\\\"\".into()) } }\n"
    "pub fn echo(text: &str) -> Result<String, String> { Ok(text.to_string()) }\n"
    "pub fn prints(_: &str) -> Result<String, String> { println!(\"noise\"); Ok(\"1\".into()) }\n"
    "pub fn fails(_: &str) -> Result<String, String> { Err(\"a \\\"bad\\\"\\nthing\\u{1}\".into()) }\n"
    "pub fn panics(_: &str) -> Result<String, String> { panic!(\"at the disco\") }\n"
    "pub fn garbage(_: &str) -> Result<String, String> { Ok(\"1,\\\"ok\\\":true\".into()) }\n"
    "pub fn more(_: &str) -> Result<String, String> { Ok(\"1,\\\"more\\\":true\".into()) }\n"
    "pub fn exits(_: &str) -> Result<String, String> { std::process::exit(0) }\n"
    "pub fn big(_: &str) -> Result<String, String> { Ok(format!(\"\\\"{}\\\"\", "
    "\"x\".repeat(2 << 20))) }\n";

static const struct function_row rust_rows[] = {
    { "echo", "{\"z\":[1,null,\"'\\\"$(id)\"]}", "{\"z\":[1,null,\"'\\\"$(id)\"]}", NULL, 0 },
    { "prints", "{}", "1", NULL, 0 },
    { "fails", "{}", NULL, "Err: a \"bad\" thing ", 1 },
    { "panics", "{}", NULL, "panic: at the disco", 1 },
    { "garbage", "{}", NULL, "what the function wrote to descriptor 3 is no result: ", 0 },
    { "more", "{}", NULL, "what the function wrote to descriptor 3 is not a value alone", 0 },
    { "exits", "{}", NULL, "the function ended without a result", 0 },
    { "big", "{}", NULL, "ResultTooLarge: the result has 2097154 bytes", 1 },
};

static void R_001_094_R_001_097_a_function_in_rust_is_built_and_called(void **state)
{
    static const struct package crate = { &r,         SDK_RUST,  "./crate",
                                          "our_text", rust_rows, COUNT(rust_rows) };
    static const struct package deep = { &r, SDK_RUST, "./crate", "our_text::deep" };
    static const struct function_row name = { "name", "{}", "\"deep\"", NULL, 0 };

    (void)state;
    make_dir("crate");
    make_dir("crate/src");
    runs_write(&r, "crate/Cargo.toml",
               "[package]\nname = \"our-text\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
               "[workspace]\n");
    runs_write(&r, "crate/src/lib.rs", rust_text);
    if (!has_tool(&crate))
        return;
    functions_check(&crate, rust_rows, COUNT(rust_rows));
    function_check(&deep, &name);
}

static void R_001_095_R_001_096_rust_takes_a_file_without_a_crate(void **state)
{
    static const struct package file = { &r,     SDK_RUST,  "./in/text.rs",
                                         "text", rust_rows, COUNT(rust_rows) };
    static const struct package directory = { &r, SDK_RUST, "./in", "text::deep", NULL, 0 };
    static const struct function_row name = { "name", "{}", "\"deep\"", NULL, 0 };

    (void)state;
    make_dir("in");
    runs_write(&r, "in/text.rs", rust_text);
    if (!has_tool(&file))
        return;
    functions_check(&file, rust_rows, COUNT(rust_rows));
    function_check(&directory, &name);
}

#define IN_BOX(f) cmocka_unit_test_setup_teardown(f, make, end)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        IN_BOX(R_001_094_R_001_097_a_function_in_go_is_built_and_called),
        IN_BOX(R_001_095_R_001_096_go_takes_a_file_or_the_standard_library),
        IN_BOX(R_001_094_R_001_097_a_function_in_rust_is_built_and_called),
        IN_BOX(R_001_095_R_001_096_rust_takes_a_file_without_a_crate),
    };

    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
