/* SPDX-License-Identifier: Apache-2.0 */
/* test_wasm_module.c: which modules are executors, and what is said of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "executor/wasm_module.h"

#define BYTES(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }
#define TYPES   "\2\x60\1\x7f\1\x7f\x60\2\x7f\x7f\1\x7e"
#define MEMORY  "\6memory\2\0"
#define ROOM    "\4room\0\0"
#define EXECUTE "\7execute\0\1"
#define WANTED  "; an executor exports memory, room and execute, and nothing else"

struct section {
    int id;
    struct str body;
};

/* An executor. The code section is for wasm2c to judge. */
static const struct section good[] = {
    { 1, BYTES(TYPES) },
    { 3, BYTES("\2\0\1") },
    { 5, BYTES("\1\1\2\x10") },
    { 7, BYTES("\3" MEMORY ROOM EXECUTE) },
    { 10, BYTES("never looked at") },
};

static void add_section(struct buf *to, int id, struct str body)
{
    assert_true(body.n < 0x4000);
    buf_addc(to, (char)id);
    buf_addc(to, (char)(body.n % 0x80 | 0x80));
    buf_addc(to, (char)(body.n / 0x80));
    buf_add(to, body.s, body.n);
}

/* The good module with one section in place of its own, or added where it belongs. */
static void add_module(struct buf *to, const struct section *other)
{
    bool done = other == NULL;

    buf_add(to, "\0asm\1\0\0\0", 8);
    for (size_t i = 0; i < COUNT(good); i++) {
        if (!done && other->id <= good[i].id) {
            add_section(to, other->id, other->body);
            done = true;
        }
        if (!other || other->id != good[i].id)
            add_section(to, good[i].id, good[i].body);
    }
    if (!done)
        add_section(to, other->id, other->body);
}

static void an_executor_is_taken(void **state)
{
    static const struct section others[] = {
        { 0, BYTES("\4name, or whatever") },
        { 4, BYTES("\2\x70\0\2\x6f\1\0\1") },
        { 7, BYTES("\5" MEMORY "\12__data_end\3\0" ROOM "\13__heap_base\3\1" EXECUTE) },
    };
    _buf_ struct buf plain = { .max = 1 << 16 };
    struct wasm_module m;
    struct error e = { 0 };

    (void)state;
    add_module(&plain, NULL);
    assert_true(wasm_module_read(buf_str(&plain), 16, &m, &e));
    assert_int_equal(m.pages, 2);
    assert_int_equal(m.max_pages, 16);
    assert_false(m.starts);
    for (size_t i = 0; i < COUNT(others); i++) {
        _buf_ struct buf b = { .max = 1 << 16 };

        add_module(&b, &others[i]);
        if (!wasm_module_read(buf_str(&b), 16, &m, &e))
            fail_msg("row %zu: %s", i, e.msg);
    }
}

static void a_start_function_is_told(void **state)
{
    _buf_ struct buf b = { .max = 1 << 16 };
    struct section start = { 8, BYTES("\1") };
    struct wasm_module m;
    struct error e = { 0 };

    (void)state;
    add_module(&b, &start);
    assert_true(wasm_module_read(buf_str(&b), 16, &m, &e));
    assert_true(m.starts);
}

static const struct {
    struct section section;
    const char *msg;
} refusals[] = {
    /* imports */
    { { 2, BYTES("\1\26wasi_snapshot_preview1\10fd_write\0\0") },
      "the module imports 'fd_write' from 'wasi_snapshot_preview1'; an executor imports nothing" },
    { { 2, BYTES("\1\3env\6memory\2\0\1") },
      "the module imports 'memory' from 'env'; an executor imports nothing" },
    { { 2, BYTES("\1\3\x1b[2\1'\0\0") },
      "the module imports '?' from '?[2'; an executor imports nothing" },
    { { 2, BYTES("\1\3en") }, "the import section of the module is torn or not well-formed" },
    { { 2, BYTES("\0\0") }, "the import section of the module is torn or not well-formed" },
    /* memory */
    { { 5, BYTES("\1\0\2") },
      "the memory has no maximum, wanted is one of at most 16 pages of 64 KiB (clang: "
      "-Wl,--max-memory=1048576)" },
    { { 5, BYTES("\1\1\2\x11") }, "the memory may grow to 17 pages of 64 KiB, allowed are 16" },
    { { 5, BYTES("\1\1\2\xff\xff\xff\xff\xf") },
      "the memory may grow to 4294967295 pages of 64 KiB, allowed are 16" },
    { { 5, BYTES("\1\1\2\xff\xff\xff\xff\x1f") },
      "the memory section of the module is torn or not well-formed" },
    { { 5, BYTES("\1\1\3\2") }, "the memory begins with 3 pages and may have only 2" },
    { { 5, BYTES("\1\3\1\2") }, "the memory is shared, wanted is a plain one of 32 bits" },
    { { 5, BYTES("\1\5\1\2") }, "the memory is one of 64 bits, wanted is a plain one of 32 bits" },
    { { 5, BYTES("\1\x8\1\2") }, "the memory is unusual, wanted is a plain one of 32 bits" },
    { { 5, BYTES("\2\1\1\2\1\1\2") }, "the module has 2 memories, wanted is one" },
    { { 5, BYTES("\0") }, "the module has no memory of its own" WANTED },
    { { 5, BYTES("\1\1\2\x10\0") }, "the memory section of the module is torn or not well-formed" },
    /* exports */
    { { 7, BYTES("\2" MEMORY ROOM) }, "the module exports no 'execute'" WANTED },
    { { 7, BYTES("\0") }, "the module exports no 'memory'" WANTED },
    { { 7, BYTES("\4" MEMORY ROOM EXECUTE "\6malloc\0\0") }, "the module exports 'malloc'" WANTED },
    { { 7, BYTES("\4" MEMORY ROOM EXECUTE "\11*/ x();/*\0\0") },
      "the module exports '*/ x();/*'" WANTED },
    { { 7, BYTES("\4" MEMORY ROOM ROOM EXECUTE) }, "the module exports 'room' twice" },
    { { 7, BYTES("\3" MEMORY "\4room\3\0" EXECUTE) },
      "the export 'room' is a global, wanted is a function" },
    { { 7, BYTES("\3" MEMORY "\4room\7\0" EXECUTE) },
      "the export 'room' is a thing unknown, wanted is a function" },
    { { 7, BYTES("\3" MEMORY "\4room\0\1" EXECUTE) },
      "the function 'room' is not of the type (i32) -> i32" },
    { { 7, BYTES("\3" MEMORY ROOM "\7execute\0\0") },
      "the function 'execute' is not of the type (i32, i32) -> i64" },
    { { 7, BYTES("\3" MEMORY ROOM "\7execute\0\2") },
      "the export section of the module is torn or not well-formed" },
    { { 7, BYTES("\3" MEMORY ROOM "\7execu") },
      "the export section of the module is torn or not well-formed" },
    { { 7, BYTES("\3" MEMORY ROOM EXECUTE "\0") },
      "the export section of the module is torn or not well-formed" },
    /* functions and types */
    { { 3, BYTES("\2\0\2") }, "the function section of the module is torn or not well-formed" },
    { { 3, BYTES("\xff\xff\xff\xff\xf\0\1") },
      "the function section of the module is torn or not well-formed" },
    { { 1, BYTES("\xe9\7") }, "the module has 1001 types of functions, allowed are 1000" },
    { { 1, BYTES("\1\x5f\0\0") }, "the type section of the module is torn or not well-formed" },
    /* tables */
    { { 4, BYTES("\5") }, "the module has 5 tables, allowed are 4" },
    { { 4, BYTES("\1\x70\0\x81\x80\4") }, "a table has 65537 elements, allowed are 65536" },
    { { 4, BYTES("\1\x70\4\1") }, "the table section of the module is torn or not well-formed" },
    /* sections */
    { { 8, BYTES("\2") }, "the start section of the module is torn or not well-formed" },
    { { 13, BYTES("\0") }, "the module has a section of kind 13, known are 0 to 12" },
    { { 12, BYTES("\0") }, "the section of kind 12 stands out of order" },
};

static void refusals_say_what_was_found_and_what_is_wanted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        _buf_ struct buf b = { .max = 1 << 16 };
        struct wasm_module m = { 77, 77, true };
        struct error e = { 0 };

        add_module(&b, &refusals[i].section);
        assert_false(wasm_module_read(buf_str(&b), 16, &m, &e));
        assert_string_equal(e.msg, refusals[i].msg);
        assert_int_equal(m.pages, 77);
    }
}

static void a_function_has_few_parameters(void **state)
{
    _buf_ struct buf b = { .max = 1 << 16 };
    char body[109] = "\1\x60\x65";
    struct section types = { 1, { body, 105 } };
    struct wasm_module m;
    struct error e = { 0 };

    (void)state;
    add_module(&b, &types);
    assert_false(wasm_module_read(buf_str(&b), 16, &m, &e));
    assert_string_equal(e.msg, "a function has 101 parameters and 0 results, allowed are 100");
}

static void what_is_no_module_is_said_so(void **state)
{
    static const struct {
        struct str bytes;
        const char *msg;
    } rows[] = {
        { BYTES(""), "this is no WebAssembly module: it does not begin with '\\0asm'" },
        { BYTES("\0asm\1\0\0"), "this is no WebAssembly module: it does not begin with '\\0asm'" },
        { BYTES("(module)"), "this is no WebAssembly module: it does not begin with '\\0asm'" },
        { BYTES("\0asm\15\0\1\0"), "the module is of version 13.1, wanted is 1.0" },
        { BYTES("\0asm\1\0\0\0"), "the module has no memory of its own" WANTED },
        { BYTES("\0asm\1\0\0\0\1"), "the module ends within a section" },
        { BYTES("\0asm\1\0\0\0\1\x80\x80\x80\x80\x80"), "the module ends within a section" },
        { BYTES("\0asm\1\0\0\0\0\xff\xff\xff\xff\x7"), "the module ends within a section" },
        { BYTES("\0asm\1\0\0\0\5\4\1\1\1\1\12\0"), "the module exports nothing" WANTED },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wasm_module m;
        struct error e = { 0 };

        assert_false(wasm_module_read(rows[i].bytes, 16, &m, &e));
        assert_string_equal(e.msg, rows[i].msg);
    }
}

/* No beginning of a module is a module, and none is read past its end. */
static void a_torn_module_is_never_taken(void **state)
{
    _buf_ struct buf b = { .max = 1 << 16 };
    struct wasm_module m;
    struct error e = { 0 };
    size_t code = 3 + good[4].body.n; /* the last section may be missing */

    (void)state;
    add_module(&b, NULL);
    for (size_t n = 0; n < b.len; n++) {
        _free_ char *exact = malloc(n ? n : 1);

        memcpy(exact, b.s, n);
        assert_int_equal(wasm_module_read((struct str){ exact, n }, 16, &m, &e), n == b.len - code);
    }
}

static void no_limit_allows_more_than_a_gigabyte(void **state)
{
    _buf_ struct buf b = { .max = 1 << 16 };
    struct section memory = { 5, BYTES("\1\1\1\x81\x80\1") };
    struct wasm_module m;
    struct error e = { 0 };

    (void)state;
    add_module(&b, &memory);
    assert_false(wasm_module_read(buf_str(&b), UINT32_MAX, &m, &e));
    assert_string_equal(e.msg, "the memory may grow to 16385 pages of 64 KiB, allowed are 16384");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_executor_is_taken),
        cmocka_unit_test(a_start_function_is_told),
        cmocka_unit_test(refusals_say_what_was_found_and_what_is_wanted),
        cmocka_unit_test(a_function_has_few_parameters),
        cmocka_unit_test(what_is_no_module_is_said_so),
        cmocka_unit_test(a_torn_module_is_never_taken),
        cmocka_unit_test(no_limit_allows_more_than_a_gigabyte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
