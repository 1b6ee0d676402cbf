/* SPDX-License-Identifier: Apache-2.0 */
/* test_wasm_build.c: a module becomes a shared object, once, and only what should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compilers.h"
#include "executor/wasm_abi.h"

static bool build(struct str module, const struct builder *builder, struct arena *a,
                  const char **object, struct error *e)
{
    struct wasm_build how = { module, 128, cache, builder };

    return wasm_build(&how, a, object, e);
}

static int count_dirs(const char *with)
{
    _buf_ struct buf said = { .max = 1 << 16 };
    const char *argv[] = { "ls", cache, NULL };
    struct error e;
    int n = 0;

    assert_true(run_plainly(NULL, argv, "/", &said, &e));
    for (const char *at = said.s; at && (at = strstr(at, with)); at++)
        n++;
    return n;
}

static void a_module_is_compiled_once(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *first = object_of("acts", &a), *again, *other;
    int before;

    (void)state;
    assert_non_null(first);
    before = programs_run;
    again = object_of("acts", &a);
    assert_string_equal(first, again);
    assert_int_equal(programs_run - before, 2); /* only asked for their versions */
    other = object_of("starts", &a);
    assert_string_not_equal(first, other);
    assert_int_equal(count_dirs("work."), 0);
    assert_int_equal(count_dirs("new."), 0);
}

static void a_damaged_object_is_seen_and_made_again(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *object = object_of("acts", &a);
    struct error e = { 0 };
    struct str bytes;
    char *changed;

    (void)state;
    assert_true(wasm_object_check(object, &e));
    assert_true(fs_read(object, 1 << 24, &a, &bytes, &e));
    changed = arena_text(&a, bytes);
    changed[bytes.n / 2] ^= 1;
    assert_true(fs_write(object, (struct str){ changed, bytes.n }, &e));
    assert_false(wasm_object_check(object, &e));
    assert_non_null(strstr(e.msg, "register the executor once more"));
    assert_string_equal(object_of("acts", &a), object);
    assert_true(wasm_object_check(object, &e));
}

/* Builds the same while somebody else builds it. */
static bool run_and_build(void *self, const char *const *argv, const char *dir, struct buf *said,
                          struct error *e)
{
    _arena_ struct arena a = { 0 };
    const char **theirs = self;

    if (strcmp(argv[0], "cc") == 0 && strcmp(argv[1], "--version") != 0)
        *theirs = object_of("large", &a) ? "made" : NULL;
    return run_plainly(NULL, argv, dir, said, e);
}

static void two_may_build_the_same_at_once(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *theirs = NULL, *object = NULL;
    struct builder both = { run_and_build, &theirs };
    struct error e = { 0 };

    (void)state;
    assert_true(build(module_named("large", &a), &both, &a, &object, &e));
    assert_non_null(theirs);
    assert_true(wasm_object_check(object, &e));
    assert_int_equal(count_dirs("new."), 0);
}

/* ---- what can be missing or wrong ---- */

/* One program is missing, or says something else than it should. */
struct odd {
    const char *program, *says;
};

static bool run_odd(void *self, const char *const *argv, const char *dir, struct buf *said,
                    struct error *e)
{
    const struct odd *odd = self;

    if (strcmp(argv[0], odd->program) != 0)
        return run_plainly(NULL, argv, dir, said, e);
    if (odd->says) {
        buf_adds(said, odd->says);
        return true;
    }
    errno = ENOENT;
    return error_sys(e, ERROR_IO, "cannot be run");
}

static void what_is_missing_is_named(void **state)
{
    static const struct {
        struct odd odd;
        const char *msg;
    } rows[] = {
        { { "wasm2c", NULL },
          "wasm2c was not found; wasm2c turns modules into C (Debian: package wabt)" },
        { { "cc", NULL },
          "cc was not found; a C compiler turns modules into machine code (Debian: "
          "package gcc)" },
        { { "wasm2c", "1.0.99\n" },
          "wasm2c is of version 1.0.99, wanted is 1.0.32 (Debian 12: wabt)" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct builder builder = { run_odd, (void *)&rows[i].odd };
        const char *object = NULL;
        struct error e = { 0 };

        assert_false(build(module_named("floats", &a), &builder, &a, &object, &e));
        assert_string_equal(e.msg, rows[i].msg);
        assert_null(object);
        assert_int_equal(count_dirs("work."), 0);
    }
}

/* The module that wat2wasm makes of a text, without looking whether it is valid. */
static struct str assemble(const char *text, struct arena *a)
{
    _buf_ struct buf said = { .max = 1 << 16 };
    const char *argv[] = { "wat2wasm", "--no-check", "t.wat", "-o", "t.wasm", NULL };
    struct error e = { 0 };
    struct str bytes;

    assert_true(fs_write(arena_printf(a, "%s/t.wat", cache), str_of(text), &e));
    if (!run_plainly(NULL, argv, cache, &said, &e))
        fail_msg("%s", said.s);
    assert_true(fs_read(arena_printf(a, "%s/t.wasm", cache), 1 << 22, a, &bytes, &e));
    return bytes;
}

static const char head[] = "(module (memory (export \"memory\") 1 1)"
                           "(func (export \"room\") (param i32) (result i32) (i32.const 8))"
                           "(func $x (export \"execute\") (param i32 i32) (result i64)";

static void code_that_is_not_valid_is_not_compiled(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *object;
    struct error e = { 0 };

    (void)state;
    assert_false(build(assemble(arena_printf(&a, "%s (i32.const 1)))", head), &a), &plain_builder,
                       &a, &object, &e));
    assert_non_null(strstr(e.msg, "wasm2c does not take the module: error: type mismatch"));
}

/* wasm2c of this version ends by a signal, and says nothing. */
static void simd_is_not_compiled(void **state)
{
    static const char body[] = "(i64x2.extract_lane 0 (v128.load (i32.const 0)))))";
    _arena_ struct arena a = { 0 };
    const char *object;
    struct error e = { 0 };

    (void)state;
    assert_false(
        build(assemble(arena_printf(&a, "%s%s", head, body), &a), &plain_builder, &a, &object, &e));
    assert_non_null(strstr(e.msg, "wasm2c does not take the module"));
    assert_non_null(strstr(e.msg, "it takes no SIMD"));
}

/* A thousand values that live across a call need 8 KB of stack. */
static void a_function_that_needs_much_stack_is_not_compiled(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };
    const char *object;
    struct error e = { 0 };

    (void)state;
    buf_addf(&text, "%s", head);
    for (int i = 0; i < 1000; i++)
        buf_addf(&text, "(i64.load offset=%d (local.get 0))", 8 * i);
    buf_adds(&text, "(call $x (i32.const 0) (i32.const 0))");
    for (int i = 0; i < 1000; i++)
        buf_adds(&text, i % 2 ? "i64.rotl " : "i64.xor ");
    buf_adds(&text, "))");
    assert_false(build(assemble(text.s, &a), &plain_builder, &a, &object, &e));
    assert_string_equal(e.msg, "a function of the module needs more than 6144 bytes of stack");
}

/* Names from outside end up in comments of generated code; none gets that far. */
static void a_name_cannot_leave_its_comment(void **state)
{
    _arena_ struct arena a = { 0 };
    const char *object;
    struct error e = { 0 };

    (void)state;
    assert_false(build(assemble(arena_printf(&a,
                                             "%s (i64.const 0))"
                                             "(func (export \"*/ int evil; /*\")))",
                                             head),
                                &a),
                       &plain_builder, &a, &object, &e));
    assert_non_null(strstr(e.msg, "the module exports '*/ int evil; /*'; an executor exports"));
}

/* ---- what is in an object ---- */

static bool among(struct str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

static void an_object_shows_one_name_and_needs_few(void **state)
{
    static const char *const needed[] = {
        "memcpy",
        "memset",
        "memmove",
        "memcmp",
        "bcmp",
        "malloc",
        "calloc",
        "free",
        "mmap",
        "madvise",
        "_setjmp",
        "longjmp",
        "floor",
        "ceil",
        "trunc",
        "floorf",
        "ceilf",
        "truncf",
        "nearbyint",
        "nearbyintf",
        "sqrt",
        "sqrtf",
        "__stack_chk_fail",
        "__stack_chk_guard",
    };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf said = { .max = 1 << 16 };
    const char *argv[] = { "nm", "-D", "--format=posix", object_of("acts", &a), NULL };
    struct error e;
    int shown = 0;

    (void)state;
    assert_true(run_plainly(NULL, argv, "/", &said, &e));
    for (const char *at = said.s; *at; at += strcspn(at, "\n") + 1) {
        struct str name = { at, strcspn(at, "@ ") };
        const char *kind = strchr(at, ' ');

        shown += kind[1] != 'U';
        if (kind[1] != 'U')
            assert_true(str_is(name, WASM_SYMBOL));
        else if (!among(name, needed, COUNT(needed)))
            fail_msg("needs %.*s", STR_ARG(name));
    }
    assert_int_equal(shown, 1);
}

static void loading_an_object_runs_nothing(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf said = { .max = 1 << 16 };
    const char *argv[] = { "readelf", "-dW", object_of("acts", &a), NULL };
    struct error e;

    (void)state;
    assert_true(run_plainly(NULL, argv, "/", &said, &e));
    assert_non_null(strstr(said.s, "BIND_NOW"));
    assert_null(strstr(said.s, "(INIT"));
    assert_null(strstr(said.s, "(FINI"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_compiled_once),
        cmocka_unit_test(a_damaged_object_is_seen_and_made_again),
        cmocka_unit_test(two_may_build_the_same_at_once),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(code_that_is_not_valid_is_not_compiled),
        cmocka_unit_test(simd_is_not_compiled),
        cmocka_unit_test(a_function_that_needs_much_stack_is_not_compiled),
        cmocka_unit_test(a_name_cannot_leave_its_comment),
        cmocka_unit_test(an_object_shows_one_name_and_needs_few),
        cmocka_unit_test(loading_an_object_runs_nothing),
    };

    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
